import type { Cell, Item, Placed } from './table';

/** Which rows of a table are shown, and in which order. */
export interface Selection {
  readonly query: string;
  /** The allowed values by column; a column without an entry may have any. */
  readonly facets: ReadonlyMap<string, ReadonlySet<string>>;
  /** `id`, or the key of a column. */
  readonly sort: string;
  readonly descending: boolean;
  /** Only rows about this site; null for all. */
  readonly site: string | null;
}

/** The column's index in an item's cells; -1 when the column is not allowed. */
const placeOf = (columns: readonly Placed[], key: string): number =>
  columns.find((column) => column.key === key)?.index ?? -1;

const facetValue = (cell: Cell): string => (cell === null ? '' : String(cell));

export function sortItems(
  items: Iterable<Item>,
  columns: readonly Placed[],
  { sort, descending }: Pick<Selection, 'sort' | 'descending'>,
): Item[] {
  const index = placeOf(columns, sort);
  const sign = descending ? -1 : 1;
  const sorted = [...items];
  return index < 0
    ? sorted.sort((a, b) => sign * (a.id - b.id))
    : sorted.sort((a, b) => sign * compare(a.cells[index] ?? null, b.cells[index] ?? null) || b.id - a.id);
}

/** Null sorts first. Numbers sort by size, including decimal strings that are too long for a number type. */
function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  if (isDigits(left) && isDigits(right) && left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

const isDigits = (text: string): boolean => /^\d+$/.test(text);

/**
 * The items that match a selection, in their given order.
 * @param truth whether to search what only debug mode shows, too
 */
export function filterItems(
  items: readonly Item[],
  columns: readonly Placed[],
  selection: Pick<Selection, 'query' | 'facets' | 'site'>,
  truth: boolean,
): readonly Item[] {
  const words = selection.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const wanted = [...selection.facets].map(([key, values]) => ({ index: placeOf(columns, key), values }));
  const { site } = selection;
  if (words.length === 0 && wanted.length === 0 && site === null) return items;
  return items.filter(
    ({ text, truthText, cells, sites }) =>
      (site === null || sites.includes(site)) &&
      wanted.every(({ index, values }) => values.has(facetValue(cells[index] ?? null))) &&
      words.every((word) => (truth ? truthText : text).includes(word)),
  );
}

/** How often each value of a column occurs, the most frequent first. */
export function facetCounts(
  items: readonly Item[],
  columns: readonly Placed[],
  key: string,
): readonly (readonly [value: string, count: number])[] {
  const index = placeOf(columns, key);
  const counts = new Map<string, number>();
  for (const { cells } of items) {
    const value = facetValue(cells[index] ?? null);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** A selection as part of an address: `?q=shop&sort=-time&is.type=event`. @param order how the table is sorted at first */
export function selectionToParameters(
  { query, facets, sort, descending }: Selection,
  order = 'id',
): URLSearchParams {
  const parameters = new URLSearchParams();
  if (query !== '') parameters.set('q', query);
  if (sort !== order || !descending) parameters.set('sort', `${descending ? '-' : ''}${sort}`);
  for (const [key, values] of facets) for (const value of values) parameters.append(`is.${key}`, value);
  return parameters;
}

export function selectionFrom(parameters: URLSearchParams, site: string | null, order = 'id'): Selection {
  const sort = parameters.get('sort') ?? `-${order}`;
  const facets = new Map<string, Set<string>>();
  for (const [name, value] of parameters) {
    if (!name.startsWith('is.')) continue;
    const key = name.slice(3);
    facets.set(key, (facets.get(key) ?? new Set()).add(value));
  }
  return {
    query: parameters.get('q') ?? '',
    facets,
    sort: sort.replace(/^-/, ''),
    descending: sort.startsWith('-'),
    site,
  };
}
