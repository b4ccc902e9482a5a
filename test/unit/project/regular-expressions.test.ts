import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { filesOf } from '../helpers/costs/sources';

/*
 * Every regular expression of what is shipped takes linear time, or stands here with what bounds its input. `recheck` decides: it builds the
 * automaton of a search, which begins at every character, and finds two loops that can match the same text. So a new expression that takes
 * longer fails, and so does one that it cannot read, and one that is put together from variables.
 */

/** Those that `recheck` cannot read, because they look ahead. `costs.test.ts` measures them. */
const measured: ReadonlySet<string> = new Set([
  // No part of it can fail after its first digit.
  String.raw`/\d+(?:[.,'\u2019]\d+|\s\d{3}(?!\d))*/`,
  // From the beginning of the text only, and each of both alternatives with one loop.
  String.raw`/^(?!https:.*:443$|http:.*:80$)(https:\/\/[a-z0-9._:[\]-]+|http:\/\/(([a-z0-9_-]+\.)*localhost\.?|127(\.\d+){3}|\[::1\])(:\d+)?)$/`,
]);

/** The files that put expressions together, all from constants or from a line that was read. `costs.test.ts` measures them. */
const composed: readonly string[] = [
  // So many characters of one class.
  'formats/codec/base64-url.ts: new RegExp(`^[\\\\w-]{${length}}$`)',
  // The fields of a line, one after the other. `recheck` finds it linear for values without brackets in brackets, and takes too long for others.
  "analysis/estimate/join/row-pattern.ts: new RegExp(`^\\\\{ ?${parts.join(', ?')}",
  // A host, word by word, and one character before and after it.
  'extension/erasing/named-sites.ts: new RegExp(`(?:(?<![a-z0-9-])|(?<=%[0-9a-f]{2}))${host}(?![a-z0-9.-])`',
  'formats/csv/formulas.ts: new RegExp(BEGINNING + FORMULA, ',
  "formats/csv/formulas.ts: new RegExp(`${BEGINNING}'${FORMULA}`, ",
  'formats/registration/templates.ts: new RegExp(`${this.name}:"(\\\\d{1,20})"`)',
  // The table of docs/design.md.
  'scripts/rooms.mjs: new RegExp(from)',
  "scripts/rooms.mjs: new RegExp(to.replace('$1', found[1]))",
  'ui/bare.ts: new RegExp(`^(https:\\\\/\\\\/|${LOOPBACK})`)',
];

interface Found {
  readonly literals: ReadonlyMap<string, string>;
  readonly composed: readonly string[];
}

function expressionsIn(files: readonly string[]): Found {
  const literals = new Map<string, string>();
  const composedIn: string[] = [];
  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      readFileSync(path.join(ROOT, file), 'utf8'),
      ts.ScriptTarget.Latest,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) literals.set(node.text, file);
      if (
        (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
        node.expression.getText(source) === 'RegExp'
      )
        composedIn.push(`${file}: ${node.getText(source)}`);
      const made = fromText(node, source);
      if (made !== null) composedIn.push(`${file}: ${made}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, composed: composedIn };
}

/** An expression that a method makes of a text: `text.match('a+')`. */
function fromText(node: ts.Node, source: ts.SourceFile): string | null {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  const [first] = node.arguments;
  const isText = first !== undefined && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first));
  return isText && /^(match|matchAll|search)$/.test(node.expression.name.text) ? node.getText(source) : null;
}

/** Scripts show and read texts of others, too. */
const shipped = filesOf('scripts', 'cli/cointoss.mjs');

const ROOT = path.join(__dirname, '../../..');

/** Read once, because that takes seconds. */
let found: Found;
beforeAll(() => (found = expressionsIn(shipped)));

/** Null if it takes linear time. */
function problemOf(literal: string): string | null {
  const end = literal.lastIndexOf('/');
  // Without a loop, each start takes a bounded number of steps.
  if (!/[*+]|,\}/.test(literal.slice(0, end))) return null;
  const checked = checkSync(literal.slice(1, end), literal.slice(end + 1), {
    checker: 'automaton',
    timeout: null,
  });
  if (checked.status === 'safe') return null;
  return checked.status === 'vulnerable' ? checked.complexity.summary : 'cannot be read';
}

test('every regular expression takes linear time', () => {
  const { literals } = found;
  expect(literals.size).toBeGreaterThan(100);
  const problems = [...literals].flatMap(([literal, file]) => {
    const problem = measured.has(literal) ? null : problemOf(literal);
    return problem === null ? [] : [`${file}: ${literal}: ${problem}`];
  });
  expect(problems).toEqual([]);
  expect([...measured].filter((literal) => !literals.has(literal))).toEqual([]);
});

test('only known files put regular expressions together', () => {
  const unknown = found.composed.filter((one) => !composed.some((known) => one.startsWith(known)));
  expect(unknown).toEqual([]);
});

test.each([
  String.raw`/#(?:.*&)?attribution-reporting=([a-z-]+)$/`,
  String.raw`/\s+$/`,
  String.raw`/\w*$/`,
  String.raw`/^(.*)a(.*)$/`,
  String.raw`/^(\d*)\.?(\d*)$/`,
  String.raw`/(a|a)*b/`,
])('%s would be found', (literal) => {
  expect(problemOf(literal)).toMatch(/polynomial|exponential/);
});
