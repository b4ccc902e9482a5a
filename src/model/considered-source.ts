import type { InternalId } from './records';
import type { Moment } from './units';

/**
 * What became of a candidate. ARA's own model uses the terms of "find matching sources"; under other models a source may have
 * other filters or no credit.
 */
export type SourceVerdict =
  | 'chosen'
  | 'lower-priority'
  | 'older'
  | 'scopes-differ'
  | 'filters-differ'
  | 'not-credited';

/** A source when the conversion met it. Losing sources may be deleted afterwards. */
export interface ConsideredSource {
  readonly id: InternalId;
  readonly sourceEventId: bigint;
  readonly time: Moment;
  readonly priority: bigint;
  readonly verdict: SourceVerdict;
}

/** The candidates of a conversion. */
export interface Considered {
  readonly considered: readonly ConsideredSource[];
  /** How many more there were, if any. */
  readonly unlisted?: number;
}
