import { lossOf } from '../../../src/limits/privacy-budget';
import type { BudgetSettings } from '../../../src/model/mechanisms';
import { budgetKey, type Spend } from '../../../src/model/spend';
import type { Epsilon } from '../../../src/model/units';
import { basicComposition, composedEpsilon, parallelComposition } from '../../../src/privacy/composition';

/** What one privacy unit has spent in one period. */
export interface Account {
  readonly spend: Spend;
  readonly count: number;
  readonly impressions: number;
  readonly epsilon: Epsilon;
  readonly by: 'basic' | 'advanced';
  /** Null when there is no limit. */
  readonly left: number | null;
}

/** The accounts of the privacy unit in the settings, in the order of their latest spends. */
export const accountsOf = (spends: readonly Spend[], settings: BudgetSettings): readonly Account[] =>
  linesByAccount(spends, settings)
    .map((lines) => accountOf(lines, settings))
    .sort(byLatest);

/** The most ε that any one unit loses. Disjoint units compose in parallel; within a unit the basic theorem applies. */
export const mostLost = (spends: readonly Spend[], settings: BudgetSettings): number =>
  parallelComposition(
    linesByAccount(spends, settings).map((lines) => basicComposition(lines.map(lossOf))),
  ).toNumber();

function linesByAccount(spends: readonly Spend[], settings: BudgetSettings): readonly (readonly Spend[])[] {
  const groups = new Map<string, Spend[]>();
  for (const spend of spends.filter(({ unit }) => unit === settings.unit)) {
    const key = budgetKey(spend);
    groups.set(key, [...(groups.get(key) ?? []), spend]);
  }
  return [...groups.values()];
}

function accountOf(lines: readonly Spend[], { epsilon: limit, delta }: BudgetSettings): Account {
  const [spend] = lines;
  if (spend === undefined) throw new RangeError('an account has a line');
  const composed = composedEpsilon(lines.map(lossOf), delta);
  return {
    spend: lines.reduce((latest, line) => (line.time > latest.time ? line : latest), spend),
    count: lines.length,
    impressions: lines.filter(({ purpose }) => purpose === 'report').length,
    ...composed,
    left: limit === null ? null : Math.max(0, limit - composed.epsilon),
  };
}

const byLatest = (a: Account, b: Account): number => b.spend.time - a.spend.time;
