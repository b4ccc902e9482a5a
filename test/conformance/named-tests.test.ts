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
