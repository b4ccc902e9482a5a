import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../node/root';

const docs = path.join(root, 'docs');
const textOf = (name: string): string => readFileSync(path.join(docs, name), 'utf8');

interface NamedTest {
  readonly file: string;
  readonly titles: readonly string[];
}

/** The test files that a text names, each with the titles in “…” that follow it. */
const namedTests = (text: string): readonly NamedTest[] =>
  [...text.matchAll(/\b(test\/[\w/-]+\.test\.ts)\b`?((?: “[^”]+”)*)/g)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }));

/** What is missing of these tests: a file, or a title that is no whole string of its file. */
function missing(named: readonly NamedTest[]): readonly string[] {
  return named.flatMap(({ file, titles }) => {
    if (!existsSync(path.join(root, file))) return [file];
    const source = readFileSync(path.join(root, file), 'utf8');
    const isThere = (title: string): boolean =>
      ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
    return titles.filter((title) => !isThere(title)).map((title) => `${file} “${title}”`);
  });
}

test.each(readdirSync(docs).filter((name) => name.endsWith('.md')))(
  'every test that docs/%s names is there',
  (name) => expect(missing(namedTests(textOf(name)))).toEqual([]),
);

test('a file and a title that are not there are found', () => {
  const here = 'test/conformance/named-tests.test.ts';
  const named = (title: string): string => '`' + here + '` “' + title + '”';
  expect(missing(namedTests(named('a file and a title that are not there are found')))).toEqual([]);
  const wrong = ['a file', 'and nowhere'].join(' ');
  expect(missing(namedTests(named(wrong)))).toEqual([`${here} “${wrong}”`]);
  const gone = here.replace('named', 'gone');
  expect(missing(namedTests('`' + gone + '` “x”'))).toEqual([gone]);
});

test.each([['threat-model.md'], ['reliability.md']])('docs/%s names tests', (name) => {
  expect(textOf(name)).toMatch(/test\/e2e\/\w+\.test\.ts/);
});

/** The rows of tables with a column "Test". */
const promises = (name: string): readonly string[] => {
  const rows: string[] = [];
  let isPromise = false;
  for (const line of textOf(name).split('\n')) {
    if (!line.startsWith('|')) isPromise = false;
    else if (/\| Test +\|$/.test(line)) isPromise = true;
    else if (isPromise && !/^\| -+/.test(line)) rows.push(line);
  }
  return rows;
};

test('each promise of docs/reliability.md names a test', () => {
  const rows = promises('reliability.md');
  expect(rows.length).toBeGreaterThan(10);
  const without = rows.filter((row) => !/`test\/[\w/-]+\.test\.ts` +\|$/.test(row));
  expect(without.map((row) => row.split('|')[1]?.trim())).toEqual([]);
});

test('each attack of docs/threat-model.md names its tests', () => {
  const rows = promises('threat-model.md');
  expect(rows.length).toBeGreaterThan(30);
  const tests = String.raw`\`test\/[\w/-]+\.test\.ts\`(?: “[^”]+”)*`;
  const wellFormed = new RegExp(String.raw`\| ${tests}(?: ${tests})* +\|$`);
  expect(rows.filter((row) => !wellFormed.test(row))).toEqual([]);
});
