import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  filterItems,
  selectionFrom,
  selectionToParameters,
  sortItems,
  type Selection,
} from '../../tables/select';
import { allowedColumns, type Item, type TableDefinition } from '../../tables/table';
import { t } from '../../../i18n';
import { replaceParameters, routeTo, type Route } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { emptyWords } from '../../words/empty-words';
import { Empty } from '../../ui/basics';
import { DataTable } from '../../ui/data-table';
import { TableTools } from './table-tools';

/** One table: search, what to show, and the rows. The selection is in the address. */
export function TableView<Row>({
  definition,
  route,
}: {
  readonly definition: TableDefinition<Row>;
  readonly route: Route;
}): JSX.Element {
  const { overview, truth, site } = useSession();
  const dataset = useDataset(definition);
  const [selection, setSelection] = useState(() => selectionFrom(route.parameters, site, definition.order));
  const [chosen, setChosen] = useChosenColumns(definition.name);
  const { columns } = definition;

  const select = (change: Partial<Selection>): void => {
    const changed = { ...selection, ...change };
    setSelection(changed);
    replaceParameters(route, selectionToParameters(changed, definition.order));
  };
  useEffect(
    () => setSelection(selectionFrom(route.parameters, site, definition.order)),
    [route, site, definition],
  );

  const allowed = useMemo(() => allowedColumns(columns, truth), [columns, truth]);
  const isVisible = ({
    key,
    optional = false,
  }: {
    readonly key: string;
    readonly optional?: boolean;
  }): boolean => chosen.get(key) ?? !optional;
  const visible = allowed
    .filter(isVisible)
    .map((column) => ({ ...column, chosen: chosen.get(column.key) === true }));
  const [withoutRoom, setWithoutRoom] = useState<readonly string[]>([]);
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
        <TableTools
          definition={definition}
          columns={allowed}
          isVisible={isVisible}
          setVisible={setChosen}
          {...{ withoutRoom, found, items, selection, select }}
        />
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
          onHidden={setWithoutRoom}
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
