import type { InternalId, Source } from '../model/records';
import type { Moment } from '../model/units';
import type { Trigger } from './find-source';

/** What became of a source that a conversion could have been attributed to, in the words of ARA, "find matching sources". */
export type SourceVerdict = 'chosen' | 'lower-priority' | 'older' | 'scopes-differ';

/** A source as a conversion met it; afterwards those that lost are gone. */
export interface ConsideredSource {
  readonly id: InternalId;
  readonly sourceEventId: bigint;
  readonly time: Moment;
  readonly priority: bigint;
  readonly verdict: SourceVerdict;
}

/** Every unexpired source for the conversion, the best first, and why it was chosen or not. */
export function consider(
  all: readonly Source[],
  eligible: readonly Source[],
  trigger: Trigger,
): readonly ConsideredSource[] {
  const rest = all.filter((source) => !eligible.includes(source)).sort((a, b) => b.time - a.time);
  return [...eligible, ...rest].map((source) => ({
    id: source.id,
    sourceEventId: source.registration.sourceEventId,
    time: source.time,
    priority: source.registration.priority,
    verdict: verdictOn(source, eligible, trigger),
  }));
}

function verdictOn(source: Source, eligible: readonly Source[], { registration }: Trigger): SourceVerdict {
  const best = eligible[0];
  if (source === best) return 'chosen';
  if (registration.attributionScopes.length > 0 && !eligible.includes(source)) return 'scopes-differ';
  return best !== undefined && source.registration.priority < best.registration.priority
    ? 'lower-priority'
    : 'older';
}
