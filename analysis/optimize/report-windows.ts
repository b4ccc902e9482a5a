import { bestCut, intervalsOf, NO_INTERVALS, type Cut, type Interval } from '../../src/privacy/best-cut';
import { MIN_REPORT_WINDOW } from '../../src/registration/report-windows';
import { cutPlaces } from './cut-places';

/** In seconds after the source. */
export interface WindowChoice {
  /** Whole, at least 3600, strictly increasing: the `end_times` of `event_report_windows`. */
  readonly ends: readonly number[];
  /** How long a past conversion would have waited for its report on average. */
  readonly meanWait: number;
}

/**
 * The report windows with the least mean time from a past conversion to its report, which leaves when the window ends. That,
 * rather than an equal share of conversions in each window, is what whoever waits for reports can feel, and it makes windows
 * narrow where conversions are close together. The last window ends just after the longest delay: none of the past conversions
 * would have been lost, and a longer window makes all of its reports later.
 *
 * A window ends a second after some delay, as a conversion at its end is in the next one (ARA, "compute report time").
 * @param delays how often each delay was, in whole seconds, below the longest expiry; not empty.
 * @param windows how many at most; fewer where the delays do not differ enough.
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
  // The times at which reports leave; the times of the conversions do not depend on the windows.
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

/** How many conversions need each end: the least that keeps them. */
function countsByEnd(delays: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [delay, count] of delays) {
    const end = Math.max(MIN_REPORT_WINDOW / 1000, delay + 1);
    counts.set(end, (counts.get(end) ?? 0) + count);
  }
  return counts;
}

/** The sums of the first 0, 1, … numbers. */
function cumulative(numbers: readonly number[]): number[] {
  let sum = 0;
  return [0, ...numbers.map((number) => (sum += number))];
}
