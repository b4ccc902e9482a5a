import { isJsonObject, type Json, type JsonObject } from '../../../../src/model/json';

/** What a form must ask for, as the JSON Schema of a setting says it. */
export type Shape =
  | { readonly kind: 'text' | 'number' }
  /** One text or number a line. */
  | { readonly kind: 'lines'; readonly of: 'text' | 'number' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'list'; readonly item: Shape }
  | RecordShape
  /** Records that their `kind` tells apart. */
  | { readonly kind: 'union'; readonly variants: ReadonlyMap<string, RecordShape> }
  /** It can be null. */
  | { readonly kind: 'optional'; readonly of: Shape };

interface RecordShape {
  readonly kind: 'record';
  readonly fields: ReadonlyMap<string, Shape>;
}

/** @throws for a schema of another form */
export function shapeOf(schema: JsonObject): Shape {
  const { type, anyOf, items } = schema;
  if (Array.isArray(anyOf)) return shapeOfAny((anyOf as readonly Json[]).filter(isJsonObject));
  if (Array.isArray(schema['enum'])) return { kind: 'choice', choices: schema['enum'] as readonly string[] };
  if (type === 'string') return { kind: 'text' };
  if (type === 'number' || type === 'integer') return { kind: 'number' };
  if (type === 'object') return recordOf(schema);
  if (type !== 'array') throw new Error(`a form has no field for ${JSON.stringify(schema)}`);
  const item = shapeOf(items as JsonObject);
  return item.kind === 'text' || item.kind === 'number'
    ? { kind: 'lines', of: item.kind }
    : { kind: 'list', item };
}

function shapeOfAny(schemas: readonly JsonObject[]): Shape {
  const values = schemas.filter(({ type }) => type !== 'null');
  const [first] = values;
  if (first !== undefined && values.length < schemas.length) return { kind: 'optional', of: shapeOf(first) };
  return {
    kind: 'union',
    variants: new Map(values.map((schema) => [kindOf(schema), recordOf(schema)])),
  };
}

const propertiesOf = ({ properties = {} }: JsonObject): readonly (readonly [string, JsonObject])[] =>
  Object.entries(properties as Readonly<Record<string, JsonObject>>);

const kindOf = (schema: JsonObject): string =>
  propertiesOf(schema).find(([name]) => name === 'kind')?.[1]['const'] as string;

const recordOf = (schema: JsonObject): RecordShape => ({
  kind: 'record',
  fields: new Map(
    propertiesOf(schema).flatMap(([name, of]) => ('const' in of ? [] : [[name, shapeOf(of)] as const])),
  ),
});

/** The schema at a path such as `budget.joint`. */
export const schemaAt = (schema: JsonObject, path: string): JsonObject =>
  path
    .split('.')
    .reduce<JsonObject>((of, name) => propertiesOf(of).find(([one]) => one === name)?.[1] ?? {}, schema);

/** Null unless the value is a record of a union. */
export const kindIn = (value: Json): string | null =>
  isJsonObject(value) && typeof value['kind'] === 'string' ? value['kind'] : null;

/** The example of this kind. What is one value in both kinds, such as ε, stays. */
export function ofKind(kind: string, examples: readonly Json[], value: Json): Json {
  const example = examples.find((one) => kindIn(one) === kind) ?? { kind };
  if (!isJsonObject(example) || !isJsonObject(value)) return example;
  const kept = Object.entries(value).filter(
    ([name, one]) => name !== 'kind' && name in example && !Array.isArray(one),
  );
  return { ...example, ...Object.fromEntries(kept) };
}

/** The shape of the value to which names and indices lead within another one; null: none. */
export function shapeWithin(shape: Shape, path: readonly (string | number)[]): Shape | null {
  const [step, ...rest] = path;
  if (step === undefined) return shape;
  switch (shape.kind) {
    case 'optional':
      return shapeWithin(shape.of, path);
    case 'list':
      return shapeWithin(shape.item, rest);
    case 'record': {
      const field = shape.fields.get(String(step));
      return field === undefined ? null : shapeWithin(field, rest);
    }
    case 'union': {
      const having = [...shape.variants.values()].find(({ fields }) => fields.has(String(step)));
      return having === undefined ? null : shapeWithin(having, path);
    }
    case 'choice':
    case 'lines':
    case 'number':
    case 'text':
      return null;
  }
}
