import { hours, type Moment } from '../../../src/model/units';
import { normalQuantile } from '../intervals/normal';
import type { LostReports } from './lost-reports';

/** Reports of one log that were due in one hour and arrived in another. Those of several logs can be put together, in any order. */
export interface DelayedReports {
  /** In hours since 1970. */
  readonly due: number;
  /** In hours. */
  readonly delay: number;
  /** When the last report of the log arrived, in hours since 1970. Later arrivals are not in it. */
  readonly last: number;
  readonly reports: number;
}

/** Adds up what has the same times, in an order that does not depend on that of the lists. */
export function addedDelays(lists: Iterable<readonly DelayedReports[]>): readonly DelayedReports[] {
  const added = new Map<string, DelayedReports>();
  for (const list of lists)
    for (const each of list) {
      const key = `${each.last} ${each.due} ${each.delay}`;
      added.set(key, { ...each, reports: each.reports + (added.get(key)?.reports ?? 0) });
    }
  return [...added.values()].sort((a, b) => a.last - b.last || a.due - b.due || a.delay - b.delay);
}

/** The same reports, of a log whose last report arrived then. */
export const delaysUntil = (
  delays: readonly Omit<DelayedReports, 'last'>[],
  last: Moment,
): readonly DelayedReports[] => delays.map((each) => ({ ...each, last: hourOf(last) }));

/** Collects delays. */
export class SeenDelays {
  private readonly byTimes = new Map<
    string,
    { readonly due: number; readonly delay: number; reports: number }
  >();

  add(due: Moment, received: Moment): void {
    const hour = hourOf(due);
    const delay = Math.max(hourOf(received) - hour, 0);
    const key = `${hour} ${delay}`;
    const seen = this.byTimes.get(key) ?? { due: hour, delay, reports: 0 };
    this.byTimes.set(key, seen);
    seen.reports += 1;
  }

  /** @param last when the last report of the log arrived, of this or of other sources. */
  until(last: Moment): readonly DelayedReports[] {
    return addedDelays([delaysUntil([...this.byTimes.values()], last)]);
  }
}

const hourOf = (time: Moment): number => Math.floor(time / hours(1));

/** Reports under way that are fewer than this many standard errors of Poisson noise do not matter. */
const NEGLIGIBLE = 0.2;
/** A delay counts only if so many reports could have shown it. */
const LEAST_SEEN = 50;

/**
 * The share of reports that were still under way when the last one of their log arrived; null if it does not matter. A report that was due just
 * before is seen only if its delay was short, so delays are estimated from the reports that could have shown them (the product limit of data
 * truncated on the right: Lynden-Bell 1971). Delays longer than any that could be seen stay unknown.
 * @param level of the range.
 */
export function stillUnderWay(delays: readonly DelayedReports[], level: number): LostReports | null {
  const seen = withRoom(delays);
  const steps = distribution(seen);
  let arrived = 0;
  let sent = 0;
  let error = 0;
  for (const { room, reports } of seen) {
    const within = arrivedWithin(steps, room);
    arrived += reports;
    sent += reports / within.share;
    // At most: all shares have the errors of the same delays.
    error += (reports / within.share) * within.error;
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

/** Reports with the same delay, and the longest delay with which they would be seen. */
interface SeenReports {
  readonly delay: number;
  readonly room: number;
  readonly reports: number;
}

function withRoom(delays: readonly DelayedReports[]): readonly SeenReports[] {
  const logs = new Map<number, DelayedReports[]>();
  for (const each of delays) {
    const log = logs.get(each.last);
    if (log === undefined) logs.set(each.last, [each]);
    else log.push(each);
  }
  return [...logs].flatMap(([last, log]) => {
    const taken = takenBy(last, log, logs.keys());
    return log.map(({ due, delay, reports }) => ({ delay, room: taken - due, reports }));
  });
}

/** If this many reports arrived in an earlier time of the same length, it is no accident that a part of the log has none. */
const NO_CHANCE = 12;

/**
 * Parts of one log were taken together, but their last reports arrived at different times. A part of the log can have been taken with the last
 * arrival of another part unless it lacks reports until then: `NO_CHANCE` arrived in a time of the same length before its own last arrival.
 */
function takenBy(last: number, log: readonly DelayedReports[], others: Iterable<number>): number {
  const arrivals = log
    .map(({ due, delay, reports }) => ({ before: last - due - delay, reports }))
    .sort((a, b) => a.before - b.before);
  let counted = 0;
  let longest = Infinity;
  for (const { before, reports } of arrivals) {
    counted += reports;
    if (counted < NO_CHANCE) continue;
    longest = before;
    break;
  }
  let taken = last;
  for (const other of others) if (other - last <= longest) taken = Math.max(taken, other);
  return taken;
}

function distribution(all: readonly SeenReports[]): readonly Step[] {
  const [byDelay, byRoom] = [new Map<number, number>(), new Map<number, number>()];
  for (const { delay, room, reports } of all) {
    add(byRoom, room, reports);
    add(byDelay, delay, reports);
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
