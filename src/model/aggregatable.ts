/** ARA, "aggregatable contribution". A null contribution, which pads a payload, has zeros only. */
export interface AggregatableContribution {
  /** A number of 128 bits. */
  readonly key: bigint;
  readonly value: number;
  /** A number of at most 64 bits. */
  readonly filteringId: bigint;
}

/** The most that all contributions of a source may sum to (ARA, "allowed aggregatable budget per source"). */
export const CONTRIBUTION_BUDGET = 65_536;

/** A public key for sealing reports: its id stands in the report; the key is of X25519, in Base64. */
export interface AggregationKey {
  readonly id: string;
  readonly key: string;
}
