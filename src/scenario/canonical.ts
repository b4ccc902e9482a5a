import type { Json } from '../model/recording-rule';

/** JSON text that is the same for equal values, whatever the order of their fields. */
export const canonical = (value: Json): string => JSON.stringify(sorted(value));

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, field]) => [name, sorted(field)]),
  );
}
