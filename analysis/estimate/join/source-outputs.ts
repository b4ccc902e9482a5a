import { between, type Duration, type Moment } from '../../../src/model/units';
import type { CollectedReport } from '../../../formats/reports/report-line';
import type { ReportSpace, ReportState } from '../../../src/states/report-space';
import type { triggerDataOf } from '../../../src/states/source-space';
import type { Estimator } from '../unbiased/estimator';
import type { OutputShape } from '../quantities/quantities';

/** The fields of a report that determine its source's output. */
export type ReportedCell = Pick<
  CollectedReport,
  'triggerData' | 'scheduledTime' | 'summaryBucket' | 'noisyValue'
>;

/** Why a report cannot belong to its source. */
export type Inconsistency =
  /** The source does not have this trigger data. */
  | 'triggerData'
  /** No report window ends at the report's due time. */
  | 'window'
  /** The source does not have this summary bucket, or has already reported it. */
  | 'bucket'
  | 'tooMany'
  /** A value that the mechanism does not give, or no value where it gives one. */
  | 'value';

/** The possible outputs of the sources of a configuration. */
export interface SourceRules {
  readonly shape: OutputShape;
  /** The trigger data of the shape, in the order of positions. */
  readonly data: ReturnType<typeof triggerDataOf>;
  /** The different ends of all windows, in ascending order. */
  readonly ends: readonly Duration[];
  readonly space: ReportSpace;
  readonly estimator: Estimator;
  readonly isHeartbeat: boolean;
}

/** The content of one report: its trigger data, window and bucket. */
interface Cell {
  /** The position of the trigger data in the source's list. */
  readonly position: number;
  readonly window: number;
  /** The bucket of the spec; null if reports name none. */
  readonly bucket: number | null;
}

/**
 * From so many reports a source is flooded: it makes at most 20, and somebody else sent the others. No further one is read, because a stranger
 * decides how many there are.
 */
export const FLOOD = 100;
/** In place of a flooded source's output. */
export const FLOODED = 'flooded';

/** Collects the reports of one source. */
export class SourceOutputs {
  private cells: readonly Cell[] = [];
  private value: string | null = null;

  /** @param misfits how many reports did not fit the source */
  constructor(public misfits = 0) {}

  /** For a source with so many misfits. */
  copy(misfits: number): SourceOutputs {
    const copy = new SourceOutputs(misfits);
    [copy.cells, copy.value] = [this.cells, this.value];
    return copy;
  }

  /**
   * What further reports and the output depend on, besides the misfits: sources with the same text can share this object. The order in which reports came
   * is left out, because there are far more orders than sets. So are misfits: strangers decide how many there are.
   */
  text(): string {
    const cells = this.cells
      .map(({ position, window, bucket }) => `${position} ${window} ${bucket ?? ''}`)
      .sort();
    return [this.value ?? '', ...cells].join(',');
  }

  /**
   * @param time of the source, by the log.
   * @param skew the largest difference between the clocks of log and browser.
   * @returns null when the report fits, else why it is left out.
   */
  add(rules: SourceRules, report: ReportedCell, time: Moment, skew: Duration): Inconsistency | null {
    if (this.isFlooded()) return 'tooMany';
    const wrong = rules.estimator.valued
      ? this.addValue(rules, report)
      : this.addCell(rules, report, (ends) => windowOf(ends, between(time, report.scheduledTime), skew));
    if (wrong !== null) this.misfits += 1;
    return wrong;
  }

  private isFlooded(): boolean {
    return this.cells.length + (this.value === null ? 0 : 1) + this.misfits >= FLOOD;
  }

  private addValue({ estimator }: SourceRules, { noisyValue }: ReportedCell): Inconsistency | null {
    const output = noisyValue === null ? null : estimator.outputOf(noisyValue);
    if (output === null) return 'value';
    if (this.value !== null) return 'tooMany';
    this.value = output;
    return null;
  }

  private addCell(
    { shape, data }: SourceRules,
    report: ReportedCell,
    windowFor: (ends: readonly Duration[]) => number | null,
  ): Inconsistency | null {
    if (report.noisyValue !== null) return 'value';
    const position = data.findIndex(({ triggerData }) => BigInt(triggerData) === report.triggerData);
    const spec = data[position]?.spec;
    if (spec === undefined) return 'triggerData';
    const window = windowFor(spec.windows.ends);
    if (window === null) return 'window';
    const bucket = shape.flexible ? spec.summaryBuckets.indexOf(report.summaryBucket?.[0] ?? -1) : null;
    const own = this.cells.filter((cell) => cell.position === position);
    if (bucket !== null && (bucket < 0 || own.some((cell) => cell.bucket === bucket))) return 'bucket';
    if (own.length >= spec.summaryBuckets.length || this.cells.length >= shape.maxEventLevelReports)
      return 'tooMany';
    this.cells = [...this.cells, { position, window, bucket }];
    return null;
  }

  /** The number of the output, or `FLOODED`; null when a value is missing. */
  output({ data, space, estimator }: SourceRules): string | null {
    if (this.isFlooded()) return FLOODED;
    if (estimator.valued) return this.value;
    if (this.cells.length === 0) return '0';
    const state: ReportState = data.map((_, position) =>
      this.cells.flatMap((cell) => (cell.position === position ? [cell.window] : [])),
    );
    return String(space.encode(state));
  }

  /** Whether a bucket was reported but a lower one was not: a report is missing. */
  hasGap(): boolean {
    return this.cells.some(
      ({ position, bucket }) =>
        bucket !== null &&
        bucket > 0 &&
        !this.cells.some((other) => other.position === position && other.bucket === bucket - 1),
    );
  }
}

/** How far the due time of a report may be from the end of its window: reports name whole seconds. */
export const tolerance = (skew: Duration): number => skew + 999;

/** The window that ends nearest to the report's due time, within the difference that the clocks can explain. */
function windowOf(ends: readonly Duration[], elapsed: Duration, skew: Duration): number | null {
  let nearest: number | null = null;
  let least = tolerance(skew);
  ends.forEach((end, window) => {
    const distance = Math.abs(end - elapsed);
    if (distance <= least) [nearest, least] = [window, distance];
  });
  return nearest;
}

/**
 * The times from source to due time, in ms and ascending, at which the window of a report can change. Between two of them, all reports of the same
 * content have the same window.
 */
export function windowBounds(all: Iterable<SourceRules>, skew: Duration): readonly number[] {
  const bounds = new Set<number>();
  for (const { data } of all)
    for (const { spec } of data) {
      const { ends } = spec.windows;
      ends.forEach((end, window) => {
        bounds.add(end - tolerance(skew)).add(end + tolerance(skew) + 1);
        const next = ends[window + 1];
        if (next !== undefined) bounds.add(Math.ceil((end + next) / 2));
      });
    }
  return [...bounds].sort((a, b) => a - b);
}
