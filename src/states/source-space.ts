import type { SourceRegistration, TriggerSpec } from '../model/registration';
import { MAX_UINT32 } from '../parsing/fields';
import type { ReportSpaceShape, ReportState } from './report-space';

/** A report as one state of a source lists it. */
export interface StateReport {
  readonly triggerData: number;
  readonly windowIndex: number;
  /** Which bucket of its spec it says was crossed: the first report of a trigger data the first, and so on. */
  readonly bucket: number;
}

/** The trigger data of a source in order, each with its spec. */
export function triggerDataOf({
  triggerSpecs,
}: Pick<SourceRegistration, 'triggerSpecs'>): readonly { triggerData: number; spec: TriggerSpec }[] {
  return triggerSpecs.flatMap((spec) => spec.triggerData.map((triggerData) => ({ triggerData, spec })));
}

/** First and last sum of a bucket, both included; the last bucket ends at 2^32 − 1. */
export function bucketRange(
  { summaryBuckets }: TriggerSpec,
  bucket: number,
): readonly [first: number, last: number] {
  const next = summaryBuckets[bucket + 1];
  return [summaryBuckets[bucket] ?? 0, next === undefined ? MAX_UINT32 : next - 1];
}

/** The report space of a source. */
export function shapeOf(
  registration: Pick<SourceRegistration, 'triggerSpecs' | 'maxEventLevelReports'>,
): ReportSpaceShape {
  return {
    triggerData: triggerDataOf(registration).map(({ spec }) => ({
      windows: spec.windows.ends.length,
      maxReports: spec.summaryBuckets.length,
    })),
    maxReports: registration.maxEventLevelReports,
  };
}

/** The reports that a state stands for. */
export function reportsOfState(
  registration: Pick<SourceRegistration, 'triggerSpecs'>,
  state: ReportState,
): readonly StateReport[] {
  return triggerDataOf(registration).flatMap(({ triggerData }, position) =>
    (state[position] ?? []).map((windowIndex, bucket) => ({ triggerData, windowIndex, bucket })),
  );
}

/**
 * The state that a list of reports makes; their order does not matter, as a collector cannot know it.
 * @throws RangeError for trigger data that the source does not have.
 */
export function stateOfReports(
  registration: Pick<SourceRegistration, 'triggerSpecs'>,
  reports: readonly Pick<StateReport, 'triggerData' | 'windowIndex'>[],
): ReportState {
  const known = triggerDataOf(registration).map(({ triggerData }) => triggerData);
  const unknown = reports.find(({ triggerData }) => !known.includes(triggerData));
  if (unknown !== undefined) {
    throw new RangeError(`trigger_data must be one of ${known.join(', ')}, was ${unknown.triggerData}`);
  }
  return known.map((triggerData) =>
    reports
      .filter((report) => report.triggerData === triggerData)
      .map(({ windowIndex }) => windowIndex)
      .sort((a, b) => a - b),
  );
}
