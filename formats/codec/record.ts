import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { choice, codec, orNull, type Codec, type Parser } from './codec';
import { Issues, Place } from './issues';

/** Up to this many names, a list is faster than a set. */
const FEW_FIELDS = 20;

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

  /** The field, or `missing` if it is absent or has a mistake: so one mistake leads to no second one in what depends on the field. */
  optional<T>(name: string, parser: Parser<T>, missing: T): T {
    const value = this.get(name);
    if (value === undefined) return missing;
    this.read.push(name);
    return this.place.at(name, value).orElse(parser, missing);
  }

  /** As `optional`, but a mistake is a warning. */
  lenient<T>(name: string, parser: Parser<T>, missing: T): T {
    return this.optional(name, (place) => place.lenient(parser, missing), missing);
  }

  required<T>(name: string, parser: Parser<T>, missing: T): T {
    if (this.object !== null && !this.has(name)) this.place.error('missing-field', { name });
    return this.optional(name, parser, missing);
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
    // An object that is read name by name can have any number.
    const read = names.length > FEW_FIELDS ? new Set(this.read) : null;
    return names
      .filter((name) => !(read === null ? this.read.includes(name) : read.has(name)))
      .map((name) => this.place.at(name, this.get(name) ?? null));
  }
}

/** An object whose fields depend on each other. A field that `read` does not ask for is a warning. */
export const object =
  <T>(read: (fields: Fields, place: Place) => T): Parser<T> =>
  (place) => {
    const fields = new Fields(place);
    const value = read(fields, place);
    fields.warnUnknown();
    return value;
  };

/** A field of a record. */
export interface Field<T, Name extends string = string> {
  readonly name: Name;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly read: (fields: Fields) => T;
  /** Undefined: the field is left out. */
  readonly write: (value: T) => Json | undefined;
}

/** What a parser returns after a mistake. */
const unused = <T>(of: Parser<T>): T => of(Place.of(null, { errors: new Issues(), warnings: new Issues() }));

export function required<T, const Name extends string>(name: Name, of: Codec<T>): Field<T, Name> {
  const missing = unused(of);
  return {
    name,
    required: true,
    schema: of.schema,
    read: (fields) => fields.required(name, of, missing),
    write: of.write,
  };
}

/** A field that is left out if it has the value `missing`. */
const unless = <T, M, const Name extends string>(
  name: Name,
  of: Codec<T>,
  missing: M,
): Field<T | M, Name> => ({
  name,
  required: false,
  schema: of.schema,
  read: (fields) => fields.optional<T | M>(name, of, missing),
  write: (value) => (value === missing ? undefined : of.write(value as T)),
});

/** Null in memory if it is missing. */
export const optional = <T, const Name extends string>(name: Name, of: Codec<T>): Field<T | null, Name> =>
  unless(name, of, null);

/** Undefined in memory if it is missing. */
export const orUndefined = <T>(name: string, of: Codec<T>): Field<T | undefined> =>
  unless(name, of, undefined);

export const withDefault = <T>(name: string, of: Codec<T>, value: T): Field<T> => ({
  ...written(name, of, value),
  schema: { ...of.schema, default: of.write(value) },
});

/** As `optional`, but null is written as null. */
export const nullable = <T>(name: string, of: Codec<T>): Field<T | null> => written(name, orNull(of), null);

/** A field that may be missing, but is always written. */
const written = <T>(name: string, of: Codec<T>, missing: T): Field<T> => ({
  name,
  required: false,
  schema: of.schema,
  read: (fields) => fields.optional(name, of, missing),
  write: of.write,
});

/** Distinguishes records in a `union`, which has checked it. */
export const constant = <T extends string>(name: string, value: T): Field<T> => ({
  name,
  required: true,
  schema: { const: value },
  read: (fields) => fields.optional(name, () => value, value),
  write: () => value,
});

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
  const read: Parser<T> = (place) => {
    const given = new Fields(place);
    const value: Partial<T> = {};
    for (const property of properties) value[property] = fieldsOf[property].read(given);
    if (either?.some((name) => given.has(name)) === false) given.required(either[0], () => null, null);
    if (unknown === 'refused') given.refuseUnknown();
    if (unknown === 'warned of') given.warnUnknown();
    return value as T; // with all properties of T, each read by its own field
  };
  const write = (value: T): JsonObject => {
    const json: Record<string, Json> = {};
    for (const property of properties) {
      const { name, write: writeField } = fieldsOf[property];
      const one = writeField(value[property]);
      if (one !== undefined) json[name] = one;
    }
    return json;
  };
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    required: fields.filter((field) => field.required).map(({ name }) => name),
    ...(unknown === 'ignored' ? {} : { additionalProperties: false }),
    ...(either === undefined ? {} : { anyOf: either.map((name) => ({ required: [name] })) }),
  };
  return Object.assign(read, { write, schema });
}

/** As `of`, and reports what its fields must not say together. `check` sees no value that has a mistake. */
export function checked<T extends object>(of: Codec<T>, check: (value: T, place: Place) => void): Codec<T> {
  const missing = unused(of);
  return codec(
    (place) => {
      const value = place.attempt(of);
      if (value !== null) check(value, place);
      return value ?? missing;
    },
    of.write,
    of.schema,
  );
}

/** Records distinguished by their `kind`. */
export function union<T extends { readonly kind: string }>(variants: {
  readonly [Kind in T['kind']]: Codec<Extract<T, { readonly kind: Kind }>>;
}): Codec<T> {
  const kinds = Object.keys(variants) as T['kind'][];
  const kindOf = choice(...kinds);
  const readKind: Parser<T['kind']> = (place) =>
    new Fields(place).required('kind', kindOf, kinds[0] as T['kind']);
  const ofKind: Readonly<Record<T['kind'], Variant<T>>> = variants;
  return codec(
    (place) => {
      const kind = place.attempt(readKind);
      return kind === null ? unused(ofKind[kinds[0] as T['kind']]) : ofKind[kind](place);
    },
    // The variant of the value's own kind accepts it.
    (value) => ofKind[value.kind as T['kind']].write(value as never),
    { anyOf: kinds.map((kind) => ofKind[kind].schema) },
  );
}

interface Variant<T> extends Parser<T> {
  readonly write: (value: never) => Json;
  readonly schema: JsonObject;
}
