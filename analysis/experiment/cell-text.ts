import type { Json } from '../../src/model/json';

/** A setting in few words: its kind, and its other fields. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object' || value === null) return value === null ? '–' : String(value);
  const { kind, ...others } = value as { readonly [name: string]: Json };
  const rest = Object.entries(others).map(([name, inner]) => `${name} ${textOf(inner)}`);
  return [...(kind === undefined ? [] : [textOf(kind)]), ...rest].join(' ');
}
