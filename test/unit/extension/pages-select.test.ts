import { toCsv, toJsonRows } from '../../../extension/pages/tables/export';
import {
  facetCounts,
  filterItems,
  selectionFrom,
  selectionToParameters,
  sortItems,
} from '../../../extension/pages/tables/select';
import {
  allowedColumns,
  itemOf,
  type Item,
  type TableDefinition,
} from '../../../extension/pages/tables/table';

interface Row {
  readonly name: string | null;
  readonly size: string | number | null;
  readonly at: number;
}

const definition: TableDefinition<Row> = {
  name: 'things',
  title: 'Things',
  empty: '',
  from: [],
  sites: ({ name }) => (name === null ? [] : [`https://${name}.example`]),
  columns: [
    { key: 'name', title: 'Name', value: ({ name }) => name },
    {
      key: 'size',
      title: 'Size',
      value: ({ size }) => size,
      label: (cell) => (cell === '10' ? 'Ten' : String(cell)),
    },
    { key: 'at', title: 'At', value: ({ at }) => at, as: 'time' },
    { key: 'fate', title: 'Fate', value: () => 'kept', truth: false },
    {
      key: 'exact',
      title: 'Fate',
      value: ({ at }) => (at > 1 ? 'noised' : 'kept'),
      label: (cell) => (cell === 'noised' ? 'invented' : String(cell)),
      truth: true,
    },
  ],
};

const columns = allowedColumns(definition.columns, false);
const withTruth = allowedColumns(definition.columns, true);
const items: readonly Item[] = (
  [
    ['Shop', '9', 3],
    ['blog', '10', 2],
    [null, null, 1],
    ['shop', '18446744073709551615', 0],
  ] as const
).map(([name, size, at], index) => itemOf(definition, index + 1, { name, size, at }));

const ids = (found: readonly Item[]): number[] => found.map(({ id }) => id);
const everything = { query: '', facets: new Map<string, Set<string>>(), site: null };

describe('selecting rows', () => {
  it.each([
    ['id', true, [4, 3, 2, 1]],
    ['id', false, [1, 2, 3, 4]],
    // Nothing comes first, and long numbers count as numbers.
    ['size', false, [3, 1, 2, 4]],
    ['size', true, [4, 2, 1, 3]],
    ['at', false, [4, 3, 2, 1]],
  ])('sorts by %s, descending %s', (sort, descending, expected) => {
    expect(ids(sortItems(items, columns, { sort, descending }))).toEqual(expected);
  });

  it.each([
    ['', [1, 2, 3, 4]],
    ['SHOP', [1, 4]],
    ['shop 9', [1, 4]],
    ['shop #1', [1]],
    ['10', [2]],
    // As it is shown.
    ['ten', [2]],
    ['none of these', []],
  ])('finds "%s", every word of it, in any column', (query, expected) => {
    expect(ids(filterItems(items, columns, { ...everything, query }, false))).toEqual(expected);
  });

  it('filters by values and by site', () => {
    const facets = new Map([['name', new Set(['shop', ''])]]);
    expect(ids(filterItems(items, columns, { ...everything, facets }, false))).toEqual([3, 4]);
    const site = 'https://blog.example';
    expect(ids(filterItems(items, columns, { ...everything, site }, false))).toEqual([2]);
  });

  it('counts values, the most frequent first', () => {
    expect(facetCounts([...items, ...items.slice(1, 2)], columns, 'name')).toEqual([
      ['blog', 2],
      ['', 1],
      ['Shop', 1],
      ['shop', 1],
    ]);
  });

  describe('by what only debug mode shows', () => {
    it.each([
      ['noised', [], [1, 2]],
      ['invented', [], [1, 2]],
      ['kept', [1, 2, 3, 4], [3, 4]],
    ])('finds "%s" %j outside it and %j in it', (query, outside, inside) => {
      expect(ids(filterItems(items, columns, { ...everything, query }, false))).toEqual(outside);
      expect(ids(filterItems(items, withTruth, { ...everything, query }, true))).toEqual(inside);
    });

    it.each([
      ['exact', 'noised', [], [1, 2]],
      ['fate', 'kept', [1, 2, 3, 4], []],
    ])('filters by %s = %s to %j outside it and %j in it', (key, value, outside, inside) => {
      const facets = new Map([[key, new Set([value])]]);
      expect(ids(filterItems(items, columns, { ...everything, facets }, false))).toEqual(outside);
      expect(ids(filterItems(items, withTruth, { ...everything, facets }, true))).toEqual(inside);
    });

    it('sorts by it in debug mode only, else by number', () => {
      const selection = { sort: 'exact', descending: false };
      expect(ids(sortItems(items, columns, selection))).toEqual([1, 2, 3, 4]);
      expect(ids(sortItems(items, withTruth, selection))).toEqual([4, 3, 2, 1]);
    });

    it('counts its values in debug mode only', () => {
      expect(facetCounts(items, columns, 'exact')).toEqual([['', 4]]);
      expect(facetCounts(items, withTruth, 'exact')).toEqual([
        ['kept', 2],
        ['noised', 2],
      ]);
    });
  });

  it('keeps a selection in the address', () => {
    const selection = {
      query: 'a & b=c',
      facets: new Map([
        ['name', new Set(['x y', '%'])],
        ['size', new Set([''])],
      ]),
      sort: 'at',
      descending: true,
      site: null,
    };
    const address = selectionToParameters(selection).toString();
    expect(selectionFrom(new URLSearchParams(address), null)).toEqual(selection);
    expect(selectionToParameters(selectionFrom(new URLSearchParams(), null)).toString()).toBe('');
  });
});

describe('exporting rows', () => {
  const shown = columns.filter(({ key }) => key === 'name' || key === 'at');
  const { columns: all } = definition;

  it('writes CSV that no spreadsheet runs', () => {
    const odd = itemOf(definition, 7, { name: '=1+1, "two"\nlines', size: '-5', at: 0 });
    expect(toCsv(columns, [odd], all)).toBe(
      'id,name,size,at,fate\r\n7,"\'=1+1, ""two""\nlines",-5,1970-01-01T00:00:00.000Z,kept\r\n',
    );
  });

  it.each([
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['-5\n=1+1', '"\'-5\n\'=1+1"'],
    ['x;=1+1', "x;'=1+1"],
    ['x\t@A1', "x\t'@A1"],
    ['@SUM(1)', "'@SUM(1)"],
    ['-2.5', '-2.5'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('writes the cell %j as %j', (cell, written) => {
    const item = itemOf(definition, 7, { name: cell, size: '1', at: 0 });
    expect(toCsv(columns, [item], columns)).toContain(`7,${written},1,`);
  });

  it('writes the shown columns as JSON', () => {
    expect(toJsonRows(shown, items.slice(1, 2), all)).toEqual([
      { id: 2, name: 'blog', at: '1970-01-01T00:00:00.002Z' },
    ]);
  });
});
