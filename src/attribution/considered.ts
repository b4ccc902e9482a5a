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
  const isEligible = new Set(eligible);
  const rest = all.filter((source) => !isEligible.has(source)).sort((a, b) => b.time - a.time);
  const verdictOn = verdicts(isEligible, trigger, choice);
  return [...eligible, ...rest].map((source) => ({
    id: source.id,
    sourceEventId: source.registration.sourceEventId,
    time: source.time,
    priority: source.registration.priority,
    verdict: verdictOn(source),
  }));
}

function verdicts(
  eligible: ReadonlySet<Source>,
  { registration }: Trigger,
  choice: Choice,
): (source: Source) => SourceVerdict {
  const [credited, candidates] = [new Set(choice.credited), new Set(choice.candidates)];
  const [best] = choice.credited;
  return (source) => {
    if (credited.has(source)) return 'chosen';
    if (registration.attributionScopes.length > 0 && !eligible.has(source)) return 'scopes-differ';
    if (!choice.byRank) return candidates.has(source) ? 'not-credited' : 'filters-differ';
    return best !== undefined && source.registration.priority < best.registration.priority
      ? 'lower-priority'
      : 'older';
  };
}
