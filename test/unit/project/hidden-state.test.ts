import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const COLLECTIONS = ['Map', 'Set', 'WeakMap', 'WeakSet', 'Array', 'Memory', 'Caches'];
const MAKES_A_CACHE = /^remembered/;

const isReadonly = (type: ts.TypeNode | undefined): boolean =>
  type !== undefined && /^(readonly |Readonly)/.test(type.getText());

/** What of an expression is computed when the module is loaded, and can change later. */
function changeable(node: ts.Node): string[] {
  if (ts.isFunctionLike(node)) return [];
  if (ts.isAsExpression(node) && node.type.getText() === 'const') return [];
  const own =
    (ts.isNewExpression(node) && COLLECTIONS.includes(node.expression.getText())) ||
    (ts.isCallExpression(node) && MAKES_A_CACHE.test(node.expression.getText())) ||
    // An empty list is there to be filled. One in a record of defaults is not.
    (ts.isArrayLiteralExpression(node) &&
      node.elements.length === 0 &&
      ts.isVariableDeclaration(node.parent));
  if (own) return [node.getText()];
  const found: string[] = [];
  ts.forEachChild(node, (child) => void found.push(...changeable(child)));
  return found;
}

/** What a module keeps from one call of its functions to the next. */
function hiddenState(text: string): string[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022, true);
  return source.statements.flatMap((statement) => {
    if (ts.isClassDeclaration(statement))
      return statement.members
        .filter((member) => ts.isPropertyDeclaration(member))
        .filter(({ modifiers = [] }) => modifiers.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword))
        .filter(({ type }) => !isReadonly(type))
        .flatMap(({ initializer }) => (initializer === undefined ? [] : changeable(initializer)));
    if (!ts.isVariableStatement(statement)) return [];
    const { flags, declarations } = statement.declarationList;
    if ((flags & ts.NodeFlags.Const) === 0) return [statement.getText()];
    return declarations.flatMap(({ type, initializer }) =>
      initializer === undefined || isReadonly(type) ? [] : changeable(initializer),
    );
  });
}

test.each([
  'let last = 0;',
  'export var last = 0;',
  'const known = new Map<string, number>();',
  'const known = { byId: new WeakMap() };',
  'const rows: bigint[][] = [];',
  'export const siteOf = remembered((origin: string) => origin);',
  'const caches = new Caches();',
  'class Table { static readonly known = new Set(); }',
])('%s is found', (text) => expect(hiddenState(text)).not.toEqual([]));

test.each([
  'const NAMES: ReadonlySet<string> = new Set(["a"]);',
  'const NONE: readonly string[] = [];',
  'const names = ["a", "b"] as const;',
  'const make = () => new Map();',
  'class Table { readonly rows = new Map(); }',
  'function count() { let all = 0; return all; }',
])('%s is not', (text) => expect(hiddenState(text)).toEqual([]));

test.each(['src', 'transactions', 'w3c', 'formats', 'recording'])(
  'no module of %s keeps anything: caches are handed in (src/work.ts)',
  (room) => {
    const folder = path.join(__dirname, '../../..', room);
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) =>
        hiddenState(readFileSync(path.join(folder, name), 'utf8')).map((what) => `${room}/${name}: ${what}`),
      );
    expect(found).toEqual([]);
  },
);
