/** Times in ms; the first one inclusive, the other one exclusive. Infinite: no bound. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Whole units of time (UTC); without a unit, the rest. */
export interface Piece extends Range {
  readonly unit: 'day' | 'hour' | null;
}

export const HOUR = 3_600_000;
const UNITS = [
  { unit: 'day', length: 24 * HOUR },
  { unit: 'hour', length: HOUR },
] as const;

/** Takes whole days, and whole hours at their ends. */
export const pieces = (range: Range): readonly Piece[] => cut(range, UNITS);

function cut(
  { from, to }: Range,
  [largest, ...smaller]: readonly (typeof UNITS)[number][],
): readonly Piece[] {
  if (from >= to) return [];
  if (largest === undefined) return [{ unit: null, from, to }];
  const { unit, length } = largest;
  const first = Math.ceil(from / length) * length;
  const last = Math.floor(to / length) * length;
  if (first >= last) return cut({ from, to }, smaller);
  return [
    ...cut({ from, to: first }, smaller),
    { unit, from: first, to: last },
    ...cut({ from: last, to }, smaller),
  ];
}

/** PostgreSQL reads only these years of the form that JavaScript writes. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** A time as PostgreSQL reads it. */
export function instant(time: number): string {
  if (time < FIRST) return '-infinity';
  return time > LAST ? 'infinity' : new Date(time).toISOString();
}
