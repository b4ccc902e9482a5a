import { CellError } from '../../../analysis/simulation/cells';
import { EventTemplate, SitesOfCells } from '../../../analysis/simulation/filled-template';
import { siteOfUrl } from '../../../src/model/site';

/** The sites of rows, each with a cell for each column of the template. */
function sitesOf(template: string, rows: readonly (readonly string[])[], columns = ['c']): unknown[] {
  const filling = new EventTemplate(template, new SitesOfCells(new Set()));
  return rows.map((row) =>
    siteOfUrl(JSON.parse(filling.filled((column) => row[columns.indexOf(column)] ?? '')) as string),
  );
}

/** What is said of a column of cells. */
function refusalOf(template: string, cells: readonly string[]): string | null {
  try {
    sitesOf(
      template,
      cells.map((cell) => [cell]),
    );
    return null;
  } catch (error) {
    if (error instanceof CellError) return error.message;
    throw error;
  }
}

const NAMES = 'a+b a&b men\'s a(b) x~y 50$ a=b a;b a,b a!b a*b a"b `a` {a} 👟 é 東京 none Nan'.split(' ');

test('names with signs that hosts may have make a site each', () => {
  const sites = sitesOf(
    'https://c-{c}.example',
    NAMES.map((name) => [name]),
  );
  expect(sites).not.toContain(null);
  expect(new Set(sites).size).toBe(NAMES.length);
});

test.each<[string, readonly string[], string]>([
  [
    'https://{c}',
    ['shop.example', 'Shop.example', 'shop.example/', 'shop.example/sale', 'shop.example:8443/x?y@z#%'],
    'https://shop.example',
  ],
  [
    'https://www.{c}',
    ['nike.com', 'Nike.com', 'nike.com/shoes', 'nike.com:8443', 'shop.nike.com?a=/b'],
    'https://nike.com',
  ],
  ['https://{c}:8443/x', ['shop.example', 'Shop.example'], 'https://shop.example'],
  ['https://{c}.shop.example', ['a', 'A', 'a.b', 'b-1'], 'https://shop.example'],
  // What is written is what counts, not the cell.
  ['https://c-{c:5}.example', ['Shoes/1', 'Shoes.2', 'Shoes'], 'https://c-shoes.example'],
  ['https://c-{c:ceil}.example', ['4.5', '5', '4.25'], 'https://c-5.example'],
])('%s with %j is one site', (template, cells, site) => {
  expect(
    sitesOf(
      template,
      cells.map((cell) => [cell]),
    ),
  ).toEqual(cells.map(() => site));
});

const IN_NAME = 'https://c-{c}.example';

test.each<[string, readonly string[], RegExp]>([
  ...['a/1', 'a\\1', 'a#1', 'a?1', 'x@1', 'a%2E1', 'a:1'].map((cell): [string, string[], RegExp] => [
    IN_NAME,
    [cell],
    /must be without "\/", /,
  ]),
  ['https://www.{c}', ['shoes/1'], /must be without "\/", /],
  ['https://{c}', ['user@shop.example'], /must be without "\/", /],
  ['https://{c}', ['https://shop.example'], /must be without "\/", /],
  ...['300.5', 'a\u30025'].map((cell): [string, string[], RegExp] => [
    IN_NAME,
    [cell],
    /must be without a dot/,
  ]),
  [IN_NAME, ['a b'], /must be part of a URL/],
  [IN_NAME, ['NULL'], /must be given/],
  ...[
    ['Shoes', 'shoes'],
    ['①', '1'],
    ['ab', 'a\u00ADb'],
    ['ab', 'a\tb'],
    ['ẞ', 'ss'],
  ].map((cells): [string, string[], RegExp] => [
    IN_NAME,
    cells,
    /must be written as in an earlier row, which made "c-/,
  ]),
])('%s with %j is refused', (template, cells, says) => {
  expect(refusalOf(template, cells)).toMatch(says);
});

test('the refusal names the columns that make a host, and the host', () => {
  const rows = [
    ['Shoes', 'uk'],
    ['shoes', 'uk'],
  ];
  expect(() => sitesOf('https://{kind}-{land}.example', rows, ['kind', 'land'])).toThrow(
    'column "kind" and "land": must be written as in an earlier row, which made "Shoes-uk.example", because both name the same site in "https://{kind}-{land}.example", was "shoes-uk.example"',
  );
});

test('the templates of a map compare their spellings', () => {
  const sites = new SitesOfCells(new Set());
  const [source, trigger] = [1, 2].map(() => new EventTemplate(IN_NAME, sites));
  source?.filled(() => 'Shoes');
  expect(() => trigger?.filled(() => 'shoes')).toThrow('which made "c-Shoes.example"');
});

test.each<[string, readonly (readonly string[])[], readonly string[]]>([
  [
    'https://{sub}.shop-{c}.example',
    [
      ['WWW', 'a'],
      ['www', 'a'],
    ],
    ['sub', 'c'],
  ],
  [
    'https://c-{c}.example:{port}',
    [
      ['a', '8080'],
      ['a', '8443'],
    ],
    ['c', 'port'],
  ],
  [
    'https://{c}:{port}',
    [
      ['www.Shop.example', '8080'],
      ['www.shop.example', '8443'],
    ],
    ['c', 'port'],
  ],
  [
    'https://{c}-{d}',
    [
      ['a', 'Shop.example'],
      ['a', 'shop.example:8443/sale'],
    ],
    ['c', 'd'],
  ],
  [
    'https://{c}{d}.example',
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    ['c', 'd'],
  ],
])('%s: only the spelling of cells that reach the site is compared', (template, rows, columns) => {
  const [one, two] = sitesOf(template, rows, [...columns]);
  expect(one).not.toBe(null);
  expect(two).toBe(one);
});

test('the constant text of templates may differ in capitals, and the cells may not', () => {
  const sites = new SitesOfCells(new Set());
  const [source, trigger] = ['https://Shop-{c}.example', 'https://www.shop-{c}.EXAMPLE:8443'].map(
    (template) => new EventTemplate(template, sites),
  );
  source?.filled(() => 'Hats');
  expect(() => trigger?.filled(() => 'Hats')).not.toThrow();
  expect(() => trigger?.filled(() => 'hats')).toThrow(
    'which made "shop-Hats.example", because both name the same site',
  );
});

test.each<[string, string, string[], string, string[]]>([
  [
    'constant text in one and a cell in the other',
    'https://Shop-{c}.example',
    ['1'],
    'https://{c}.example',
    ['Shop-1'],
  ],
  [
    'a domain in one and a part of one in the other',
    'https://{c}-{d}',
    ['a', 'Example.com'],
    'https://{c}.com',
    ['a-Example'],
  ],
])('templates that make the same text make the same site: %s', (_, one, cells, other, others) => {
  const sites = new SitesOfCells(new Set());
  const filled = [[one, cells] as const, [other, others] as const].map(([template, row]) =>
    new EventTemplate(template, sites).filled((column) => row[['c', 'd'].indexOf(column)] ?? ''),
  );
  expect(filled[1]).toBe(filled[0]);
});

test('the port is checked, and only the columns of the site are named', () => {
  const template = 'https://{sub}.shop-{c}.example:{port}';
  const of = (rows: readonly (readonly string[])[]) => (): unknown =>
    sitesOf(template, rows, ['sub', 'c', 'port']);
  expect(of([['www', 'a', '8443@evil.example']])).toThrow('column "port": must be without "/"');
  expect(of([['www', 'a', '']])).toThrow('column "port": must be given');
  expect(
    of([
      ['www', 'Hats', '80'],
      ['m', 'hats', '81'],
    ]),
  ).toThrow('column "c": must be written as in an earlier row, which made "shop-Hats.example"');
});
