/** ARA, "aggregatable contribution". A null contribution, which pads a payload, has zeros only. */
export interface AggregatableContribution {
  /** Of 128 bits. */
  readonly key: bigint;
  readonly value: number;
  /** Of at most 64 bits. */
  readonly filteringId: bigint;
}

/** Which reports are meant: of attributions, or aggregatable debug reports. */
export type AggregatableApi = 'attribution-reporting' | 'attribution-reporting-debug';

/** The length of a report's list of contributions (ARA, "max aggregation keys per source registration" and its debug counterpart). */
export const CONTRIBUTIONS_PER_REPORT: Readonly<Record<AggregatableApi, number>> = {
  'attribution-reporting': 20,
  'attribution-reporting-debug': 2,
};

/** The most that all contributions of a source may sum to (ARA, "allowed aggregatable budget per source"). */
export const CONTRIBUTION_BUDGET = 65_536;
