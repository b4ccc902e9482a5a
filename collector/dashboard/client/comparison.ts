import type { SummarySlice } from '../../http/posted-summary';
import type { Estimated, Ranked } from './ranking';

/** The conversions of a group by both kinds of reports. */
export interface Compared {
  readonly group: string;
  readonly summary: Estimated;
  /** Null: no event-level estimate. */
  readonly eventLevel: Estimated | null;
  /** What happened; null if nobody knows. */
  readonly truth: number | null;
  /** How many times the event-level standard error is that of the summary. */
  readonly ratio: number | null;
}

/** The slices by a property or feature, most conversions first. */
export function compared(
  slices: readonly SummarySlice[],
  property: string,
  ranked: readonly Ranked[],
): readonly Compared[] {
  const byGroup = new Map(ranked.map((row) => [row.group, row]));
  return slices
    .filter(({ slice }) => columnOf(slice) === property)
    .map(({ slice, estimate, error, low, high }) => {
      const group = slice.slice(property.length + 1);
      const found = byGroup.get(group);
      const eventError = found?.error ?? NaN;
      return {
        group,
        summary: { value: estimate, low, high },
        eventLevel: found?.conversions ?? null,
        truth: found?.truth?.conversions ?? null,
        ratio: Number.isFinite(eventError) && error > 0 ? eventError / error : null,
      };
    })
    .sort((a, b) => b.summary.value - a.summary.value);
}

/** The columns by which a summary has slices. */
export const columnsOf = (slices: readonly SummarySlice[]): readonly string[] => [
  ...new Set(slices.map(({ slice }) => columnOf(slice))),
];

const columnOf = (slice: string): string => slice.split('=', 1)[0] ?? '';
