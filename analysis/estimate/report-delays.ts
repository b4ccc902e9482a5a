import { hours, type Moment } from '../../src/model/units';
import { normalQuantile } from './normal';
import type { LostReports } from './lost-reports';

/** How many reports arrived so many hours late, by the hour since 1970 in which they were due. Those of parts of a log can be added up. */
export type ReportDelays = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Reports that were due in one hour and arrived in another. */
export interface DelayedReports {
  /** In hours since 1970. */
  readonly due: number;
  /** In hours. */
  readonly delay: number;
  readonly reports: number;
}

export const delayedReports = (delays: ReportDelays): readonly DelayedReports[] =>
  [...delays].flatMap(([due, counts]) => [...counts].map(([delay, reports]) => ({ due, delay, reports })));

export function delaysOf(list: readonly DelayedReports[]): ReportDelays {
  const seen = new SeenDelays();
  for (const each of list) seen.addAll(each);
  return seen.delays;
}

/** Collects delays. */
export class SeenDelays {
  private readonly byHour = new Map<number, Map<number, number>>();

  add(due: Moment, received: Moment): void {
    const hour = Math.floor(due / hours(1));
    this.addAll({ due: hour, delay: Math.max(Math.floor(received / hours(1)) - hour, 0), reports: 1 });
  }

  addAll({ due, delay, reports }: DelayedReports): void {
    const delays = this.byHour.get(due) ?? new Map<number, number>();
    this.byHour.set(due, delays);
    add(delays, delay, reports);
  }

  /** In ascending order, so that it does not depend on that of the reports. */
  get delays(): ReportDelays {
    return new Map(ascending(this.byHour).map(([hour, counts]) => [hour, new Map(ascending(counts))]));
  }
}

/** Reports under way that are fewer than this many standard errors of Poisson noise do not matter. */
const NEGLIGIBLE = 0.2;
/** A delay counts only if so many reports could have shown it. */
const LEAST_SEEN = 50;

/**
 * The share of reports that were still under way when the last one arrived; null if it does not matter. A report that was due just before is
 * seen only if its delay was short, so delays are estimated from the reports that could have shown them (the product limit of data truncated on
 * the right: Lynden-Bell 1971). Delays longer than any that could be seen stay unknown.
 * @param level of the range.
 */
export function stillUnderWay(delays: ReportDelays, level: number): LostReports | null {
  const last = lastArrival(delays);
  const steps = distribution(delays, last);
  let arrived = 0;
  let sent = 0;
  let error = 0;
  for (const [due, counts] of delays) {
    const within = arrivedWithin(steps, last - due);
    const count = sum(counts.values());
    arrived += count;
    sent += count / within.share;
    // At most: all shares have the errors of the same delays.
    error += (count / within.share) * within.error;
  }
  if (!(sent - arrived >= NEGLIGIBLE * Math.sqrt(sent)) || arrived === 0) return null;
  const reach = (normalQuantile((1 + level) / 2) * error) / sent;
  const lostIf = (all: number): number => Math.max(1 - arrived / all, 0);
  return {
    rate: lostIf(sent),
    range: [lostIf(sent * Math.exp(-reach)), lostIf(sent * Math.exp(reach))],
    from: 'delays',
  };
}

function lastArrival(delays: ReportDelays): number {
  let last = -Infinity;
  for (const [due, counts] of delays) for (const delay of counts.keys()) last = Math.max(last, due + delay);
  return last;
}

function distribution(delays: ReportDelays, last: number): readonly Step[] {
  const [byDelay, byRoom] = [new Map<number, number>(), new Map<number, number>()];
  for (const [due, counts] of delays) {
    add(byRoom, last - due, sum(counts.values()));
    for (const [delay, count] of counts) add(byDelay, delay, count);
  }
  const rooms = ascending(byRoom);
  let soon = 0;
  let short = 0;
  let place = 0;
  const seen = ascending(byDelay).map(([delay, count]) => {
    soon += count;
    for (; place < rooms.length && (rooms[place]?.[0] ?? 0) < delay; place++) short += rooms[place]?.[1] ?? 0;
    return { delay, count, could: soon - short };
  });
  let logarithm = 0;
  let variance = 0;
  return seen
    .toReversed()
    .map(({ delay, count, could }) => {
      if (could >= LEAST_SEEN) {
        // One more counts as arrived at once, so that no share is 0.
        const rest = could + 1 - count;
        logarithm += Math.log(rest / (could + 1));
        variance += count / ((could + 1) * rest);
      }
      return { delay, share: Math.exp(logarithm), error: Math.sqrt(variance) };
    })
    .toReversed();
}

/** A delay, and which share of the reports has a shorter one. */
interface Step {
  readonly delay: number;
  readonly share: number;
  /** The standard error of the logarithm of `share` (Greenwood 1926). */
  readonly error: number;
}

/** @param steps in ascending order of delays */
function arrivedWithin(steps: readonly Step[], room: number): Pick<Step, 'share' | 'error'> {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.delay ?? 0) > room) high = middle;
    else low = middle + 1;
  }
  return steps[low] ?? { share: 1, error: 0 };
}

const ascending = <T>(counts: ReadonlyMap<number, T>): readonly (readonly [number, T])[] =>
  [...counts].sort(([a], [b]) => a - b);

const add = (counts: Map<number, number>, key: number, count: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + count);
};

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
