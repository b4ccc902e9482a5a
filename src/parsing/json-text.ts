import { printParseErrorCode, visit, type ParseError } from 'jsonc-parser';
import type { Json } from '../model/json';
import type { JsonProblem } from '../model/mistakes';

/** As in Chromium's JSON reader. Deeper values would overflow the stack. */
const MAX_DEPTH = 200;

export interface JsonText {
  /** Null if there is a problem. */
  readonly value: Json;
  /** Null if the text is JSON. */
  readonly problem: JsonProblem | null;
  /** Paths of repeated fields; the later one counts. */
  readonly repeated: readonly string[];
}

/** Reads JSON. Reports no messages of the browser's parser, which differ and may lack a place. */
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

/** The place of a mistake and jsonc-parser's name for it. */
export function jsonProblem(text: string, { error, offset }: ParseError): JsonProblem {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (before.at(-1) ?? '').length + 1;
  return {
    code: 'json-syntax',
    values: { line: before.length, column, error: printParseErrorCode(error) },
  };
}

class TooDeep extends Error {}

/** The first mistake, and the repeated fields. */
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

/** In the form of `Place`: `event_trigger_data[0].priority`. */
const pathOf = (segments: readonly (string | number)[]): string =>
  segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
