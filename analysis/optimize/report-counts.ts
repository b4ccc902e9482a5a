import { countStates, type ReportSpaceShape } from '../../src/states/report-space';

export interface SpecShape {
  readonly triggerData: number;
  readonly windows: number;
  readonly buckets: number;
  /** `max_event_level_reports` of the source, at least `buckets`. */
  readonly maxReports: number;
}

export const reportSpaceShape = ({
  triggerData,
  windows,
  buckets,
  maxReports,
}: SpecShape): ReportSpaceShape => ({
  triggerData: Array.from({ length: triggerData }, () => ({ windows, maxReports: buckets })),
  maxReports,
});

/** In how many of the source's states one trigger data has 0, 1, … `buckets` reports. The sum is the number of states. */
export function statesByReports(spec: SpecShape): bigint[] {
  const [one, ...others] = reportSpaceShape(spec).triggerData;
  if (one === undefined) return [];
  const statesUpTo = (reports: number): bigint =>
    reports < 0
      ? 0n
      : countStates({
          triggerData: [{ ...one, maxReports: reports }, ...others],
          maxReports: spec.maxReports,
        });
  return Array.from(
    { length: spec.buckets + 1 },
    (_, reports) => statesUpTo(reports) - statesUpTo(reports - 1),
  );
}
