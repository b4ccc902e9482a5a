import type { JSX } from 'preact';
import { tableDefinitions } from '../data/tables';
import { t } from '../../i18n';
import type { Route } from '../lib/route';
import { AttributionView } from './attribution';
import { BudgetView } from './budget';
import { DataView } from './data';
import { DebugView } from './debug';
import { LeavesView } from './leaves';
import { OverviewView } from './overview';
import { RegistrationPage } from './registration';
import { ReportPage } from './report';
import { SpendPage } from './spend';
import { SourcePage } from './source';
import { TableView } from './table';
import { WorkbenchView } from './workbench';

/** To add a view to the navigation, add another of these. */
export interface View {
  /** The first part of the address. */
  readonly path: string;
  readonly title: string;
  readonly group: 'now' | 'recorded' | 'tools';
  readonly render: (route: Route) => JSX.Element;
  /** Whether the view fills the window and scrolls within itself. */
  readonly fills?: (route: Route) => boolean;
  /** Whether the view also works for the one site that the developer tools inspect. */
  readonly ofSite: boolean;
}

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

const tableViews: readonly View[] = tableDefinitions.map((definition) => ({
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

/** In the order of the navigation. The page opens with the first. */
export const views: readonly View[] = [
  {
    path: 'overview',
    title: t('nav_overview'),
    group: 'now',
    ofSite: true,
    render: () => <OverviewView />,
  },
  {
    path: 'leaves',
    title: t('nav_leaves'),
    group: 'now',
    ofSite: true,
    render: () => <LeavesView />,
  },
  ...tableViews,
  {
    path: 'attribution',
    title: t('nav_attribution'),
    group: 'tools',
    ofSite: true,
    render: (route) => <AttributionView route={route} />,
  },
  {
    path: 'workbench',
    title: t('nav_workbench'),
    group: 'tools',
    ofSite: false,
    render: (route) => <WorkbenchView route={route} />,
  },
  { path: 'debug', title: t('nav_debug'), group: 'tools', ofSite: true, render: () => <DebugView /> },
  { path: 'data', title: t('nav_data'), group: 'tools', ofSite: false, render: () => <DataView /> },
];

export function viewOf({ path }: Route): View {
  const found = views.find((view) => view.path === (path[0] ?? 'overview')) ?? views[0];
  if (found === undefined) throw new Error('there are no views');
  return found;
}
