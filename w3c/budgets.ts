import { Rational } from '../src/privacy/rational';
import type { Draft } from './documents';
import type { ApiLimits } from './limits';
import type { ConversionOptions } from './options';

/** What a conversion takes from each epoch that it looks at, in microepsilons. */
export interface Deduction {
  /** From the budget of the conversion site. */
  readonly site: number;
  /** From the budget of all sites, and from the quota of each impression site. */
  readonly shared: number;
}

/** The budgets that may have too little left. */
export type Shortage = 'site-budget' | 'global-budget' | 'impression-site-quota';

/** What one budget said. All in microepsilons. */
export interface BudgetAnswer {
  readonly shortage: Shortage;
  /** Whose budget; null for that of all sites. */
  readonly site: string | null;
  readonly left: number;
  readonly asked: number;
}

const MICROEPSILONS = Rational.of(1_000_000n);

/**
 * W3C Attribution, "deduct privacy and safety budgets", steps 1 to 7.
 * @param sum of the histogram's buckets, if all impressions that could be attributed are of one epoch; else null.
 */
export function deductionOf({ epsilon, value, maxValue }: ConversionOptions, sum: number | null): Deduction {
  const noiseScale = Rational.of(2 * maxValue).over(epsilon);
  const microepsilons = (sensitivity: number): number =>
    roundedUp(Rational.of(sensitivity).over(noiseScale).times(MICROEPSILONS));
  const shared = microepsilons(2 * value);
  return { site: sum === null ? shared : microepsilons(sum), shared };
}

/** A number as the next whole one. */
export const roundedUp = ({ numerator, denominator }: Rational): number =>
  Number((numerator + denominator - 1n) / denominator);

/**
 * Deducts from all budgets, or from none if one has too little left: W3C Attribution, "deduct privacy and safety budgets".
 * @param impressionSites those of the epoch's matching impressions, each once.
 * @returns what each budget said, in the order in which they were asked.
 */
export function deduct(
  draft: Draft,
  limits: ApiLimits,
  epoch: number,
  site: string,
  impressionSites: readonly string[],
  deduction: Deduction,
): readonly BudgetAnswer[] {
  const asked = [
    { kind: 'site', shortage: 'site-budget', site, most: limits.perSitePrivacyBudget, asked: deduction.site },
    {
      kind: 'all',
      shortage: 'global-budget',
      site: null,
      most: limits.globalPrivacyBudgetPerEpoch,
      asked: deduction.shared,
    },
    ...impressionSites.map((shown) => ({
      kind: 'quota' as const,
      shortage: 'impression-site-quota' as const,
      site: shown,
      most: limits.impressionSiteQuotaPerEpoch,
      asked: deduction.shared,
    })),
  ] as const;
  const answers = asked.map((one) => ({ ...one, left: draft.left(one.kind, epoch, one.site, one.most) }));
  if (answers.every(isEnough))
    for (const one of answers) draft.leave(one.kind, epoch, one.site, one.left - one.asked);
  return answers.map(({ shortage, site: of, left, asked: amount }) => ({
    shortage,
    site: of,
    left,
    asked: amount,
  }));
}

/** Whether a budget has as much left as was asked of it. */
export const isEnough = ({ left, asked }: Pick<BudgetAnswer, 'left' | 'asked'>): boolean => asked <= left;
