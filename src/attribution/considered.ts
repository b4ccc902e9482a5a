import type { Considered, SourceVerdict } from '../model/considered-source';
import type { Source } from '../model/records';
import type { MatchingSources } from './find-source';

export interface Choice {
  readonly candidates: readonly Source[];
  readonly credited: readonly Source[];
  /** Whether ARA's order decided; otherwise another model did. */
  readonly isByPriority: boolean;
}

/** How many of a conversion's candidates are logged. There can be thousands, and again for each conversion. */
const MOST_CONSIDERED = 100;

/** The unexpired sources for the conversion, best first, and why each was chosen or not: the first 100, and all that were chosen. */
export function consider({ all, eligible }: MatchingSources, choice: Choice): Considered {
  const isEligible = eligible === all ? null : new Set(eligible);
  const rest =
    isEligible === null
      ? []
      : all.filter((source) => !isEligible.has(source)).sort((a, b) => b.time - a.time);
  const order = rest.length === 0 ? eligible : [...eligible, ...rest];
  const first = order.slice(0, MOST_CONSIDERED);
  const credited = new Set(choice.credited);
  for (const source of first) credited.delete(source);
  const chosen =
    credited.size === 0 ? [] : order.slice(MOST_CONSIDERED).filter((source) => credited.has(source));
  const verdictOn = verdicts(isEligible, choice);
  const listed = [...first, ...chosen];
  return {
    considered: listed.map((source) => ({
      id: source.id,
      sourceEventId: source.registration.sourceEventId,
      time: source.time,
      priority: source.registration.priority,
      verdict: verdictOn(source),
    })),
    ...(listed.length < order.length ? { unlisted: order.length - listed.length } : {}),
  };
}

function verdicts(eligible: ReadonlySet<Source> | null, choice: Choice): (source: Source) => SourceVerdict {
  const [credited, candidates] = [new Set(choice.credited), new Set(choice.candidates)];
  const [best] = choice.credited;
  return (source) => {
    if (credited.has(source)) return 'chosen';
    if (eligible !== null && !eligible.has(source)) return 'scopes-differ';
    if (!choice.isByPriority) return candidates.has(source) ? 'not-credited' : 'filters-differ';
    return best !== undefined && source.registration.priority < best.registration.priority
      ? 'lower-priority'
      : 'older';
  };
}
