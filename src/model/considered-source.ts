import type { InternalId } from './records';
import type { Moment } from './units';

/**
 * What became of a source that a conversion could have been attributed to: in ARA's own model in the words of "find matching sources";
 * in others it may have other filters, or not have been credited.
 */
export type SourceVerdict =
  'chosen' | 'lower-priority' | 'older' | 'scopes-differ' | 'filters-differ' | 'not-credited';

/** A source as a conversion met it; afterwards those that lost may be gone. */
export interface ConsideredSource {
  readonly id: InternalId;
  readonly sourceEventId: bigint;
  readonly time: Moment;
  readonly priority: bigint;
  readonly verdict: SourceVerdict;
}
