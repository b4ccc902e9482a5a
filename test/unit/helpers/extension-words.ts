import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(__dirname, '../../../extension');

export interface ParsedFile {
  /** As below `extension/`. */
  readonly name: string;
  readonly tree: ts.SourceFile;
}

/** Every TypeScript file of the extension. */
export const extensionFiles = (): readonly ParsedFile[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(root, name), 'utf8');
      return { name, tree: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) };
    });

/** A node and everything in it. */
function nodesOf(node: ts.Node): readonly ts.Node[] {
  return [node, ...node.getChildren().flatMap(nodesOf)];
}

/** Each string that is written out in a file. */
export const stringsOf = (tree: ts.Node): readonly string[] =>
  nodesOf(tree).flatMap((node) => (ts.isStringLiteralLike(node) ? [node.text] : []));

/** A call of `t` or `rich`, or of the browser's own function. */
export interface MessageUse {
  /** Several where a condition decides. */
  readonly names: readonly string[];
  /** The values that are given; null where the code does not say them one by one. */
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

/** Of `x ? 'a' : 'b'` both results, and nothing of what the condition compares. */
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

/** What of a file's elements a person would read or hear in the language of its author. */
export const unnamedWords = (tree: ts.SourceFile): readonly string[] =>
  nodesOf(tree).flatMap((node) => {
    if (ts.isJsxText(node)) return isWords(node.text) ? [node.text.trim()] : [];
    const isShown =
      (ts.isJsxAttribute(node) && shown.includes(node.name.getText())) ||
      (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent));
    return isShown ? directWords(node).filter(isWords) : [];
  });

/** Texts that are written out, in a template or as what a condition chooses. */
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
