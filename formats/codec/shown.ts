import type { Json } from '../../src/model/json';

const LONGEST = 80;

/** A value as `must-be` shows it. */
export function shown(value: Json): string {
  const json = JSON.stringify(value);
  return json.length > LONGEST ? `${json.slice(0, LONGEST - 3)}…` : json;
}
