import type { Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import type { View } from '../store/draft';
import { candidateKey } from '../store/rows';

export interface MatchingSources {
  /** Sources whose scopes match, best first: by priority, then newest. */
  readonly eligible: readonly Source[];
  /** Every unexpired source of the reporting origin for the destination, best first, without forgotten ones. */
  readonly all: readonly Source[];
}

/** ARA, "find matching sources". */
export function findMatchingSources(view: View, trigger: Trigger): MatchingSources {
  const key = candidateKey(trigger.reportingOrigin, trigger.destination);
  const all = view.candidates(key, trigger.time);
  const scopes = new Set(trigger.registration.attributionScopes);
  return { all, eligible: scopes.size === 0 ? all : all.filter((source) => scopesMatch(source, scopes)) };
}

/** ARA, "check if an attribution source and attribution trigger have matching attribution scopes". */
const scopesMatch = ({ attributionScopes }: Source, scopes: ReadonlySet<string>): boolean =>
  attributionScopes?.values.some((scope) => scopes.has(scope)) ?? false;
