import type { Moment } from '../../src/model/units';
import type { Changes } from '../../w3c/documents';
import {
  clearImpressionsForSite,
  forgetSiteData,
  forgetVisits,
  measureConversion,
  saveImpression,
  unmeasured,
  type ConversionWhy,
} from '../../w3c/engine';
import type { RandomOfCall } from '../../w3c/epochs';
import type { ApiLimits } from '../../w3c/limits';
import type { Call } from '../../w3c/matching';
import { MemoryDocuments } from '../../w3c/memory';
import { removeExpired } from '../../w3c/room';
import type { ConversionOptions, ImpressionOptions } from '../../w3c/options';

/** One browser's half of W3C Attribution Level 1, with its documents in memory. Calls must come in the order of time. */
export class AttributionApi {
  /** Whether the person allows the API. If not, calls succeed, but save nothing and report nothing. */
  enabled = true;

  constructor(
    private readonly limits: ApiLimits,
    private readonly random: RandomOfCall,
    readonly documents = new MemoryDocuments(),
  ) {}

  saveImpression(call: Call, options: ImpressionOptions): void {
    if (this.enabled) this.apply(saveImpression(this.documents, call, options, this.limits, this.random));
  }

  /**
   * A report before encryption; without the reasons where the API is not allowed.
   * @param stated what each impression gets, if it was drawn before
   */
  measureConversion(
    call: Call,
    options: ConversionOptions,
    stated: readonly number[] | null = null,
  ): { readonly histogram: readonly number[]; readonly why: ConversionWhy | null } {
    if (!this.enabled) return { histogram: unmeasured(options), why: null };
    const { documents, limits, random } = this;
    const { measured, changes } = measureConversion(documents, call, options, limits, random, stated);
    this.apply(changes);
    return measured;
  }

  removeExpired(time: Moment): void {
    this.apply(removeExpired(this.documents, time));
  }

  clearImpressionsForSite(site: string): void {
    this.apply(clearImpressionsForSite(this.documents, site));
  }

  /**
   * @param forgetsVisits whether the person wants the visits forgotten, else only what the sites stored. No sites: everything.
   * @throws RangeError if there are no sites and visits are to be kept.
   */
  clearBrowsingHistory(time: Moment, sites: ReadonlySet<string>, forgetsVisits: boolean): void {
    if (!forgetsVisits && sites.size === 0) throw new RangeError('sites must be given where visits are kept');
    this.apply(
      forgetsVisits
        ? forgetVisits(this.documents, time, {
            impression: ({ site }) => sites.size === 0 || sites.has(site),
            sites: sites.size === 0 ? null : sites,
          })
        : forgetSiteData(this.documents, time, sites, this.limits, this.random),
    );
  }

  /** What is left once the person erased something: nothing of the running epoch is attributed any more. */
  eraseAt(time: Moment): void {
    this.apply(forgetVisits(this.documents, time, { impression: () => false, sites: new Set() }));
  }

  /** ε that each conversion site has spent in each epoch in which it spent any. */
  spentBySites(): readonly number[] {
    return this.documents.budgets
      .filter(({ kind }) => kind === 'site')
      .map(({ left }) => (this.limits.perSitePrivacyBudget - left) / 1_000_000);
  }

  private apply(changes: Changes): void {
    this.documents.apply(changes);
  }
}
