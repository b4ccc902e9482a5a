import { isJsonObject, type Json } from '../../src/model/json';

/** A value as `asJson` makes it. */
export type AsJson<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends ReadonlyMap<unknown, infer Value>
      ? Readonly<Record<string, AsJson<Value>>>
      : T extends readonly (infer Item)[]
        ? readonly AsJson<Item>[]
        : { readonly [Key in keyof T]: AsJson<T[Key]> };

/**
 * A value as JSON for pages and commands: 64-bit integers become decimal strings, maps become objects, and what is
 * undefined is left out.
 */
export function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) return fromEntries([...value].map(([key, item]) => [String(key), item]));
  if (typeof value === 'object') return fromEntries(Object.entries(value));
  throw new TypeError(`a ${typeof value} has no JSON`);
}

/** As `toJson`, typed by what the value becomes. */
export const asJson = <T>(value: T): AsJson<T> => toJson(value) as AsJson<T>;

const fromEntries = (entries: readonly (readonly [string, unknown])[]): Json =>
  Object.fromEntries(entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, toJson(item)]])));

/** JSON text that does not depend on the order of fields. */
export const canonical = (value: Json): string => JSON.stringify(sorted(value));

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, field]) => [name, sorted(field)]),
  );
}
