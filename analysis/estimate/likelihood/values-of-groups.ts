import type { GroupTruth } from './raking';

/**
 * The values of groups, so that larger groups have the sums of their parts. Groups that stand out keep their own values, and the others share the rest as
 * their likeliest truths do.
 * @param likely of the likeliest truths, by group. Larger groups come first.
 * @param unbiased of a group that has its unbiased totals.
 * @param rest what the others have together, given that likely value and the values of those that stand out.
 */
export function valuesOf(
  groups: readonly GroupTruth[],
  likely: readonly number[],
  unbiased: (group: GroupTruth, index: number) => number,
  rest: (likely: number, others: number) => number,
): readonly number[] {
  const keyOf = (group: readonly string[]): string => JSON.stringify(group);
  const found = groups.map((truth, index) => ({
    truth,
    own: truth.sums === 'unbiased' ? unbiased(truth, index) : (likely[index] ?? NaN),
    isScaled: truth.sums === 'scaled',
    isWhole: true,
    scaled: 0,
    others: 0,
    /** By what its parts are multiplied. */
    by: 1,
  }));
  const byKey = new Map(found.map((each) => [keyOf(each.truth.group), each]));
  const aboveOf = ({ truth: { group } }: (typeof found)[number]): (typeof found)[number] | undefined =>
    group.length === 0 ? undefined : byKey.get(keyOf(group.slice(0, -1)));
  for (const each of found) {
    const above = aboveOf(each);
    if (above === undefined) continue;
    above.isWhole = false;
    // The parts of a group that stands out add up to it.
    each.isScaled &&= above.isScaled;
  }
  for (const each of found.toReversed()) {
    if (each.isWhole) each[each.isScaled ? 'scaled' : 'others'] = each.own;
    else if (each.truth.sums === 'unbiased' && each.others > 0) {
      each.by = each.own / each.others;
      each.others = each.own;
    }
    const above = aboveOf(each);
    if (above === undefined) continue;
    above.scaled += each.scaled;
    above.others += each.others;
  }
  for (const each of found) {
    const by = aboveOf(each)?.by ?? 1;
    each.others *= by;
    each.by *= by;
  }
  const { scaled: all, others } = found[0] ?? { scaled: NaN, others: NaN };
  const by = all > 0 ? rest(all, others) / all : 1;
  return found.map((each) => each.others + by * each.scaled);
}
