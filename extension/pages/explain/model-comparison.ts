import { creditShares, type Candidate } from './compare-models';
import type { ConsideredSource } from '../../../src/model/considered-source';
import type { AttributionModel, PrivateModel } from '../../../src/model/mechanisms';
import { epsilon } from '../../../src/model/units';
import type { TriggerEntry } from '../data/tables/triggers';

/** Used when the settings choose no private model. */
const examplePrivateModel: PrivateModel = {
  kind: 'exponential',
  epsilon: epsilon(1),
  score: 'linear',
  unit: 'hours',
  tau: 1,
  gap: null,
};

/** All models. Private ones get the parameters of `chosen` if it is private. */
export function modelsBeside(chosen: AttributionModel): readonly AttributionModel[] {
  const parameters =
    chosen.kind === 'exponential' || chosen.kind === 'permute-and-flip' ? chosen : examplePrivateModel;
  const halfLife = chosen.kind === 'time-decay' ? chosen.halfLife : 7 * 24 * 3600;
  const models: { readonly [Kind in AttributionModel['kind']]: AttributionModel & { readonly kind: Kind } } =
    {
      priority: { kind: 'priority' },
      'last-touch': { kind: 'last-touch' },
      'first-touch': { kind: 'first-touch' },
      linear: { kind: 'linear', credit: 'draw' },
      'position-based': { kind: 'position-based', credit: 'draw' },
      'time-decay': { kind: 'time-decay', credit: 'draw', halfLife },
      exponential: { ...parameters, kind: 'exponential' },
      'permute-and-flip': { ...parameters, kind: 'permute-and-flip' },
    };
  return Object.values(models);
}

/** The candidates of a trigger, the oldest first; none if the log does not list them all. */
export const candidatesOf = (entry: TriggerEntry): readonly ConsideredSource[] =>
  (entry.unlisted === undefined ? (entry.considered ?? []) : [])
    .filter(({ verdict }) => verdict !== 'scopes-differ' && verdict !== 'filters-differ')
    .sort((a, b) => a.time - b.time || a.id - b.id);

export const sharesFor = (model: AttributionModel, entry: TriggerEntry): readonly number[] =>
  creditShares(model, asCandidates(entry));

const asCandidates = (entry: TriggerEntry): readonly Candidate[] =>
  candidatesOf(entry).map(({ time, priority }) => ({ age: Math.max(0, entry.time - time), priority }));

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
