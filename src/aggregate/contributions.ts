import type { AggregatableContribution } from '../model/aggregatable';
import type { Source } from '../model/records';
import type { Trigger } from '../model/trigger';

/**
 * ARA, "create aggregatable contributions".
 * @param share the source's share of a value, if several sources get credit; a share of 0 contributes nothing.
 */
export function createContributions(
  source: Source,
  { registration: { aggregatable }, matcherOf }: Trigger,
  share: (value: number) => number,
): readonly AggregatableContribution[] {
  const keys = new Map(source.registration.aggregatable.keys);
  const matchesData = matcherOf(aggregatable.triggerData)(source);
  for (const [index, data] of aggregatable.triggerData.entries()) {
    if (!matchesData(index)) continue;
    for (const name of data.sourceKeys) {
      const key = keys.get(name);
      if (key !== undefined) keys.set(name, key | data.keyPiece);
    }
  }
  const matchesValues = matcherOf(aggregatable.values)(source);
  const configuration = aggregatable.values.find((_, index) => matchesValues(index));
  return [...keys].flatMap(([name, key]) => {
    const found = configuration?.values.get(name);
    const value = found === undefined ? 0 : share(found.value);
    return found === undefined || value === 0 ? [] : [{ key, value, filteringId: found.filteringId }];
  });
}

/** ARA, "required aggregatable budget". */
export const requiredBudget = (contributions: readonly AggregatableContribution[]): number =>
  contributions.reduce((sum, { value }) => sum + value, 0);
