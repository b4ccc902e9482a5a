import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../node/root';

const docs = path.join(root, 'docs');

test.each(readdirSync(docs).filter((name) => name.endsWith('.md')))(
  'every test that docs/%s names is there',
  (name) => {
    const named = readFileSync(path.join(docs, name), 'utf8').match(/\btest\/[\w/-]+\.test\.ts\b/g) ?? [];
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  },
);

test.each([['threat-model.md'], ['reliability.md']])('docs/%s names tests', (name) => {
  expect(readFileSync(path.join(docs, name), 'utf8')).toMatch(/test\/e2e\/\w+\.test\.ts/);
});

/** The rows of tables with a column "Test". */
const promises = (name: string): readonly string[] => {
  const rows: string[] = [];
  let isPromise = false;
  for (const line of readFileSync(path.join(docs, name), 'utf8').split('\n')) {
    if (!line.startsWith('|')) isPromise = false;
    else if (/\| Test +\|$/.test(line)) isPromise = true;
    else if (isPromise && !/^\| -+/.test(line)) rows.push(line);
  }
  return rows;
};

test.each([
  ['threat-model.md', ['the person at the device']],
  ['reliability.md', []],
])('each promise of docs/%s names a test', (name, exceptions) => {
  const rows = promises(name);
  expect(rows.length).toBeGreaterThan(10);
  const without = rows.filter((row) => !/`test\/[\w/-]+\.test\.ts` +\|$/.test(row));
  expect(without.map((row) => row.split('|')[1]?.trim())).toEqual(exceptions);
});
