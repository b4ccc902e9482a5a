import ts from 'typescript';
import { knownEntrances } from './known-entrances';
import { parsedFile } from './parsed';
import { filesOf } from './sources';

/** Methods that go over a text, a list or a table. */
const GOES_OVER =
  /^(map|flatMap|filter|forEach|find(Last)?(Index)?|some|every|reduce(Right)?|(lastI|i)ndexOf|includes|split|join|replace(All)?|match(All)?|search|slice|substring|concat|sort|toSorted|reverse|repeat|pad(Start|End)|trim(Start|End)?|test|exec|from|fill|fromEntries|entries|keys|values|parse|stringify|decode|encode|flat|splice|shift|unshift|startsWith|endsWith)$/;

/**
 * The names of a file's functions, methods and accessors that go over something, as V8 calls them: by a loop, a method, a spread or
 * themselves. What has no name belongs to the function around it. The others take no longer than what they call.
 */
function functionsIn(file: string): readonly string[] {
  const source = parsedFile(file);
  const found = new Set<string>();
  const visit = (node: ts.Node, around: string | null): void => {
    const name = nameOf(node) ?? around;
    if (name !== null && (goesOver(node) || isCallOf(node, name))) found.add(name);
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(source, null);
  return [...found].sort();
}

/** Tells for a place in a file, from 0 on, which function with a name is around it: empty where none is. */
export function functionAround(file: string): (line: number, column: number) => string {
  const source = parsedFile(file);
  return (line, column) => {
    const place = source.getPositionOfLineAndCharacter(line, column);
    let found = '';
    const visit = (node: ts.Node): void => {
      if (place < node.getStart() || place >= node.end) return;
      found = nameOf(node) ?? found;
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  };
}

function nameOf(node: ts.Node): string | null {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node))
    return node.name?.getText() ?? null;
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const isNamed =
    ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node);
  const value = isNamed ? node.initializer : undefined;
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))
    ? (node as ts.VariableDeclaration).name.getText()
    : null;
}

const goesOver = (node: ts.Node): boolean =>
  ts.isIterationStatement(node, false) ||
  (ts.isSpreadElement(node) && !ts.isArrayLiteralExpression(node.expression)) ||
  (ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    GOES_OVER.test(node.expression.name.text));

const isCallOf = (node: ts.Node, name: string): boolean =>
  ts.isCallExpression(node) && node.expression.getText().replace(/^this\./, '') === name;

/** The rooms where something of others comes in, beside the files of `knownEntrances`. */
const ROOMS =
  /^(extension\/(background|store|content|pages|[^/]*$)|recording|formats|collector\/(access|server|http|intake)|cli\/io|node|src\/model)/;

/** Content scripts and the extension's own pages: `functionsAtEntrances` that only a browser can run. */
export const IN_PAGES = /^extension\/(content|pages|site)\//;

/** The functions of these that go over something: `FILE: NAME`. Only these files are parsed. */
export function functionsAtEntrances(isAsked: (file: string) => boolean): readonly string[] {
  const entrances = new Set(knownEntrances.flatMap(({ at }) => at.map((one) => one.split(': ')[0])));
  return filesOf()
    .filter((file) => isAsked(file) && (ROOMS.test(file) || entrances.has(file)))
    .flatMap((file) => functionsIn(file).map((name) => `${file}: ${name}`));
}
