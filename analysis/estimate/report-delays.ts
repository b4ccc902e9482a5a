import { hours, type Moment } from '../../src/model/units';
import { normalQuantile } from './normal';
import type { LostReports } from './lost-reports';

/** How many reports arrived, and how many had to be sent for that. Those of parts of a log can be added up. */
export interface LateReports {
  readonly arrived: number;
  /** More than have arrived by as many as are still under way. */
  readonly sent: number;
  /** The standard error of the logarithm of `sent`. */
  readonly deviation: number;
}

/** Reports under way that are fewer than this many standard errors of Poisson noise do not matter. */
const NEGLIGIBLE = 0.2;
/** A delay counts only if so many reports could have shown it. */
const LEAST_SEEN = 50;

/** The share of reports that are still under way; null if it does not matter. */
export function stillUnderWay({ arrived, sent, deviation }: LateReports, level: number): LostReports | null {
  if (sent - arrived < NEGLIGIBLE * Math.sqrt(sent)) return null;
  const reach = normalQuantile((1 + level) / 2) * deviation;
  const lostIf = (all: number): number => Math.max(1 - arrived / all, 0);
  return {
    rate: lostIf(sent),
    range: [lostIf(sent * Math.exp(-reach)), lostIf(sent * Math.exp(reach))],
    from: 'delays',
  };
}

export const addLate = (a: LateReports, b: LateReports): LateReports => ({
  arrived: a.arrived + b.arrived,
  sent: a.sent + b.sent,
  // At most: the delays of both may have been estimated from the same reports.
  deviation: (a.sent * a.deviation + b.sent * b.deviation) / (a.sent + b.sent || 1),
});

/** Reports of one kind, by the hours in which they were due and arrived. */
type Hours = Map<number, Map<number, number>>;

/**
 * The delays of reports of each kind. A report that was due just before the last one arrived is seen only if its delay was short, so delays are
 * estimated from those that could have been seen (the product limit of data truncated on the right: Lynden-Bell 1971).
 */
export class ReportDelays<Kind> {
  private readonly byKind = new Map<Kind, Hours>();
  /** The hour in which the last report arrived. */
  private last = -Infinity;

  add(kind: Kind, due: Moment, received: Moment): void {
    const dueHour = Math.floor(due / hours(1));
    const delay = Math.max(Math.floor(received / hours(1)) - dueHour, 0);
    this.last = Math.max(this.last, dueHour + delay);
    const ofKind = this.byKind.get(kind) ?? new Map<number, Map<number, number>>();
    this.byKind.set(kind, ofKind);
    const delays = ofKind.get(dueHour) ?? new Map<number, number>();
    ofKind.set(dueHour, delays);
    add(delays, delay, 1);
  }

  /** Null if nothing is known of this kind. */
  of(kind: Kind): LateReports | null {
    const ofKind = this.byKind.get(kind);
    if (ofKind === undefined) return null;
    const delays = this.distribution();
    let [arrived, sent, deviation] = [0, 0, 0];
    for (const [due, counts] of ofKind) {
      const { share, error } = arrivedWithin(delays, this.last - due);
      const count = sum(counts.values());
      arrived += count;
      sent += count / share;
      // At most: all shares have the errors of the same delays.
      deviation += (count / share) * error;
    }
    return { arrived, sent, deviation: deviation / sent };
  }

  private distribution(): readonly Step[] {
    const [byDelay, byRoom] = [new Map<number, number>(), new Map<number, number>()];
    for (const dues of this.byKind.values())
      for (const [due, counts] of dues) {
        add(byRoom, this.last - due, sum(counts.values()));
        for (const [delay, count] of counts) add(byDelay, delay, count);
      }
    const rooms = ascending(byRoom);
    let [soon, short, place] = [0, 0, 0];
    const seen = ascending(byDelay).map(([delay, count]) => {
      soon += count;
      for (; place < rooms.length && (rooms[place]?.[0] ?? 0) < delay; place++)
        short += rooms[place]?.[1] ?? 0;
      return { delay, count, could: soon - short };
    });
    let [logarithm, variance] = [0, 0];
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
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.delay ?? 0) > room) high = middle;
    else low = middle + 1;
  }
  return steps[low] ?? { share: 1, error: 0 };
}

const ascending = (counts: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
  [...counts].sort(([a], [b]) => a - b);

const add = (counts: Map<number, number>, key: number, count: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + count);
};

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
