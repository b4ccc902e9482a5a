import type { Json, JsonObject } from '../../src/model/json';
import * as parsers from './fields';
import { Fields, type Parser } from './fields';
import { Issues, Place } from './issues';

/** How a value that crosses a boundary as JSON is read and written, and its JSON Schema. */
export interface Codec<T> {
  readonly parse: Parser<T>;
  readonly write: (value: T) => Json;
  readonly schema: JsonObject;
}

/** A value that is the same in JSON and in memory. */
export const plain = <T extends Json>(parse: Parser<T>, schema: JsonObject): Codec<T> => ({
  parse,
  write: (value) => value,
  schema,
});

/** Adds a description to the schema. */
export const described = <T>(codec: Codec<T>, description: string): Codec<T> => ({
  ...codec,
  schema: { ...codec.schema, description },
});

export const anyJson: Codec<Json> = plain(({ value }) => value, {});

export const text: Codec<string> = plain(parsers.string(), { type: 'string' });

export const integer = (minimum: number, maximum: number): Codec<number> =>
  plain(parsers.integer(minimum, maximum), { type: 'integer', minimum, maximum });

/** Both ends are included. */
export const number = (minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE): Codec<number> =>
  plain(
    (place) => {
      if (minimum !== -Number.MAX_VALUE) return parsers.number(minimum, maximum)(place);
      if (typeof place.value === 'number' && Number.isFinite(place.value)) return place.value;
      place.expected('finite-number');
      return 0;
    },
    minimum === -Number.MAX_VALUE ? { type: 'number' } : { type: 'number', minimum, maximum },
  );

/** The values of `codec` as `make` takes them. */
export const as = <From, To extends From>(make: (value: From) => To, codec: Codec<From>): Codec<To> => ({
  ...codec,
  parse: parsers.as(make, codec.parse),
});

/** @param otherwise replaces an unknown choice after it was reported. */
export const choice = <T extends string>(otherwise: NoInfer<T>, choices: readonly T[]): Codec<T> =>
  plain((place) => parsers.oneOf(...choices)(place) ?? otherwise, { enum: choices });

export const uint64: Codec<bigint> = {
  parse: parsers.uint64,
  write: String,
  schema: {
    type: 'string',
    pattern: `^0*(${atMost(String(2n ** 64n - 1n))})$`,
    description: 'An unsigned 64-bit integer in decimal',
  },
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const uuid: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && UUID.test(place.value)) return place.value;
    place.expected('uuid');
    return '';
  },
  { type: 'string', pattern: UUID.source },
);

export const list = <T>(item: Codec<T>, size: { min?: number; max?: number } = {}): Codec<readonly T[]> => ({
  parse: parsers.list(item.parse, size),
  write: (values) => values.map(item.write),
  schema: {
    type: 'array',
    items: item.schema,
    ...(size.min === undefined ? {} : { minItems: size.min }),
    ...(size.max === undefined ? {} : { maxItems: size.max }),
  },
});

export const orNull = <T>({ parse, write, schema }: Codec<T>): Codec<T | null> => ({
  parse: parsers.orNull(parse),
  write: (value) => (value === null ? null : write(value)),
  schema: { anyOf: [schema, { type: 'null' }] },
});

/** A pattern for decimals up to `most` without leading zeros. */
export function atMost(most: string): string {
  const smaller = Array.from(most, (digit, index) =>
    digit === '0' ? [] : [`${most.slice(0, index)}[0-${Number(digit) - 1}]\\d{${most.length - index - 1}}`],
  ).flat();
  return [`\\d{1,${most.length - 1}}`, ...smaller, most].join('|');
}

/** A field of a record. An optional one that is missing in the JSON is null in memory. */
export interface Field<T, Name extends string = string> {
  readonly name: Name;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly read: (fields: Fields) => T;
  /** Undefined: the field is left out. */
  readonly write: (value: T) => Json | undefined;
}

export function required<T, const Name extends string>(
  name: Name,
  { parse, write, schema }: Codec<T>,
): Field<T, Name> {
  const fallback = parse(Place.of(null, { errors: new Issues(), warnings: new Issues() }));
  return { name, required: true, schema, read: (fields) => fields.required(name, parse, fallback), write };
}

export const optional = <T, const Name extends string>(
  name: Name,
  { parse, write, schema }: Codec<T>,
): Field<T | null, Name> => ({
  name,
  required: false,
  schema,
  read: (fields) => fields.optional<T | null>(name, parse, null),
  write: (value) => (value === null ? undefined : write(value)),
});

/** As `optional`, but undefined in memory if missing. */
export const orUndefined = <T>(name: string, { parse, write, schema }: Codec<T>): Field<T | undefined> => ({
  name,
  required: false,
  schema,
  read: (fields) => fields.optional<T | undefined>(name, parse, undefined),
  write: (value) => (value === undefined ? undefined : write(value)),
});

export const withDefault = <T extends Json>(name: string, codec: Codec<T>, value: T): Field<T> => ({
  name,
  required: false,
  schema: { ...codec.schema, default: value },
  read: (fields) => fields.optional(name, codec.parse, value),
  write: codec.write,
});

/** Distinguishes records in a `union`, which has checked it. */
export const constant = <T extends string>(name: string, value: T): Field<T> => ({
  name,
  required: true,
  schema: { const: value },
  read: (fields) => fields.optional(name, () => value, value),
  write: () => value,
});

/** As `optional`, but null is written as null. */
export function nullable<T>(name: string, codec: Codec<T>): Field<T | null> {
  const { parse, write, schema } = orNull(codec);
  return { name, required: false, schema, read: (fields) => fields.optional(name, parse, null), write };
}

/** A field for each property, written in this order. A missing one does not compile. */
export type FieldsOf<T> = { readonly [Property in keyof T]-?: Field<T[Property]> };

export interface RecordCodec<T> extends Codec<T> {
  readonly write: (value: T) => JsonObject;
}

interface RecordRules {
  readonly unknown?: 'refused' | 'warned of' | 'ignored';
  /** At least one of these fields must be present; otherwise the first is reported as missing. */
  readonly either?: readonly [string, string];
}

export function record<T extends object>(
  fieldsOf: FieldsOf<T>,
  { unknown = 'refused', either }: RecordRules = {},
): RecordCodec<T> {
  const properties = Object.keys(fieldsOf) as (keyof T & string)[];
  const fields = properties.map((property) => fieldsOf[property]);
  return {
    parse: (place) => {
      const given = new Fields(place);
      const value = Object.fromEntries(
        properties.map((property) => [property, fieldsOf[property].read(given)]),
      );
      if (either?.some((name) => given.has(name)) === false) given.required(either[0], () => null, null);
      if (unknown === 'refused') given.refuseUnknown();
      if (unknown === 'warned of') given.warnUnknown();
      return value as T; // with all properties of T, each read by its own field
    },
    write: (value) => {
      const written: Record<string, Json> = {};
      for (const property of properties) {
        const json = fieldsOf[property].write(value[property]);
        if (json !== undefined) written[fieldsOf[property].name] = json;
      }
      return written;
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : [])),
      ...(unknown === 'ignored' ? {} : { additionalProperties: false }),
      ...(either === undefined ? {} : { anyOf: either.map((name) => ({ required: [name] })) }),
    },
  };
}

/** Records distinguished by their `kind`. */
export function union<T extends { readonly kind: string }>(variants: {
  readonly [Kind in T['kind']]: Codec<Extract<T, { readonly kind: Kind }>>;
}): Codec<T> {
  const kinds = Object.keys(variants) as T['kind'][];
  const ofKind: Readonly<Record<T['kind'], Variant<T>>> = variants;
  return {
    parse: (place) => {
      const otherwise = Object.keys(variants)[0] as T['kind'];
      const kind = new Fields(place).required('kind', parsers.oneOf(...kinds), null) ?? otherwise;
      return ofKind[kind].parse(place);
    },
    // The variant of the value's own kind accepts it.
    write: (value) => ofKind[value.kind as T['kind']].write(value as never),
    schema: { anyOf: kinds.map((kind) => ofKind[kind].schema) },
  };
}

interface Variant<T> {
  readonly parse: Parser<T>;
  readonly write: (value: never) => Json;
  readonly schema: JsonObject;
}
