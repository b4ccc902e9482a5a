import type { Json, JsonObject } from '../model/json';
import * as parsers from '../parsing/fields';
import { Fields, type Parser } from '../parsing/fields';
import { Place } from '../parsing/issues';

/** A kind of value that crosses a boundary as JSON: how it is read, how it is written, and its JSON Schema. */
export interface Codec<T> {
  readonly parse: Parser<T>;
  readonly write: (value: T) => Json;
  readonly schema: JsonObject;
}

/** A value that is in JSON what it is in memory. */
export const plain = <T extends Json>(parse: Parser<T>, schema: JsonObject): Codec<T> => ({
  parse,
  write: (value) => value,
  schema,
});

/** The same with a description, for whoever reads the schema. */
export const described = <T>(codec: Codec<T>, description: string): Codec<T> => ({
  ...codec,
  schema: { ...codec.schema, description },
});

export const anyJson: Codec<Json> = plain(({ value }) => value, {});

export const text: Codec<string> = plain(parsers.string(), { type: 'string' });

export const integer = (minimum: number, maximum: number): Codec<number> =>
  plain(parsers.integer(minimum, maximum), { type: 'integer', minimum, maximum });

/** @param maximum included, as `minimum` is. */
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

/** @param otherwise what an unknown choice is read as, after it was reported. */
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
  parse: (place) => (place.value === null ? null : parse(place)),
  write: (value) => (value === null ? null : write(value)),
  schema: { anyOf: [schema, { type: 'null' }] },
});

/** A pattern for the decimals without leading zeros up to `most`. */
export function atMost(most: string): string {
  const smaller = Array.from(most, (digit, index) =>
    digit === '0' ? [] : [`${most.slice(0, index)}[0-${Number(digit) - 1}]\\d{${most.length - index - 1}}`],
  ).flat();
  return [`\\d{1,${most.length - 1}}`, ...smaller, most].join('|');
}

/** A field of a record. One that is optional is null in memory where it is not in the JSON. */
export interface Field<T> {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly read: (fields: Fields) => T;
  /** Undefined: it is left out. */
  readonly write: (value: T) => Json | undefined;
}

export function required<T>(name: string, { parse, write, schema }: Codec<T>): Field<T> {
  const fallback = parse(new Place(null, '', { errors: [], warnings: [] }));
  return { name, required: true, schema, read: (fields) => fields.required(name, parse, fallback), write };
}

export const optional = <T>(name: string, { parse, write, schema }: Codec<T>): Field<T | null> => ({
  name,
  required: false,
  schema,
  read: (fields) => fields.optional<T | null>(name, parse, null),
  write: (value) => (value === null ? undefined : write(value)),
});

/** As `optional`, for a property that need not be there. */
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

/** What tells a record from others, for `union`, which has seen that it is there. */
export const constant = <T extends string>(name: string, value: T): Field<T> => ({
  name,
  required: true,
  schema: { const: value },
  read: (fields) => fields.optional(name, () => value, value),
  write: () => value,
});

/** As `optional`, but where it is null it is written as that. */
export function nullable<T>(name: string, codec: Codec<T>): Field<T | null> {
  const { parse, write, schema } = orNull(codec);
  return { name, required: false, schema, read: (fields) => fields.optional(name, parse, null), write };
}

/** A field for each property: one that is forgotten does not compile. They are written in this order. */
export type FieldsOf<T> = { readonly [Property in keyof T]-?: Field<T[Property]> };

export interface RecordCodec<T> extends Codec<T> {
  readonly write: (value: T) => JsonObject;
}

interface RecordRules {
  /** What becomes of fields that the record does not have. */
  readonly unknown?: 'refused' | 'warned of' | 'ignored';
  /** Names of fields of which one at least must be there; when none is, the first is said to be missing. */
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
    write: (value) =>
      Object.fromEntries(
        properties.flatMap((property) => {
          const json = fieldsOf[property].write(value[property]);
          return json === undefined ? [] : [[fieldsOf[property].name, json]];
        }),
      ),
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : [])),
      ...(unknown === 'ignored' ? {} : { additionalProperties: false }),
      ...(either === undefined ? {} : { anyOf: either.map((name) => ({ required: [name] })) }),
    },
  };
}

/** Records that their `kind` tells apart. */
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
    // The variant of its own kind takes it.
    write: (value) => ofKind[value.kind as T['kind']].write(value as never),
    schema: { anyOf: kinds.map((kind) => ofKind[kind].schema) },
  };
}

interface Variant<T> {
  readonly parse: Parser<T>;
  readonly write: (value: never) => Json;
  readonly schema: JsonObject;
}
