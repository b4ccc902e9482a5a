import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { expectation, mistake, shown, type Expectation } from '../../src/model/mistakes';
import type { Place } from './issues';

/** Reads one value and reports what is wrong with it. After an error its result is not used. */
export type Parser<T> = (place: Place) => T;

export const MAX_UINT32 = 2 ** 32 - 1;
export const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** The fields of a JSON object by name. Names from outside find nothing but the object's own. */
export class Fields {
  private readonly object: JsonObject | null;
  /** The fields that are there and were asked for. */
  private readonly read: string[] = [];

  constructor(private readonly place: Place) {
    const { value } = place;
    this.object = isJsonObject(value) ? value : null;
    if (this.object === null) place.expected('object');
  }

  has(name: string): boolean {
    return this.object !== null && Object.hasOwn(this.object, name);
  }

  names(): readonly string[] {
    return this.object === null ? [] : Object.keys(this.object);
  }

  private get(name: string): Json | undefined {
    return this.object !== null && Object.hasOwn(this.object, name) ? this.object[name] : undefined;
  }

  /** The parsed field, or `missing` if it is absent. */
  optional<T>(name: string, parser: Parser<T>, missing: T): T {
    const value = this.get(name);
    if (value === undefined) return missing;
    if (!this.read.includes(name)) this.read.push(name);
    return parser(this.place.at(name, value));
  }

  /** As `optional`, but a mistake is a warning and gives `missing`. */
  lenient<T>(name: string, parser: Parser<T>, missing: T): T {
    return this.optional(name, (place) => place.lenient(parser, missing), missing);
  }

  required<T>(name: string, parser: Parser<T>, fallback: T): T {
    if (this.object !== null && !this.has(name)) this.place.error('missing-field', { name });
    return this.optional(name, parser, fallback);
  }

  /** Those of `names` that are present, as received. */
  verbatim(names: readonly string[]): JsonObject {
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  /** A field that nobody asked for is a misspelling or from another version: a warning. */
  warnUnknown(): void {
    for (const place of this.unknown()) place.warn('unknown-field');
  }

  /** As `warnUnknown`, but an error, where no other version is expected. */
  refuseUnknown(): void {
    for (const place of this.unknown()) place.error('unknown-field');
  }

  private unknown(): readonly Place[] {
    const names = this.names();
    if (names.length === this.read.length) return [];
    return names
      .filter((name) => !this.read.includes(name))
      .map((name) => this.place.at(name, this.get(name) ?? null));
  }
}

export const boolean: Parser<boolean> = (place) => {
  if (typeof place.value === 'boolean') return place.value;
  place.expected('boolean');
  return false;
};

export const string =
  (maxLength = Infinity): Parser<string> =>
  (place) => {
    if (typeof place.value !== 'string') place.expected('string');
    else if (place.value.length > maxLength) place.expected('short-string', { max: maxLength });
    else return place.value;
    return '';
  };

/** A string within the limit in bytes of UTF-8, in which Chromium counts. */
export const shortText =
  (maxBytes: number): Parser<string> =>
  (place) => {
    const text = string()(place);
    if (utf8Length(text) > maxBytes) place.expected('short-text', { max: maxBytes });
    return text;
  };

export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

export const oneOf =
  <T extends string>(...choices: readonly T[]): Parser<T | null> =>
  (place) => {
    const choice = choices.find((candidate) => candidate === place.value);
    if (choice !== undefined) return choice;
    place.add(mistake('must-be', { what: oneOfThese(choices), was: shown(place.value) }));
    return null;
  };

const oneOfThese = (choices: readonly string[]): Expectation =>
  choices
    .slice(0, -1)
    .reduceRight<Expectation>(
      (other, choice) => expectation('choices', { choice, other }),
      expectation('choice', { choice: choices.at(-1) ?? '' }),
    );

/** A whole JSON number (such as `3600.0`) within the range, both ends included. */
export const integer =
  (min: number, max: number): Parser<number> =>
  (place) => {
    const { value } = place;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    if (max === Infinity) place.expected('integer-from', { min });
    else place.expected('integer-range', { min, max });
    return min;
  };

/** A JSON number within the range, both ends included. */
export const number =
  (min: number, max: number): Parser<number> =>
  (place) => {
    if (typeof place.value === 'number' && place.value >= min && place.value <= max) return place.value;
    place.expected('number-range', { min, max });
    return min;
  };

/** Reads what `parser` does, as `make` takes it. */
export const as =
  <From, To>(make: (value: From) => To, parser: Parser<From>): Parser<To> =>
  (place) =>
    make(parser(place));

export const orNull =
  <T>(parser: Parser<T>): Parser<T | null> =>
  (place) =>
    place.value === null ? null : parser(place);

const decimal =
  (pattern: RegExp, min: bigint, max: bigint, what: 'uint64' | 'int64'): Parser<bigint> =>
  (place) => {
    if (typeof place.value === 'string' && pattern.test(place.value)) {
      const value = BigInt(place.value);
      if (value >= min && value <= max) return value;
    }
    place.expected(what);
    return 0n;
  };

/** ARA, "parse an optional 64-bit unsigned integer": a string, because JSON numbers lose digits. */
export const uint64 = decimal(/^0*\d{1,20}$/, 0n, MAX_UINT64, 'uint64');

/** ARA, "parse an optional 64-bit signed integer". */
export const int64 = decimal(/^-?0*\d{1,19}$/, MIN_INT64, MAX_INT64, 'int64');

/** How many items a list may have, both included. */
interface Size {
  readonly min?: number;
  readonly max?: number;
}

/** A list whose every item `parser` reads. */
export const list =
  <T>(parser: Parser<T>, { min = 0, max = Infinity }: Size = {}): Parser<readonly T[]> =>
  (place) => {
    if (!Array.isArray(place.value)) {
      place.expected('list');
      return [];
    }
    const { length } = place.value as readonly Json[];
    if (length < min) place.error('too-few-items', { min, count: length });
    if (length > max) {
      place.error('too-many-items', { max, count: length });
      return [];
    }
    return (place.value as readonly Json[]).map((value, index) => parser(place.item(index, value)));
  };

/** As `list`, but each item once. @param report is told of each repeated item, and its place */
const once =
  <T>(
    parser: Parser<T>,
    size: Size | undefined,
    report: (place: Place, item: T) => void,
  ): Parser<readonly T[]> =>
  (place) => {
    const seen = new Set<T>();
    place.attempt(list(parser, size))?.forEach((item, index) => {
      if (seen.has(item)) report(place.item(index, null), item);
      seen.add(item);
    });
    return [...seen];
  };

/** As `list`, but a repeated item counts once, with a warning. */
export const set = <T>(parser: Parser<T>, size?: Size): Parser<readonly T[]> =>
  once(parser, size, (place) => place.warn('repeated-value'));

/** As `list`, without repeated items. */
export const distinct = <T>(parser: Parser<T>, size?: Size): Parser<readonly T[]> =>
  once(parser, size, (place, item) => place.error('repeated-item', { item: String(item) }));
