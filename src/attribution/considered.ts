import type { InternalId, Source } from '../model/records';
import type { Moment } from '../model/units';
import type { MatchingSources, Trigger } from './find-source';

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

/** Among whom a model chose, and whom. */
export interface Choice {
  readonly candidates: readonly Source[];
  readonly credited: readonly Source[];
  /** Whether ARA's order decided; else another model did. */
  readonly byRank: boolean;
}

/** Every unexpired source for the conversion, the best first, and why it was chosen or not. */
export function consider(
  { all, eligible }: MatchingSources,
  trigger: Trigger,
  choice: Choice,
): readonly ConsideredSource[] {
  const rest = all.filter((source) => !eligible.includes(source)).sort((a, b) => b.time - a.time);
  return [...eligible, ...rest].map((source) => ({
    id: source.id,
    sourceEventId: source.registration.sourceEventId,
    time: source.time,
    priority: source.registration.priority,
    verdict: verdictOn(source, eligible, trigger, choice),
  }));
}

function verdictOn(
  source: Source,
  eligible: readonly Source[],
  { registration }: Trigger,
  { candidates, credited, byRank }: Choice,
): SourceVerdict {
  if (credited.includes(source)) return 'chosen';
  if (registration.attributionScopes.length > 0 && !eligible.includes(source)) return 'scopes-differ';
  if (!byRank) return candidates.includes(source) ? 'not-credited' : 'filters-differ';
  const [best] = credited;
  return best !== undefined && source.registration.priority < best.registration.priority
    ? 'lower-priority'
    : 'older';
}
