import { bestCut, intervalsOf, NO_INTERVALS, type Cut, type Interval } from '../../src/privacy/best-cut';
import { MIN_REPORT_WINDOW } from '../../formats/registration/report-windows';
import { cutPlaces } from './cut-places';

export interface WindowChoice {
  /** Seconds after the source: whole, at least 3600, strictly increasing (`end_times` of `event_report_windows`). */
  readonly ends: readonly number[];
  /** The mean time in seconds from a past conversion to its report. */
  readonly meanWait: number;
}

/**
 * The report windows with the least mean time from a past conversion to its report, which leaves when the window ends. This measures how
 * long people wait, better than equal shares of conversions would, and makes windows narrow where conversions are dense. The last window
 * ends just after the longest delay: it loses no past conversion, and a longer one would delay all of its reports. A window ends a second
 * after some delay, because a conversion at a window's end is in the next window (ARA, "compute report time").
 * @param delays how often each delay occurred, in whole seconds below the longest expiry; not empty.
 * @param windows the most windows; there are fewer if few delays differ.
 */
export function bestWindows(delays: ReadonlyMap<number, number>, windows: number): WindowChoice {
  const counts = countsByEnd(delays);
  const ends = [...counts.keys()].sort((a, b) => a - b);
  const places = cutPlaces(
    ends,
    ends.map((end) => counts.get(end) ?? 0),
  );
  const upTo = cumulative(ends.map((end) => counts.get(end) ?? 0));
  const at = (place: number): number => places[place] ?? ends.length;
  // Minimises the report times; the conversion times do not depend on the windows.
  const interval = (first: number, next: number): Interval<{ readonly loss: bigint }> => {
    const [from, to] = [at(first), at(next)];
    const conversions = (upTo[to] ?? 0) - (upTo[from] ?? 0);
    return { from, to, cost: { loss: BigInt(conversions) * BigInt(ends[to - 1] ?? 0) } };
  };
  let cuts: (Cut<{ readonly loss: bigint }> | null)[] = [NO_INTERVALS];
  for (let window = 0; window < Math.min(windows, places.length); window++) {
    const shorter = cuts;
    cuts = Array.from({ length: places.length + 1 }, (_, to) => bestCut(shorter, interval, to));
  }
  const best = cuts[places.length] ?? null;
  if (best === null) throw new RangeError('there must be at least one delay and one window');
  const conversions = upTo[ends.length] ?? 0;
  const meanDelay = [...delays].reduce((sum, [delay, count]) => sum + (delay * count) / conversions, 0);
  return {
    ends: intervalsOf(best).map(({ to }) => ends[to - 1] ?? 0),
    meanWait: Number(best.loss) / conversions - meanDelay,
  };
}

/** How many conversions need each end: the earliest that includes them. */
function countsByEnd(delays: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [delay, count] of delays) {
    const end = Math.max(MIN_REPORT_WINDOW / 1000, delay + 1);
    counts.set(end, (counts.get(end) ?? 0) + count);
  }
  return counts;
}

function cumulative(numbers: readonly number[]): number[] {
  let sum = 0;
  return [0, ...numbers.map((number) => (sum += number))];
}
