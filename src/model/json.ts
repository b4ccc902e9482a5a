import type { Json } from './recording-rule';

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

const fromEntries = (entries: readonly (readonly [string, unknown])[]): Json =>
  Object.fromEntries(entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, toJson(item)]])));
