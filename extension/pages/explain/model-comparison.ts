import { creditShares, type Candidate } from '../../../analysis/credits/models';
import type { ConsideredSource } from '../../../src/model/considered-source';
import type { AttributionModel } from '../../../src/model/mechanisms';
import type { TriggerEntry } from '../data/trigger-entry';

/** The candidates of a trigger, the oldest first; none if the log does not list them all. */
export const candidatesOf = (entry: TriggerEntry): readonly ConsideredSource[] =>
  (entry.unlisted === undefined ? (entry.considered ?? []) : [])
    .filter(({ verdict }) => verdict !== 'scopes-differ' && verdict !== 'filters-differ')
    .sort((a, b) => a.time - b.time || a.id - b.id);

export const sharesFor = (model: AttributionModel, entry: TriggerEntry): readonly number[] =>
  creditShares(model, asCandidates(entry));

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
