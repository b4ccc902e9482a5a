import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../../..');

export interface ParsedFile {
  /** Path below the folder. */
  readonly name: string;
  readonly tree: ts.SourceFile;
}

/** The sources in a folder of the project. */
export const sourcesIn = (folder: string): readonly ParsedFile[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(ROOT, folder, name), 'utf8');
      return { name, tree: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) };
    });

/** By their root, because several questions are asked of each file. */
const nodes = new WeakMap<ts.Node, readonly ts.Node[]>();

function nodesOf(root: ts.Node): readonly ts.Node[] {
  const known = nodes.get(root);
  if (known !== undefined) return known;
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  nodes.set(root, found);
  return found;
}

/** The string literals in a file. */
export const stringsOf = (tree: ts.Node): readonly string[] =>
  nodesOf(tree).flatMap((node) => (ts.isStringLiteralLike(node) ? [node.text] : []));

/** The names of properties that a file reads: `words.title`. */
export const propertiesReadIn = (tree: ts.Node): readonly string[] =>
  nodesOf(tree).flatMap((node) => (ts.isPropertyAccessExpression(node) ? [node.name.text] : []));

/** A call of `t`, `rich` or the browser's own function. */
export interface MessageUse {
  /** Several if a conditional expression chooses. */
  readonly names: readonly string[];
  /** The names of the given values; null where the code does not list them. */
  readonly values: readonly string[] | null;
}

export const messageUses = (tree: ts.SourceFile): readonly MessageUse[] =>
  nodesOf(tree).flatMap((node) => {
    if (!ts.isCallExpression(node)) return [];
    const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
    if (!ts.isIdentifier(called) || !['t', 'rich', 'getMessage'].includes(called.text)) return [];
    const [name, values] = node.arguments;
    return name === undefined ? [] : [{ names: chosenStrings(name), values: namedValues(values) }];
  });

/** For `x ? 'a' : 'b'`, both results but not the condition. */
const chosenStrings = (node: ts.Expression): readonly string[] =>
  ts.isConditionalExpression(node)
    ? [...chosenStrings(node.whenTrue), ...chosenStrings(node.whenFalse)]
    : ts.isStringLiteralLike(node)
      ? [node.text]
      : [];

function namedValues(values: ts.Expression | undefined): readonly string[] | null {
  if (values === undefined) return [];
  if (!ts.isObjectLiteralExpression(values) || values.properties.some(ts.isSpreadAssignment)) return null;
  return values.properties.map(({ name }) => name?.getText() ?? '').sort();
}

const shown = ['alt', 'aria-label', 'label', 'placeholder', 'title'];
const isWords = (text: string): boolean => /\p{L}/u.test(text);

/** Text in a file's elements that people would read or hear in the author's language. */
export const unnamedWords = (tree: ts.SourceFile): readonly string[] =>
  nodesOf(tree).flatMap((node) => {
    if (ts.isJsxText(node)) return isWords(node.text) ? [node.text.trim()] : [];
    const isShown =
      (ts.isJsxAttribute(node) && shown.includes(node.name.getText())) ||
      (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent));
    return isShown ? directWords(node).filter(isWords) : [];
  });

/** Texts in a template or in the results of a conditional expression. */
function directWords(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  if (ts.isConditionalExpression(node))
    return [...directWords(node.whenTrue), ...directWords(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return directWords(node.right);
  if (ts.isJsxAttribute(node)) return node.initializer === undefined ? [] : directWords(node.initializer);
  return ts.isJsxExpression(node) && node.expression !== undefined ? directWords(node.expression) : [];
}
