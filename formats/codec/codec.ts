import type { Json, JsonObject } from '../../src/model/json';
import { expectation, mistake, type Expectation } from './mistakes';
import type { Place } from './issues';
import { shown } from './shown';

/** Reads one value and reports what is wrong with it. After a mistake its result is not used. */
export type Parser<T> = (place: Place) => T;

/** A parser of a value that can also write it, with the JSON Schema of what it reads. */
export interface Codec<T> extends Parser<T> {
  readonly write: (value: T) => Json;
  readonly schema: JsonObject;
}

/** @param read becomes the codec itself, so it must not be another one. */
export const codec = <T>(read: Parser<T>, write: (value: T) => Json, schema: JsonObject): Codec<T> =>
  Object.assign(read, { write, schema });

const same = <T>(value: T): T => value;

/** A value that is the same in JSON and in memory. */
export const plain = <T extends Json>(read: Parser<T>, schema: JsonObject): Codec<T> =>
  codec(read, same, schema);

/** Adds a description to the schema. */
export const described = <T>(of: Codec<T>, description: string): Codec<T> =>
  codec((place) => of(place), of.write, { ...of.schema, description });

export const anyJson: Codec<Json> = plain(({ value }) => value, {});

export const boolean: Codec<boolean> = plain(
  (place) => {
    if (typeof place.value === 'boolean') return place.value;
    place.expected('boolean');
    return false;
  },
  { type: 'boolean' },
);

export const string: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string') return place.value;
    place.expected('string');
    return '';
  },
  { type: 'string' },
);

/** A string within the limit in UTF-16 code units. */
export const stringUpTo = (max: number): Codec<string> =>
  plain(
    (place) => {
      const read = string(place);
      if (read.length > max) place.expected('short-string', { max });
      return read;
    },
    { type: 'string', maxLength: max },
  );

export const choice = <T extends string>(...choices: readonly T[]): Codec<T> =>
  plain(
    (place) => {
      const chosen = choices.find((candidate) => candidate === place.value);
      if (chosen !== undefined) return chosen;
      place.add(mistake('must-be', { what: oneOfThese(choices), was: shown(place.value) }));
      return choices[0] as T; // not used
    },
    { enum: choices },
  );

const oneOfThese = (choices: readonly string[]): Expectation =>
  choices
    .slice(0, -1)
    .reduceRight<Expectation>(
      (other, choice) => expectation('choices', { choice, other }),
      expectation('choice', { choice: choices.at(-1) ?? '' }),
    );

/** A whole JSON number (such as `3600.0`) within the range, both ends included. */
export const integer = (minimum: number, maximum = Infinity): Codec<number> =>
  plain((place) => readInteger(place, minimum, maximum), {
    type: 'integer',
    minimum,
    ...(maximum === Infinity ? {} : { maximum }),
  });

/** As `integer`, where the range depends on other fields. */
export function readInteger(place: Place, min: number, max: number): number {
  const { value } = place;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  if (max === Infinity) place.expected('integer-from', { min });
  else place.expected('integer-range', { min, max });
  return min;
}

/** A finite JSON number within the range, both ends included. */
export const number = (minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE): Codec<number> =>
  plain(
    (place) => readNumber(place, minimum, maximum),
    minimum === -Number.MAX_VALUE ? { type: 'number' } : { type: 'number', minimum, maximum },
  );

/** As `number`, where the range depends on other fields. */
export function readNumber(place: Place, min: number, max: number): number {
  const { value } = place;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  if (min !== -Number.MAX_VALUE) place.expected('number-range', { min, max });
  else place.expected('finite-number');
  return min === -Number.MAX_VALUE ? 0 : min;
}

/** A decimal string, because JSON numbers lose digits. */
const decimal = (
  what: 'uint64' | 'int64',
  pattern: RegExp,
  [min, max]: readonly [bigint, bigint],
  schema: JsonObject,
): Codec<bigint> =>
  codec(
    (place) => {
      if (typeof place.value === 'string' && pattern.test(place.value)) {
        const value = BigInt(place.value);
        if (value >= min && value <= max) return value;
      }
      place.expected(what);
      return 0n;
    },
    String,
    { type: 'string', ...schema },
  );

export const MAX_UINT64 = 2n ** 64n - 1n;

/** ARA, "parse an optional 64-bit unsigned integer". */
export const uint64 = decimal('uint64', /^0*\d{1,20}$/, [0n, MAX_UINT64], {
  pattern: `^0*(${atMost(String(MAX_UINT64))})$`,
  description: 'An unsigned 64-bit integer in decimal',
});

/** ARA, "parse an optional 64-bit signed integer". */
export const int64 = decimal('int64', /^-?0*\d{1,19}$/, [-(2n ** 63n), 2n ** 63n - 1n], {
  description: 'A signed 64-bit integer in decimal',
});

/** A pattern for decimals up to `most` without leading zeros. */
export function atMost(most: string): string {
  const smaller = Array.from(most, (digit, index) =>
    digit === '0' ? [] : [`${most.slice(0, index)}[0-${Number(digit) - 1}]\\d{${most.length - index - 1}}`],
  ).flat();
  return [`\\d{1,${most.length - 1}}`, ...smaller, most].join('|');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const uuid: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && UUID.test(place.value)) return place.value;
    place.expected('uuid');
    return '';
  },
  { type: 'string', pattern: UUID.source },
);

const isCodec = <T>(parser: Parser<T>): parser is Codec<T> => 'schema' in parser;

/** Reads what `of` reads, and converts it with `make`. */
export function as<From, To extends From>(make: (value: From) => To, of: Codec<From>): Codec<To>;
export function as<From, To>(make: (value: From) => To, of: Parser<From>): Parser<To>;
export function as<From, To extends From>(make: (value: From) => To, of: Parser<From>): Parser<To> {
  const read: Parser<To> = (place) => make(of(place));
  return isCodec(of) ? codec(read, of.write, of.schema) : read;
}

export function orNull<T>(of: Codec<T>): Codec<T | null>;
export function orNull<T>(of: Parser<T>): Parser<T | null>;
export function orNull<T>(of: Parser<T>): Parser<T | null> {
  const read: Parser<T | null> = (place) => (place.value === null ? null : of(place));
  return isCodec(of)
    ? codec(read, (value) => (value === null ? null : of.write(value)), {
        anyOf: [of.schema, { type: 'null' }],
      })
    : read;
}

/** How many items a list may have, both included. */
interface Size {
  readonly min?: number;
  readonly max?: number;
  /** The mistake if there are more: one that says why, if there is such. */
  readonly excess?: 'too-many-items' | 'too-many-to-solve';
}

export function list<T>(item: Codec<T>, size?: Size): Codec<readonly T[]>;
export function list<T>(item: Parser<T>, size?: Size): Parser<readonly T[]>;
export function list<T>(
  item: Parser<T>,
  { min, max, excess = 'too-many-items' }: Size = {},
): Parser<readonly T[]> {
  const read: Parser<readonly T[]> = (place) => {
    if (!Array.isArray(place.value)) {
      place.expected('list');
      return [];
    }
    const items = place.value as readonly Json[];
    const count = items.length;
    if (min !== undefined && count < min) place.error('too-few-items', { min, count });
    if (max === undefined || count <= max) return items.map((value, index) => item(place.item(index, value)));
    place.error(excess, { max, count });
    return [];
  };
  if (!isCodec(item)) return read;
  return codec(read, (values) => values.map(item.write), {
    type: 'array',
    items: item.schema,
    ...(min === undefined ? {} : { minItems: min }),
    ...(max === undefined ? {} : { maxItems: max }),
  });
}

export function pair<T>(item: Codec<T>): Codec<readonly [T, T]> {
  const items = list(item, { min: 2, max: 2 });
  return codec((place) => items(place) as readonly [T, T], items.write, items.schema);
}

/**
 * As `list`, but each item may occur once.
 * @param report is called for each repeated item, with its place
 */
function once<T>(
  item: Parser<T>,
  size: Size | undefined,
  report: (place: Place, repeated: T) => void,
): Parser<readonly T[]> {
  const items = list(item, size);
  const read: Parser<readonly T[]> = (place) => {
    const seen = new Set<T>();
    place.orElse(items, []).forEach((value, index) => {
      if (seen.has(value)) report(place.item(index, null), value);
      seen.add(value);
    });
    return [...seen];
  };
  return isCodec(items) ? codec(read, items.write, { ...items.schema, uniqueItems: true }) : read;
}

/** As `list`, but a repeated item counts once, with a warning. */
export const set = <T>(item: Parser<T>, size?: Size): Parser<readonly T[]> =>
  once(item, size, (place) => place.warn('repeated-value'));

/** As `list`, without repeated items. */
export function distinct<T>(item: Codec<T>, size?: Size): Codec<readonly T[]>;
export function distinct<T>(item: Parser<T>, size?: Size): Parser<readonly T[]>;
export function distinct<T>(item: Parser<T>, size?: Size): Parser<readonly T[]> {
  return once(item, size, (place, repeated) => place.error('repeated-item', { item: String(repeated) }));
}
