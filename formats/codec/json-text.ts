import { printParseErrorCode, visit, type ParseError } from 'jsonc-parser';
import type { Json } from '../../src/model/json';
import { mistake, type Issue, type JsonProblem } from '../../src/model/mistakes';
import { Issues, refused, type Parsed } from './issues';

/** As in Chromium's JSON reader. Deeper values would overflow the stack. */
const MAX_DEPTH = 200;
/** jsonc-parser takes 32 bytes of memory for each character of white space, and releases them only at the end. */
const MAX_BLANK = 1 << 20;

export interface JsonText {
  /** Null if there is a problem. */
  readonly value: Json;
  /** Null if the text is JSON. */
  readonly problem: JsonProblem | null;
  /** The repeated fields, of which the last one counts. */
  readonly warnings: readonly Issue[];
}

/**
 * Reads JSON. It never shows the browser's messages, which differ and may lack a place. Like Chromium's reader it refuses numbers that no
 * double holds.
 */
export function readJsonText(text: string): JsonText {
  const plain = readPlainText(text);
  if (plain !== undefined) return { value: plain, problem: null, warnings: [] };
  const refused = (problem: JsonProblem): JsonText => ({ value: null, problem, warnings: [] });
  if (hasLongBlank(text)) return refused({ code: 'json-blank', values: { max: MAX_BLANK } });
  let found;
  try {
    found = survey(text);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return refused({ code: 'json-depth', values: { max: MAX_DEPTH } });
  }
  try {
    const value = JSON.parse(text) as Json;
    return found.infinite === null
      ? { value, problem: null, warnings: found.repeated.list() }
      : refused({ code: 'json-number', values: placeIn(text, found.infinite) });
  } catch {
    if (found.mistake === null) return refused({ code: 'json-engine', values: {} });
    const { error, offset } = found.mistake;
    return refused({
      code: 'json-syntax',
      values: { ...placeIn(text, offset), error: printParseErrorCode(error) },
    });
  }
}

/** Reads I-JSON (RFC 7493), which repeats no field: another reader of a signed document could take the other value. */
export function parseIJson(text: string): Parsed<Json> {
  const { value, problem, warnings } = readJsonText(text);
  if (problem !== null) return refused(mistake('not-json', { problem }));
  const errors = warnings.map((issue) =>
    issue.code === 'repeated-field' ? { ...mistake('field-twice'), path: issue.path } : issue,
  );
  return { value: errors.length === 0 ? value : null, errors, warnings: [] };
}

/** The value, if the text is exactly what JavaScript writes for it: then it repeats no field, and has no number that no double holds. */
function readPlainText(text: string): Json | undefined {
  if (mayBeTooDeep(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the nesting may exceed the limit; `readJsonText` decides. Each level takes at least two characters. */
export const mayBeTooDeep = (text: string): boolean =>
  text.length > 2 * MAX_DEPTH && countOf('{', text) + countOf('[', text) > MAX_DEPTH;

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Whether a text has more white space in a row than the limit. */
export function hasLongBlank(text: string): boolean {
  // White space that is too long contains one of these positions.
  for (let place = MAX_BLANK; place < text.length; place += MAX_BLANK) {
    let [start, end] = [place, place];
    while (start > place - MAX_BLANK && isBlank(text[start - 1])) start -= 1;
    while (end < text.length && end - start <= MAX_BLANK && isBlank(text[end])) end += 1;
    if (end - start > MAX_BLANK) return true;
  }
  return false;
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Both counted from 1. */
function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

class TooDeep extends Error {}

interface Survey {
  /** jsonc-parser's first. */
  readonly mistake: ParseError | null;
  readonly repeated: Issues;
  /** The place of the first number that no double holds. */
  readonly infinite: number | null;
}

function survey(text: string): Survey {
  let first: ParseError | null = null;
  let infinite: number | null = null;
  const repeated = new Issues();
  const seen: Set<string>[] = [];
  const enter = (): void => {
    if (seen.push(new Set()) > MAX_DEPTH) throw new TooDeep();
  };
  const leave = (): void => void seen.pop();
  visit(
    text,
    {
      onObjectBegin: enter,
      onObjectEnd: leave,
      onArrayBegin: enter,
      onArrayEnd: leave,
      onObjectProperty: (name, _offset, _length, _line, _column, pathSupplier) => {
        const names = seen.at(-1);
        if (names?.has(name) === true)
          repeated.add(() => ({ ...mistake('repeated-field'), path: pathOf([...pathSupplier(), name]) }));
        names?.add(name);
      },
      onLiteralValue: (value: unknown, offset) => {
        if (value === Infinity || value === -Infinity) infinite ??= offset;
      },
      onError: (error, offset, length) => (first ??= { error, offset, length }),
    },
    { disallowComments: true },
  );
  return { mistake: first, repeated, infinite };
}

/** In the form of `Place`: `event_trigger_data[0].priority`. */
const pathOf = (segments: readonly (string | number)[]): string =>
  segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
