import { Join } from '../../analysis/estimate/join/join';
import { statisticsOf, type JoinSetup } from '../../analysis/estimate/result/log-join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { Moment } from '../../src/model/units';
import { ParameterError } from '../../src/privacy/parameters';
import { reportsIn, sourcesIn } from './part-blocks';
import { PROGRESS, type ReadLog } from './read-part';

export interface JoinTask extends JoinSetup {
  /** What was read of the part, in the order of the log. */
  readonly logs: readonly ReadLog[];
  readonly progress: BigInt64Array;
}

export interface JoinedPart {
  readonly statistics: Statistics;
  readonly lastArrival: Moment;
}

/**
 * Joins the sources and reports of one part.
 * @returns null if the log must be joined in order: only there a mistake has a place.
 */
export function joinPart({ logs, progress, ...setup }: JoinTask): JoinedPart | null {
  try {
    const join = new Join(setup.joining);
    for (const log of logs) {
      const add = join.adding(log);
      for (const source of sourcesIn(log.descriptor, log.sources)) add(source);
    }
    const otherKinds = new Map<string, number>();
    for (const { descriptor, reports, otherKinds: kinds } of logs) {
      for (const report of reportsIn(descriptor, reports)) join.addReport(report);
      for (const [kind, count] of kinds) otherKinds.set(kind, (otherKinds.get(kind) ?? 0) + count);
    }
    const statistics = statisticsOf(join.result(), otherKinds, setup);
    Atomics.add(progress, PROGRESS.joined, 1n);
    return { statistics, lastArrival: join.lastArrival };
  } catch (error) {
    if (error instanceof ParameterError) return null;
    throw error;
  }
}
