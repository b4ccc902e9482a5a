import { between, minutes, type Duration, type Moment } from '../../../src/model/units';
import type { CollectedReport } from '../../../formats/reports/report-line';
import type { Estimator } from '../unbiased/estimator';
import type { Inconsistency, ReportedCell, SourceOutputs, SourceRules } from './source-outputs';

/** The part of a report that decides how it is used, once its source is known. */
export type UsedReport = ReportedCell & Pick<CollectedReport, 'randomizedTriggerRate' | 'receivedTime'>;

/** How the reports of counted sources were used. */
export interface UseCounts {
  readonly used: number;
  /** Used, but received more than an hour after the due time. */
  readonly late: number;
  /** Used, but with a different noise rate from the configuration's. */
  readonly otherRate: number;
  readonly inconsistent: Readonly<Record<Inconsistency, number>>;
}

/** A report that is received later than this after its due time is late. */
export const LATE = minutes(60);

/** Counts how reports are used, one by one. */
export class ReportUse implements UseCounts {
  used = 0;
  late = 0;
  otherRate = 0;
  readonly inconsistent: Record<Inconsistency, number> = {
    triggerData: 0,
    window: 0,
    bucket: 0,
    tooMany: 0,
    value: 0,
  };

  /** Adds a report to the outputs of its source. @param time of the source, by the log. @returns whether it is used. */
  report(
    outputs: SourceOutputs,
    rules: SourceRules,
    report: UsedReport,
    time: Moment,
    skew: Duration,
  ): boolean {
    const wrong = outputs.add(rules, report, time, skew);
    if (wrong !== null) {
      this.inconsistent[wrong] += 1;
      return false;
    }
    this.used += 1;
    if (report.receivedTime !== null && between(report.scheduledTime, report.receivedTime) > LATE)
      this.late += 1;
    if (report.randomizedTriggerRate !== null && isOtherRate(rules.estimator, report.randomizedTriggerRate))
      this.otherRate += 1;
    return true;
  }

  /** Adds what was counted elsewhere. */
  add({ used, late, otherRate, inconsistent }: UseCounts): void {
    this.used += used;
    this.late += late;
    this.otherRate += otherRate;
    for (const why of inconsistencies) this.inconsistent[why] += inconsistent[why];
  }
}

const inconsistencies: readonly Inconsistency[] = ['triggerData', 'window', 'bucket', 'tooMany', 'value'];

/** Reports round the rate to seven digits. */
const isOtherRate = ({ replaceProbability }: Estimator, rate: number): boolean =>
  replaceProbability !== null && Math.abs(replaceProbability - rate) > 6e-8;
