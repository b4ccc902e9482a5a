import type { Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import { candidateKey, type ReadTransaction } from '../store/store';

export interface MatchingSources {
  /** Sources whose scopes match, best first: by priority, then newest. */
  readonly eligible: readonly Source[];
  /** Every unexpired source of the reporting origin for the destination. */
  readonly all: readonly Source[];
}

/** ARA, "find matching sources". */
export async function findMatchingSources(tx: ReadTransaction, trigger: Trigger): Promise<MatchingSources> {
  const key = candidateKey(trigger.reportingOrigin, trigger.destination);
  const all = (await tx.table('sources').where('candidate', key)).filter(
    ({ expiryTime }) => expiryTime > trigger.time,
  );
  const scopes = new Set(trigger.registration.attributionScopes);
  const eligible = all.filter((source) => scopesMatch(source, scopes));
  return { all, eligible: eligible.sort(byRank) };
}

/** ARA, "is higher-priority than": best first. */
function byRank(a: Source, b: Source): number {
  const [left, right] = [a.registration.priority, b.registration.priority];
  return left === right ? b.time - a.time : left > right ? -1 : 1;
}

/** ARA, "check if an attribution source and attribution trigger have matching attribution scopes". */
const scopesMatch = ({ attributionScopes }: Source, scopes: ReadonlySet<string>): boolean =>
  scopes.size === 0 || (attributionScopes?.values.some((scope) => scopes.has(scope)) ?? false);
