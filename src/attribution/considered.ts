import type { ConsideredSource, SourceVerdict } from '../model/considered-source';
import type { Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import type { MatchingSources } from './find-source';

export interface Choice {
  readonly candidates: readonly Source[];
  readonly credited: readonly Source[];
  /** Whether ARA's order decided; otherwise another model did. */
  readonly byRank: boolean;
}

/** Every unexpired source for the conversion, best first, and why it was chosen or not. */
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
