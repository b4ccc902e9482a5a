import { Rational } from '../../src/privacy/rational';
import type { ApiLimits } from './limits';
import type { ConversionOptions } from './options';

/** What a conversion takes from each epoch that it looks at, in microepsilons. */
export interface Deduction {
  /** From the budget of the conversion site. */
  readonly site: number;
  /** From the budget of all sites, and from the quota of each impression site. */
  readonly shared: number;
}

/** The budgets that had too little left. */
export type Shortage = 'site-budget' | 'global-budget' | 'impression-site-quota';

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

const roundedUp = ({ numerator, denominator }: Rational): number =>
  Number((numerator + denominator - 1n) / denominator);

const keyOf = (epoch: number, site: string): string => `${epoch} ${site}`;

/** W3C Attribution, "privacy budget store", "global privacy budget store" and "impression site quota store". */
export class Budgets {
  private readonly sites = new Map<string, number>();
  private readonly all = new Map<number, number>();
  private readonly quotas = new Map<string, number>();

  constructor(private readonly limits: ApiLimits) {}

  /** What is left for a conversion site in an epoch, in microepsilons. */
  ofSite(epoch: number, site: string): number {
    return this.sites.get(keyOf(epoch, site)) ?? this.limits.perSitePrivacyBudget;
  }

  /** ε that each conversion site has spent in each epoch in which it spent any. */
  spentBySites(): readonly number[] {
    return [...this.sites.values()].map((left) => (this.limits.perSitePrivacyBudget - left) / 1_000_000);
  }

  /** What is left for all conversion sites in an epoch, in microepsilons. */
  ofAll(epoch: number): number {
    return this.all.get(epoch) ?? this.limits.globalPrivacyBudgetPerEpoch;
  }

  /** What conversions may still take for impressions of a site in an epoch, in microepsilons. */
  quotaOf(epoch: number, impressionSite: string): number {
    return this.quotas.get(keyOf(epoch, impressionSite)) ?? this.limits.impressionSiteQuotaPerEpoch;
  }

  /**
   * Deducts from all budgets, or from none.
   * @param impressionSites those of the epoch's matching impressions, each once.
   * @returns what had too little left, null if it was deducted.
   */
  deduct(
    epoch: number,
    site: string,
    impressionSites: ReadonlySet<string>,
    deduction: Deduction,
  ): Shortage | null {
    if (deduction.site > this.ofSite(epoch, site)) return 'site-budget';
    if (deduction.shared > this.ofAll(epoch)) return 'global-budget';
    for (const shown of impressionSites)
      if (deduction.shared > this.quotaOf(epoch, shown)) return 'impression-site-quota';
    this.sites.set(keyOf(epoch, site), this.ofSite(epoch, site) - deduction.site);
    this.all.set(epoch, this.ofAll(epoch) - deduction.shared);
    for (const shown of impressionSites)
      this.quotas.set(keyOf(epoch, shown), this.quotaOf(epoch, shown) - deduction.shared);
    return null;
  }

  /** Leaves nothing for a conversion site in an epoch. */
  exhaust(epoch: number, site: string): void {
    this.sites.set(keyOf(epoch, site), 0);
  }

  /** Forgets the budgets and quotas of sites. What all sites spent together is kept. */
  forget(sites: ReadonlySet<string>): void {
    for (const store of [this.sites, this.quotas])
      for (const key of store.keys()) if (sites.has(key.slice(key.indexOf(' ') + 1))) store.delete(key);
  }

  forgetAll(): void {
    for (const store of [this.sites, this.all, this.quotas]) store.clear();
  }
}
