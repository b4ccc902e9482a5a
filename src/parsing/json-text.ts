import { printParseErrorCode, visit, type ParseError } from 'jsonc-parser';
import type { Json } from '../model/json';
import type { JsonProblem } from '../model/mistakes';

/** As Chromium's JSON reader has it; what is deeper would overflow the stack of whoever walks it. */
const MAX_DEPTH = 200;

/** What a text is that should be JSON. */
export interface JsonText {
  /** Null with a problem. */
  readonly value: Json;
  /** What is wrong with it and where; null when it is JSON. */
  readonly problem: JsonProblem | null;
  /** The paths of fields that are given twice, of which the later one counts. */
  readonly repeated: readonly string[];
}

/** Reads JSON. What is wrong is not said in the engine's words, which differ from browser to browser, some without a place. */
export function readJsonText(text: string): JsonText {
  let found;
  try {
    found = survey(text);
  } catch (error) {
    if (error instanceof TooDeep)
      return {
        value: null,
        problem: { code: 'json-depth', values: { max: MAX_DEPTH } },
        repeated: [],
      };
    throw error;
  }
  try {
    return { value: JSON.parse(text) as Json, problem: null, repeated: found.repeated };
  } catch {
    const problem: JsonProblem =
      found.mistake === null ? { code: 'json-engine', values: {} } : jsonProblem(text, found.mistake);
    return { value: null, problem, repeated: [] };
  }
}

/** Where in a text a mistake is, and which, as jsonc-parser names it. */
export function jsonProblem(text: string, { error, offset }: ParseError): JsonProblem {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (before.at(-1) ?? '').length + 1;
  return {
    code: 'json-syntax',
    values: { line: before.length, column, error: printParseErrorCode(error) },
  };
}

class TooDeep extends Error {}

/** The first mistake, and the fields that are given twice. */
function survey(text: string): { readonly mistake: ParseError | null; readonly repeated: readonly string[] } {
  let mistake: ParseError | null = null;
  const repeated: string[] = [];
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
        if (names?.has(name) === true) repeated.push(pathOf([...pathSupplier(), name]));
        names?.add(name);
      },
      onError: (error, offset, length) => (mistake ??= { error, offset, length }),
    },
    { disallowComments: true },
  );
  return { mistake, repeated };
}

/** As `Place` writes paths: `event_trigger_data[0].priority`. */
const pathOf = (segments: readonly (string | number)[]): string =>
  segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
