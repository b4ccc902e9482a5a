import { lossOf } from '../../../src/limits/privacy-budget';
import type { BudgetSettings } from '../../../src/model/mechanisms';
import { budgetKey, withoutNames, type Spend } from '../../../src/model/spend';
import type { Epsilon } from '../../../src/model/units';
import { basicComposition, parallelComposition } from '../../../analysis/noise/composition';
import type { Rational } from '../../../src/privacy/rational';
import { composedEpsilon } from './composed-epsilon';

/** What one privacy unit has spent in one period. */
export interface Account {
  readonly spend: Spend;
  readonly count: number;
  readonly impressions: number;
  /** What its conversions may have told. */
  readonly epsilon: Epsilon;
  readonly by: 'basic' | 'advanced';
  /** What the times of its clicks may have told. */
  readonly attribution: Epsilon;
  /** Of the part for conversions; null when there is no limit. */
  readonly limit: number | null;
  readonly left: number | null;
}

/** The accounts of the privacy unit in the settings, in the order of their latest spends. */
export const accountsOf = (spends: readonly Spend[], settings: BudgetSettings): readonly Account[] =>
  [...spendsByAccount(spends, settings).values()].map((lines) => accountOf(lines, settings)).sort(byLatest);

/**
 * The most ε that the conversions of one unit lose to one reporting site in one period, while those of other units stay the same
 * (docs/noise.md, "Budget"). What was spent under an erased name may have been of any unit of its kind.
 */
export function mostLost(spends: readonly Spend[], settings: BudgetSettings): number {
  const accounts = spendsByAccount(spends, settings);
  const losses = [...accounts].map(([key, lines]) => {
    const [first] = lines;
    const nameless = first === undefined ? key : budgetKey(withoutNames(first));
    return spentOn('report', nameless === key ? lines : [...lines, ...(accounts.get(nameless) ?? [])]);
  });
  return parallelComposition(losses.map(basicComposition)).toNumber();
}

const spentOn = (purpose: Spend['purpose'], lines: readonly Spend[]): readonly Rational[] =>
  lines.filter((line) => line.purpose === purpose).map(lossOf);

function spendsByAccount(
  spends: readonly Spend[],
  settings: BudgetSettings,
): ReadonlyMap<string, readonly Spend[]> {
  const groups = new Map<string, Spend[]>();
  for (const spend of spends.filter(({ unit }) => unit === settings.unit)) {
    const key = budgetKey(spend);
    groups.set(key, [...(groups.get(key) ?? []), spend]);
  }
  return groups;
}

function accountOf(lines: readonly Spend[], { epsilon, delta, attributionEpsilon }: BudgetSettings): Account {
  const [spend] = lines;
  if (spend === undefined) throw new RangeError('an account has a line');
  const composed = composedEpsilon(spentOn('report', lines), delta);
  const limit = epsilon === null ? null : epsilon - attributionEpsilon;
  return {
    spend: lines.reduce((latest, line) => (line.time > latest.time ? line : latest), spend),
    count: lines.length,
    impressions: lines.filter(({ purpose }) => purpose === 'report').length,
    ...composed,
    attribution: composedEpsilon(spentOn('attribution', lines), delta).epsilon,
    limit,
    left: limit === null ? null : Math.max(0, limit - composed.epsilon),
  };
}

const byLatest = (a: Account, b: Account): number => b.spend.time - a.spend.time;
