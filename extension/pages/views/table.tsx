import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { download, toCsv, toJsonRows } from '../data/export';
import { filterItems, selectionFrom, selectionToParameters, sortItems, type Selection } from '../data/select';
import { allowedColumns, type Item, type TableDefinition } from '../data/table';
import { t } from '../../i18n';
import { replaceParameters, routeTo, type Route } from '../lib/route';
import { useDataset, useSession } from '../lib/session';
import { emptyWords } from '../lib/empty-words';
import { Empty } from '../ui/basics';
import { DataTable } from '../ui/data-table';
import { Facets } from '../ui/facets';
import { Menu } from '../../../ui/menu';

/** One table: search, facets, columns, export, and the rows. The selection is in the address. */
export function TableView<Row>({
  definition,
  route,
}: {
  readonly definition: TableDefinition<Row>;
  readonly route: Route;
}): JSX.Element {
  const { overview, truth, site } = useSession();
  const dataset = useDataset(definition);
  const [selection, setSelection] = useState(() => selectionFrom(route.parameters, site));
  const [chosen, setChosen] = useChosenColumns(definition.name);
  const { columns } = definition;

  const select = (change: Partial<Selection>): void => {
    const changed = { ...selection, ...change };
    setSelection(changed);
    replaceParameters(route, selectionToParameters(changed));
  };
  useEffect(() => setSelection(selectionFrom(route.parameters, site)), [route, site]);

  const allowed = useMemo(() => allowedColumns(columns, truth), [columns, truth]);
  const visible = allowed.filter(({ key, optional = false }) => chosen.get(key) ?? !optional);
  const { sort, descending, query, facets } = selection;
  const sorted = useMemo(
    () => sortItems(dataset.items.values(), allowed, { sort, descending }),
    [dataset, dataset.version, allowed, sort, descending],
  );
  const found = useMemo(
    () => filterItems(sorted, allowed, { query, facets: new Map(), site: selection.site }, truth),
    [sorted, allowed, query, selection.site, truth],
  );
  const items = useMemo(
    () => filterItems(found, allowed, { query: '', facets, site: null }, truth),
    [found, allowed, facets, truth],
  );

  return (
    <div class="table-view">
      <div class="toolbar">
        <SearchField value={query} table={definition.name} onChange={(text) => select({ query: text })} />
        <Facets
          columns={allowed.filter(
            (column) => column.facet === true && (chosen.get(column.key) ?? column.optional !== true),
          )}
          items={found}
          facets={facets}
          onChange={(changed) => select({ facets: changed })}
        />
        {(query !== '' || facets.size > 0) && (
          <button type="button" class="plain" onClick={() => select({ query: '', facets: new Map() })}>
            {t('table_show_all')}
          </button>
        )}
        <Menu title={t('table_columns')}>
          {allowed.map(({ key, title, optional = false }) => (
            <label key={key}>
              <input
                type="checkbox"
                checked={chosen.get(key) ?? !optional}
                onChange={({ currentTarget }) => setChosen(key, currentTarget.checked)}
              />
              {title}
            </label>
          ))}
        </Menu>
        <ExportMenu definition={definition} columns={visible} items={items} />
        <Counter items={items.length} dataset={dataset} table={definition.name} />
      </div>
      {items.length === 0 && dataset.isComplete ? (
        <Empty>
          {dataset.items.size === 0
            ? emptyWords(overview, definition.empty)
            : t('table_no_match', { table: definition.name })}
        </Empty>
      ) : (
        <DataTable
          label={definition.title}
          nameOf={(id) => t('table_row', { table: definition.name, id })}
          columns={visible}
          items={items}
          sort={sort}
          descending={descending}
          onSort={(key) => select({ sort: key, descending: sort === key ? !descending : false })}
          addressOf={(id) => routeTo([definition.name, id])}
        />
      )}
    </div>
  );
}

/** `/` focuses it from anywhere in the view. */
function SearchField({
  value,
  table,
  onChange,
}: {
  readonly value: string;
  readonly table: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      id="search"
      value={value}
      placeholder={t('table_search')}
      aria-label={t('table_search_every', { table })}
      spellcheck={false}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const Counter = ({
  items,
  dataset,
  table,
}: {
  readonly items: number;
  readonly dataset: {
    readonly items: ReadonlyMap<number, Item>;
    readonly total: number;
    readonly isComplete: boolean;
  };
  readonly table: string;
}): JSX.Element => (
  <span class="count" id="count" role="status">
    {!dataset.isComplete
      ? t('table_reading', { n: dataset.items.size })
      : items === dataset.items.size
        ? t('table_count', { table, n: items })
        : t('table_count_shown', { table, shown: items, n: dataset.items.size })}
  </span>
);

function ExportMenu<Row>({
  definition,
  columns,
  items,
}: {
  readonly definition: TableDefinition<Row>;
  readonly columns: readonly { readonly key: string; readonly as?: string }[];
  readonly items: readonly Item[];
}): JSX.Element {
  const { name, columns: all } = definition;
  return (
    <Menu title={t('table_export')}>
      <span class="soft small">{t('table_export_what')}</span>
      <button
        type="button"
        class="plain"
        onClick={() => download(`cointoss-${name}.csv`, 'text/csv', toCsv(columns, items, all))}
      >
        {t('table_csv')}
      </button>
      <button
        type="button"
        class="plain"
        onClick={() =>
          download(
            `cointoss-${name}.json`,
            'application/json',
            JSON.stringify(toJsonRows(columns, items, all), null, 2),
          )
        }
      >
        {t('table_json')}
      </button>
    </Menu>
  );
}

/** The columns that a person chose for a table, stored for the next visit. */
function useChosenColumns(
  name: string,
): readonly [ReadonlyMap<string, boolean>, (key: string, wanted: boolean) => void] {
  const storageKey = `columns ${name}`;
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(() => readChoice(storageKey));
  return [
    chosen,
    (key, wanted) => {
      const changed = new Map(chosen).set(key, wanted);
      localStorage.setItem(storageKey, JSON.stringify([...changed]));
      setChosen(changed);
    },
  ];
}

function readChoice(storageKey: string): ReadonlyMap<string, boolean> {
  try {
    return new Map(JSON.parse(localStorage.getItem(storageKey) ?? '[]') as [string, boolean][]);
  } catch {
    return new Map();
  }
}
