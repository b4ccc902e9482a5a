import { MAX_UINT32, type SourceRegistration, type TriggerSpec } from '../model/registration';
import type { ReportSpaceShape, ReportState } from './report-space';

/** One report of a state. */
export interface StateReport {
  readonly triggerData: number;
  readonly windowIndex: number;
  /** The bucket that it crossed: the first report of a trigger data has the first, and so on. */
  readonly bucket: number;
}

export function triggerDataOf({
  triggerSpecs,
}: Pick<SourceRegistration, 'triggerSpecs'>): readonly { triggerData: number; spec: TriggerSpec }[] {
  return triggerSpecs.flatMap((spec) => spec.triggerData.map((triggerData) => ({ triggerData, spec })));
}

/** ARA, "find matching trigger data". */
export function findTriggerData(
  registration: Pick<SourceRegistration, 'triggerSpecs' | 'triggerDataMatching'>,
  value: bigint,
): { triggerData: number; spec: TriggerSpec } | null {
  const entries = triggerDataOf(registration);
  if (entries.length === 0) return null;
  const wanted = registration.triggerDataMatching === 'modulus' ? value % BigInt(entries.length) : value;
  return entries.find(({ triggerData }) => BigInt(triggerData) === wanted) ?? null;
}

/** @throws RangeError for unknown trigger data. */
export function specOf(
  registration: Pick<SourceRegistration, 'triggerSpecs'>,
  triggerData: number,
): TriggerSpec {
  const spec = registration.triggerSpecs.find((candidate) => candidate.triggerData.includes(triggerData));
  if (spec === undefined) throw new RangeError(`the source has no trigger data ${triggerData}`);
  return spec;
}

/** First and last sum of a bucket, both included; the last bucket ends at 2^32 − 1. */
export function bucketRange(
  { summaryBuckets }: TriggerSpec,
  bucket: number,
): readonly [first: number, last: number] {
  const next = summaryBuckets[bucket + 1];
  return [summaryBuckets[bucket] ?? 0, next === undefined ? MAX_UINT32 : next - 1];
}

/** The part of a registration that its states depend on. */
type Shaped = Pick<SourceRegistration, 'triggerSpecs' | 'maxEventLevelReports'>;

/** What decides how many states a source has. */
export function shapeOf(registration: Shaped): ReportSpaceShape {
  return {
    triggerData: triggerDataOf(registration).map(({ spec }) => ({
      windows: spec.windows.ends.length,
      maxReports: spec.summaryBuckets.length,
    })),
    maxReports: registration.maxEventLevelReports,
  };
}

/** The reports that a source in this state makes. */
export function reportsOfState(
  registration: Pick<SourceRegistration, 'triggerSpecs'>,
  state: ReportState,
): readonly StateReport[] {
  return triggerDataOf(registration).flatMap(({ triggerData }, position) =>
    (state[position] ?? []).map((windowIndex, bucket) => ({ triggerData, windowIndex, bucket })),
  );
}

/** The state of these reports, in any order, because a collector cannot know it. @throws RangeError for unknown trigger data. */
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
