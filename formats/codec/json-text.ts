import { printParseErrorCode, visit, type ParseError } from 'jsonc-parser';
import type { Json } from '../../src/model/json';
import { mistake, type Issue, type JsonProblem } from './mistakes';
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
  const value = parsedOrUndefined(text);
  if (value !== undefined && isAsWritten(value, text)) return { value, problem: null, warnings: [] };
  if (hasLongBlank(text)) return problemOf({ code: 'json-blank', values: { max: MAX_BLANK } });
  if (value === undefined) return problemOf(whyInvalid(text));
  const { isTooDeep, infinite, repeated } = ValidText.read(text);
  if (isTooDeep) return problemOf(TOO_DEEP);
  if (infinite !== null) return problemOf({ code: 'json-number', values: placeIn(text, infinite) });
  return { value, problem: null, warnings: repeated.list() };
}

const problemOf = (problem: JsonProblem): JsonText => ({ value: null, problem, warnings: [] });

const TOO_DEEP: JsonProblem = { code: 'json-depth', values: { max: MAX_DEPTH } };

/** Reads I-JSON (RFC 7493), which repeats no field: another reader of a signed document could take the other value. */
export function parseIJson(text: string): Parsed<Json> {
  const { value, problem, warnings } = readJsonText(text);
  if (problem !== null) return refused(mistake('not-json', { problem }));
  const errors = warnings.map((issue) =>
    issue.code === 'repeated-field' ? { ...mistake('field-twice'), path: issue.path } : issue,
  );
  return { value: errors.length === 0 ? value : null, errors, warnings: [] };
}

function parsedOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Whether the text is exactly what JavaScript writes for its value: then it repeats no field, and has no number that no double holds. */
const isAsWritten = (value: Json, text: string): boolean =>
  !mayBeTooDeep(text) && JSON.stringify(value) === text;

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

/** Why `JSON.parse` refuses a text. */
function whyInvalid(text: string): JsonProblem {
  let first: ParseError | null = null;
  let depth = 0;
  const enter = (): void => {
    if (++depth > MAX_DEPTH) throw new TooDeep();
  };
  const leave = (): void => void (depth -= 1);
  const onError = (error: ParseError['error'], offset: number, length: number): void =>
    void (first ??= { error, offset, length });
  const visitor = {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onError,
  };
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return TOO_DEEP;
  }
  const found = first as ParseError | null;
  if (found === null) return { code: 'json-engine', values: {} };
  const { error, offset } = found;
  return { code: 'json-syntax', values: { ...placeIn(text, offset), error: printParseErrorCode(error) } };
}

/** An object or a list, while its text is read. */
interface Level {
  readonly isObject: boolean;
  /** The fields so far. Null while there is at most one, as in most objects of a long header: then `step` holds it. */
  names: Set<string> | null;
  /** The field or index of the value that is being read; null before the first field. */
  step: string | number | null;
}

/** Finds what `JSON.parse` does not report in a text that it accepts. A header can repeat a field 10,000 times, so a field leaves little garbage. */
class ValidText {
  isTooDeep = false;
  readonly repeated = new Issues();
  /** The place of the first number that no double holds. */
  infinite: number | null = null;

  private readonly levels: Level[] = [];
  private isNameNext = false;

  private constructor(private readonly text: string) {}

  /** Reads until the end, or until it is too deep. */
  static read(text: string): ValidText {
    const found = new ValidText(text);
    for (let at = 0; at < text.length && !found.isTooDeep;) at = found.tokenEnd(at);
    return found;
  }

  private tokenEnd(at: number): number {
    const character = this.text[at] ?? '';
    if (character === '"') return this.stringEnd(at);
    if (character === '-' || isDigit(character)) return this.numberEnd(at);
    if (character === '{') this.enter({ isObject: true, names: null, step: null });
    else if (character === '[') this.enter({ isObject: false, names: null, step: 0 });
    else if (character === '}' || character === ']') this.levels.pop();
    else if (character === ',') this.next();
    return at + 1;
  }

  private enter(level: Level): void {
    this.isTooDeep = this.levels.push(level) > MAX_DEPTH;
    this.isNameNext = level.isObject;
  }

  private next(): void {
    const level = this.levels.at(-1);
    this.isNameNext = level?.isObject === true;
    if (typeof level?.step === 'number') level.step += 1;
  }

  private stringEnd(start: number): number {
    let at = start + 1;
    let isEscaped = false;
    for (; this.text[at] !== '"'; at += 1)
      if (this.text[at] === '\\') {
        isEscaped = true;
        at += 1;
      }
    if (this.isNameNext)
      this.name(
        isEscaped ? (JSON.parse(this.text.slice(start, at + 1)) as string) : this.text.slice(start + 1, at),
      );
    this.isNameNext = false;
    return at + 1;
  }

  private name(name: string): void {
    const level = this.levels.at(-1);
    if (level === undefined) return;
    const before = level.step;
    level.step = name;
    if (before === name || level.names?.has(name) === true) this.repeated.add(this.repeatedField);
    else if (typeof before === 'string') (level.names ??= new Set([before])).add(name);
  }

  private readonly repeatedField = (): Issue => ({
    ...mistake('repeated-field'),
    path: pathOf(this.levels.map(({ step }) => step ?? '')),
  });

  private numberEnd(start: number): number {
    let at = start + 1;
    while (at < this.text.length && isOfNumber(this.text[at] ?? '')) at += 1;
    if (this.infinite === null && !Number.isFinite(Number(this.text.slice(start, at)))) this.infinite = start;
    return at;
  }
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9';

const isOfNumber = (character: string): boolean =>
  isDigit(character) ||
  character === '.' ||
  character === 'e' ||
  character === 'E' ||
  character === '+' ||
  character === '-';

/** In the form of `Place`: `event_trigger_data[0].priority`. */
const pathOf = (segments: readonly (string | number)[]): string =>
  segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
