import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The names with which something waits, or is a promise. */
function waits(text: string): string[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AsyncKeyword) found.push('async');
    if (node.kind === ts.SyntaxKind.AwaitKeyword || ts.isAwaitExpression(node)) found.push('await');
    if (ts.isIdentifier(node) && /^(Promise\w*|then|queueMicrotask|setTimeout)$/.test(node.text))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test.each([
  'const read = async () => 1;',
  'async function read() {}',
  'for await (const row of rows) use(row);',
  'await rows;',
  'const read = (): Promise<number> => rows;',
  'rows.then(use);',
])('%s waits', (text) => expect(waits(text)).not.toEqual([]));

test('nothing in src/ waits: transactions/ asks the stores', () => {
  const folder = path.resolve('src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const waiting = files.filter((file) => waits(readFileSync(path.join(folder, file), 'utf8')).length > 0);
  expect(files.length).toBeGreaterThan(50);
  expect(waiting).toEqual([]);
});
