import { creditShares, type Candidate } from '../../../analysis/credits/models';
import type { ConsideredSource } from '../../../src/model/considered-source';
import type { AttributionModel } from '../../../src/model/mechanisms';
import type { TriggerEntry } from '../data/trigger-entry';

/** The log lists a hundred, and those with credit. A file can list more, for which a private model would take long. */
const MOST_CANDIDATES = 300;

/** The candidates of a trigger, the oldest first; none if the log does not list all, or lists very many. */
export const candidatesOf = ({ considered = [], unlisted }: TriggerEntry): readonly ConsideredSource[] =>
  (unlisted === undefined && considered.length <= MOST_CANDIDATES ? considered : [])
    .filter(({ verdict }) => verdict !== 'scopes-differ' && verdict !== 'filters-differ')
    .sort((a, b) => a.time - b.time || a.id - b.id);

/** What was computed, because each card of the view compares the same. */
const known = new WeakMap<AttributionModel, WeakMap<TriggerEntry, readonly number[]>>();

export function sharesFor(model: AttributionModel, entry: TriggerEntry): readonly number[] {
  const ofModel = known.get(model) ?? new WeakMap<TriggerEntry, readonly number[]>();
  known.set(model, ofModel);
  const candidates = asCandidates(entry);
  const shares = ofModel.get(entry) ?? (candidates.length === 0 ? [] : creditShares(model, candidates));
  ofModel.set(entry, shares);
  return shares;
}

const asCandidates = (entry: TriggerEntry): readonly Candidate[] =>
  candidatesOf(entry).map(({ time, priority }) => ({ age: Math.max(0, entry.time - time), priority }));

/** Whether it matters to a trigger which of the models is in force. */
export function modelsDiffer(models: readonly AttributionModel[], entry: TriggerEntry): boolean {
  const [first, ...others] = models.map((model) => sharesFor(model, entry));
  return others.some((shares) =>
    shares.some((share, index) => Math.abs(share - (first?.[index] ?? 0)) > 1e-9),
  );
}

/** The average share of triggers with several candidates for which two models credit different sources. */
export function disagreement(
  a: AttributionModel,
  b: AttributionModel,
  entries: readonly TriggerEntry[],
): number {
  const several = entries.filter((entry) => candidatesOf(entry).length > 1);
  if (several.length === 0) return 0;
  const agreeing = several.map((entry) => {
    const other = sharesFor(b, entry);
    return sharesFor(a, entry).reduce((sum, share, index) => sum + share * (other[index] ?? 0), 0);
  });
  return 1 - agreeing.reduce((sum, share) => sum + share, 0) / several.length;
}
