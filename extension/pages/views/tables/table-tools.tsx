import type { JSX } from 'preact';
import { download, toCsv, toJsonRows } from '../../tables/export';
import type { Selection } from '../../tables/select';
import type { Column, Item, Placed, TableDefinition } from '../../tables/table';
import { t } from '../../../i18n';
import { useNarrow } from '../../../../ui/use-narrow';
import { Facets } from '../../ui/facets';
import { Fold } from '../../ui/fold';
import { useOneStop } from '../../ui/use-one-stop';
import { Menu } from '../../../../ui/menu';

interface Properties<Row> {
  readonly definition: TableDefinition<Row>;
  readonly columns: readonly (Column<Row> & Placed)[];
  readonly isVisible: (column: Column<Row>) => boolean;
  readonly setVisible: (key: string, wanted: boolean) => void;
  /** The keys of columns that are hidden because the window has no room for them. */
  readonly withoutRoom: readonly string[];
  /** What the search has found, and what the facets leave of it. */
  readonly found: readonly Item[];
  readonly items: readonly Item[];
  readonly selection: Selection;
  readonly select: (change: Partial<Selection>) => void;
}

/** What to show of a table, and its export: menus that are one stop of the Tab key; in a narrow window one menu. */
export function TableTools<Row>(properties: Properties<Row>): JSX.Element {
  const narrow = useNarrow();
  const menus = useOneStop('summary, button.all');
  const { definition, selection, select, withoutRoom } = properties;
  const { facets, query } = selection;
  if (narrow)
    return (
      <Menu title={filterTitle(facets, withoutRoom.length)} active={facets.size > 0}>
        <Parts {...properties} shape={Fold} />
      </Menu>
    );
  return (
    <div class="tools" role="toolbar" aria-label={definition.title} ref={menus}>
      <Parts {...properties} shape={Menu} />
      {(query !== '' || facets.size > 0) && (
        <button type="button" class="plain all" onClick={() => select({ query: '', facets: new Map() })}>
          {t('table_show_all')}
        </button>
      )}
    </div>
  );
}

function filterTitle(facets: Selection['facets'], more: number): string {
  const title = t('table_filter');
  const n = [...facets.values()].reduce((sum, values) => sum + values.size, 0);
  const filter = n === 0 ? title : t('ui_facet_chosen', { title, n });
  return more === 0 ? filter : t('table_filter_more', { filter, n: more });
}

const columnsTitle = (more: number): string =>
  more === 0 ? t('table_columns') : t('table_columns_more', { n: more });

function Parts<Row>({
  definition,
  columns,
  isVisible,
  setVisible,
  withoutRoom,
  found,
  items,
  selection,
  select,
  shape: Part,
}: Properties<Row> & { readonly shape: typeof Menu | typeof Fold }): JSX.Element {
  return (
    <>
      <Facets
        columns={columns.filter((column) => column.facet === true && isVisible(column))}
        items={found}
        facets={selection.facets}
        shape={Part}
        onChange={(facets) => select({ facets })}
      />
      <Part title={columnsTitle(withoutRoom.length)}>
        {columns.map((column) => (
          <label key={column.key}>
            <input
              type="checkbox"
              checked={isVisible(column) && !withoutRoom.includes(column.key)}
              onChange={({ currentTarget }) => setVisible(column.key, currentTarget.checked)}
            />
            {column.title}
          </label>
        ))}
      </Part>
      <Part title={t('options_export')}>
        <Export definition={definition} columns={columns.filter(isVisible)} items={items} />
      </Part>
    </>
  );
}

function Export<Row>({
  definition: { name, columns: all },
  columns,
  items,
}: {
  readonly definition: TableDefinition<Row>;
  readonly columns: readonly { readonly key: string; readonly as?: string }[];
  readonly items: readonly Item[];
}): JSX.Element {
  const csv = (): string => toCsv(columns, items, all);
  const json = (): string => JSON.stringify(toJsonRows(columns, items, all), null, 2);
  return (
    <>
      <span class="soft small">{t('table_export_what')}</span>
      <button type="button" class="plain" onClick={() => download(`cointoss-${name}.csv`, 'text/csv', csv())}>
        {t('table_csv')}
      </button>
      <button
        type="button"
        class="plain"
        onClick={() => download(`cointoss-${name}.json`, 'application/json', json())}
      >
        {t('settings_json')}
      </button>
    </>
  );
}
