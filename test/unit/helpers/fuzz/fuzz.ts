import { isJsonObject, type Json } from '../../../../src/model/json';
import type { Issue } from '../../../../formats/codec/mistakes';
import { english } from '../../../../words/english';
import { readJsonText } from '../../../../formats/codec/json-text';
import { Dice } from './mutations';
import type { FuzzedParser } from './parsers';
import { canonical } from '../../../../formats/codec/plain-json';

/** The errors and the warnings of two readings, each with one that counts the others. */
const MOST_ISSUES = 2 * 21;
const LONGEST_ISSUE = 2000;

/** Throws for an object that is not as JSON makes it, and for a number that JSON cannot write. */
function checkSound(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`the number ${value}`);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) value.forEach(checkSound);
  else if (Object.prototype.toString.call(value) === '[object Map]')
    (value as ReadonlyMap<unknown, unknown>).forEach((item, key) => {
      checkSound(key);
      checkSound(item);
    });
  else {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Objects come from several realms.
    if (!Object.hasOwn(prototype ?? {}, 'hasOwnProperty'))
      throw new Error('an object with a foreign prototype');
    Object.values(value).forEach(checkSound);
  }
}

function checkIssues(issues: readonly Issue[]): void {
  if (issues.length > MOST_ISSUES) throw new Error(`${issues.length} issues`);
  const { length } = JSON.stringify(issues);
  if (length > issues.length * LONGEST_ISSUE + 2) throw new Error(`issues of ${length} characters`);
}

/** Puts the issues into words, which takes long. */
function checkWords(issues: readonly Issue[]): void {
  for (const issue of issues)
    if (english.mistakeText(issue).length < 5) throw new Error(`an issue without words: ${issue.code}`);
}

/** Every path within a document, written as issues write them; the document itself is the empty path. */
function pathsOf(value: Json, path = '', paths = new Set<string>()): Set<string> {
  paths.add(path);
  if (Array.isArray(value))
    (value as readonly Json[]).forEach((item, index) => pathsOf(item, `${path}[${index}]`, paths));
  else if (isJsonObject(value))
    for (const [key, item] of Object.entries(value))
      pathsOf(item, path === '' ? key : `${path}.${key}`, paths);
  return paths;
}

function checkPlaces(text: string, issues: readonly Issue[]): void {
  const { value, problem } = readJsonText(text);
  if (problem !== null) return;
  const paths = pathsOf(value);
  for (const { path } of issues)
    if (!paths.has(path) && !path.includes('…')) throw new Error(`no such place: ${path}`);
}

function checkFixpoint({ read, write }: FuzzedParser, value: unknown): void {
  if (write === undefined) return;
  const written = write(value as never);
  const again = read(JSON.stringify(written));
  if (again.value === null)
    throw new Error(`the canonical form is refused: ${english.issuesText(again.errors)}`);
  if (canonical(write(again.value as never)) !== canonical(written))
    throw new Error('the canonical form changes');
}

/** @param words whether to put the issues into words as well */
function check(parser: FuzzedParser, text: string, words: boolean): boolean {
  const { value, errors, warnings } = parser.read(text);
  if (value !== null && errors.length > 0) throw new Error('a value in spite of errors');
  const issues = [...errors, ...warnings];
  checkIssues(issues);
  if (words) checkWords(issues);
  if (words && parser.precise) checkPlaces(text, issues);
  if (value === null) return false;
  checkSound(value);
  checkFixpoint(parser, value);
  return true;
}

export interface Fuzzed {
  readonly accepted: number;
  /** The first few inputs with what went wrong. */
  readonly findings: readonly string[];
}

/** Reads `count` mutations of the parser's seeds, the same ones for the same seed. */
export function fuzz(parser: FuzzedParser, count: number, seed: number): Fuzzed {
  const dice = new Dice(seed);
  const findings: string[] = [];
  let accepted = 0;
  for (let index = 0; index < count && findings.length < 5; index++) {
    const text = parser.mutate(dice, dice.pick(parser.seeds));
    try {
      if (check(parser, text, index % 20 === 0)) accepted += 1;
    } catch (error) {
      findings.push(
        `${error instanceof Error ? (error.stack ?? '').split('\n', 3).join(' ') : String(error)}: ${text.slice(0, 3000)}`,
      );
    }
  }
  return { accepted, findings };
}
