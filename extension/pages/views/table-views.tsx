import type { JSX } from 'preact';
import { tableDefinitions } from '../tables';
import { BudgetView } from './tables/budget';
import { RegistrationPage } from './records/registration';
import { ReportPage } from './records/report';
import { SpendPage } from './records/spend';
import { SourcePage } from './records/source';
import { TableView } from './tables/table';
import type { View } from './view';

type ItemView = (id: number, tab: string) => JSX.Element;

/** The page of one row, by table. */
const itemViews: ReadonlyMap<string, ItemView> = new Map<string, ItemView>([
  ['sources', (id, tab) => <SourcePage key={id} id={id} tab={tab} />],
  ['triggers', (id, tab) => <RegistrationPage key={id} table="triggers" id={id} tab={tab} />],
  ['reports', (id) => <ReportPage key={id} id={id} />],
  ['refused', (id, tab) => <RegistrationPage key={id} table="refused" id={id} tab={tab} />],
  ['budget', (id) => <SpendPage key={id} id={id} />],
  ['log', (id, tab) => <RegistrationPage key={id} table="log" id={id} tab={tab} />],
]);

/** The views of what was recorded, on this device or in an opened file. */
export const tableViews: readonly View[] = tableDefinitions.map((definition) => ({
  path: definition.name,
  title: definition.title,
  group: 'recorded',
  ofSite: true,
  fills: ({ path }) => path.length === 1,
  render: (route) => {
    const [, id, tab = ''] = route.path;
    const view = itemViews.get(definition.name);
    if (id !== undefined && view !== undefined) return view(Number(id), tab);
    if (definition.name === 'budget') return <BudgetView route={route} />;
    return (
      <>
        <h1>{definition.title}</h1>
        <TableView key={definition.name} definition={definition} route={route} />
      </>
    );
  },
}));
