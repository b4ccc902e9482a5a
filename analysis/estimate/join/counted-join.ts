import type { Duration, Moment } from '../../../src/model/units';
import type { JoinResult } from './join';
import { JoinedGroups, type SourceGroup } from './joined-groups';
import { ReportUse, type UseCounts, type UsedReport } from './report-use';
import { SourceOutputs, type SourceRules } from './source-outputs';
import { SourceTally } from './source-tally';

/** Sources with the same output, and how their reports were used. Both can be added up. */
export interface Outcome {
  /** Null: the value is missing, or there is no configuration. */
  readonly output: string | null;
  readonly sources: number;
  /** How many of the sources lack the report of a lower summary bucket. */
  readonly incomplete: number;
  readonly reports: number;
  readonly use: UseCounts;
}

/** The outcome of one source. @param rules null: it has no configuration. @param time the time in the log. */
export function outcomeOf(
  rules: SourceRules | null,
  reports: readonly UsedReport[],
  time: Moment,
  skew: Duration,
): Outcome {
  const outputs = new SourceOutputs();
  const use = new ReportUse();
  if (rules !== null) for (const report of reports) use.report(outputs, rules, report, time, skew);
  return {
    output: rules === null ? null : outputs.output(rules),
    sources: 1,
    incomplete: outputs.hasGap() ? 1 : 0,
    reports: reports.length,
    use,
  };
}

/** The result of `Join` for sources and reports that were joined and counted beforehand. */
export class CountedJoin {
  private readonly groups = new JoinedGroups();
  private readonly tally = new SourceTally();
  private readonly use = new ReportUse();
  private readonly read = { sources: 0, reports: 0 };
  private unusedSource = 0;

  /** @param isOpen whether the last report window of these sources is open. */
  add(of: SourceGroup, isOpen: boolean, { output, sources, incomplete, reports, use }: Outcome): void {
    this.read.sources += sources;
    this.read.reports += reports;
    const number = this.groups.numberOf(of, () => isOpen);
    const rules = this.groups.rulesOf(number);
    if (rules === undefined) {
      this.tally.addUnused(number, sources);
      this.unusedSource += reports;
    } else {
      this.tally.add(number, rules, output, sources, incomplete);
      this.use.add(use);
    }
  }

  /** @param unknownSource how many further reports are of none of the sources. */
  result(unknownSource: number, completeUntil: Moment): JoinResult {
    const { used, late, otherRate, inconsistent } = this.use;
    return {
      completeUntil,
      configurations: this.groups.tallies(this.tally.outputs, () => undefined),
      counts: {
        // No source of a store has the identity of another, nor a report the id of another.
        sources: { read: this.read.sources, repeated: 0, reused: 0, ...this.tally.counts },
        reports: {
          read: this.read.reports + unknownSource,
          used,
          duplicate: 0,
          unknownSource,
          unusedSource: this.unusedSource,
          late,
          otherRate,
          inconsistent,
        },
      },
    };
  }
}
