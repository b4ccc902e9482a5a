import type { Moment } from '../src/model/units';
import { deduct, deductionOf, isEnough, type BudgetAnswer, type Shortage } from './budgets';
import { emptyHistogram, histogramOf, lastTouchCredit, type Credited } from './credit';
import { Draft, type Changes, type Impression, type View } from './documents';
import { epochOf, Epochs, type RandomOfCall } from './epochs';
import type { ApiLimits } from './limits';
import { callerOf, whyUnmatched, type Call, type Unmatched } from './matching';
import type { ConversionOptions, ImpressionOptions } from './options';
import { makeRoom } from './room';

/*
 * One browser's half of W3C Attribution Level 1 (https://www.w3.org/TR/attribution/), as pure decisions: load the documents, decide, apply
 * what changes. Calls must be decided one after the other.
 */

/** What a conversion did in one epoch whose impressions match. */
interface EpochWhy {
  readonly epoch: number;
  /** The ids of the impressions that match, the newest last. */
  readonly impressions: readonly number[];
  /** In the order in which the budgets were asked. The impressions count only if all have enough. */
  readonly budgets: readonly BudgetAnswer[];
}

/** Why a conversion's report is as it is. The caller may see nothing of it. */
export interface ConversionWhy {
  /** Those that it may look at: from the first to the current one, both included. */
  readonly epochs: readonly [first: number, current: number];
  /** Whether its lookback is within one epoch, so that the site pays for what the histogram holds only. */
  readonly isSingleEpoch: boolean;
  /** How many impressions each filter dropped. */
  readonly unmatched: Readonly<Partial<Record<Unmatched, number>>>;
  readonly matched: readonly EpochWhy[];
  readonly credited: readonly Credited[];
}

/** A conversion report before encryption. */
export interface MeasuredConversion {
  readonly histogram: readonly number[];
  readonly why: ConversionWhy;
}

/** W3C Attribution, "save an impression", once its options are valid. */
export function saveImpression(
  view: View,
  { time, topLevelSite, intermediarySite }: Call,
  options: ImpressionOptions,
  limits: ApiLimits,
  random: RandomOfCall,
): Changes {
  const draft = new Draft(view);
  const id = draft.count();
  makeRoom(draft, topLevelSite, time, limits, random);
  draft.impressions.set(id, { ...options, id, site: topLevelSite, intermediarySite, time });
  return draft;
}

/**
 * W3C Attribution, "do attribution and fill a histogram".
 * @param stated what each impression gets, if it was drawn before
 * @throws RangeError if the impressions cannot get what is stated
 */
export function measureConversion(
  view: View,
  call: Call,
  options: ConversionOptions,
  limits: ApiLimits,
  random: RandomOfCall,
  stated: readonly number[] | null = null,
): { readonly measured: MeasuredConversion; readonly changes: Changes } {
  const draft = new Draft(view);
  const ofCall = random(draft.count());
  const epochs = new Epochs(draft, call.time, random);
  const current = epochs.of(call.time);
  const first = epochs.first(call.time, limits, draft.state.lastClear);
  const { byEpoch, unmatched } = matching(view, call, options, epochs, [first, current]);
  const all = [...byEpoch.values()].flat();
  const isSingleEpoch = epochs.of(call.time - options.lookback) === current;
  // The specification draws this credit twice. If some credit is lost, the second could hold more than was deducted for the first.
  const early = isSingleEpoch && all.length > 0 ? lastTouchCredit(ofCall, all, options, stated) : null;
  const sum = early === null ? null : total(histogramOf(early, options.histogramSize));
  const deduction = deductionOf(options, sum);
  const matched = [...byEpoch].map(([epoch, impressions]): EpochWhy => {
    const sites = [...new Set(impressions.map(({ site }) => site))];
    const budgets = deduct(draft, limits, epoch, call.topLevelSite, sites, deduction);
    return { epoch, impressions: impressions.map(({ id }) => id), budgets };
  });
  const usable = matched.flatMap(({ epoch, budgets }) =>
    budgets.every(isEnough) ? (byEpoch.get(epoch) ?? []) : [],
  );
  const credited = usable.length === 0 ? [] : (early ?? lastTouchCredit(ofCall, usable, options, stated));
  return {
    measured: {
      histogram: histogramOf(credited, options.histogramSize),
      why: { epochs: [first, current], isSingleEpoch, unmatched, matched, credited },
    },
    changes: draft,
  };
}

/** What the log keeps of a histogram: the buckets that are not empty. */
export const bucketsOf = (
  histogram: readonly number[],
): readonly (readonly [bucket: number, value: number])[] =>
  histogram.flatMap((value, bucket) => (value > 0 ? [[bucket, value] as const] : []));

/** What a conversion reports where the person does not allow the API: nobody can tell. */
export const unmeasured = ({ histogramSize }: ConversionOptions): readonly number[] =>
  emptyHistogram(histogramSize);

/** For each epoch whose impressions may not be used: the first budget that had too little left. */
export const shortagesOf = ({ matched }: ConversionWhy): readonly Shortage[] =>
  matched.flatMap(({ budgets }) => budgets.find((one) => !isEnough(one))?.shortage ?? []);

const total = (histogram: readonly number[]): number => histogram.reduce((a, b) => a + b, 0);

function matching(
  view: View,
  call: Call,
  options: ConversionOptions,
  epochs: Epochs,
  [first, current]: ConversionWhy['epochs'],
): {
  readonly byEpoch: ReadonlyMap<number, readonly Impression[]>;
  readonly unmatched: ConversionWhy['unmatched'];
} {
  const byEpoch = new Map<number, Impression[]>();
  const unmatched: Partial<Record<Unmatched, number>> = {};
  const isOfEpochs = (epoch: number): boolean => epoch >= first && epoch <= current;
  for (const impression of view.impressions) {
    const why = whyUnmatched(impression, call, options, isOfEpochs, epochs);
    if (why !== null) {
      unmatched[why] = (unmatched[why] ?? 0) + 1;
      continue;
    }
    const epoch = epochs.of(impression.time);
    const known = byEpoch.get(epoch);
    if (known === undefined) byEpoch.set(epoch, [impression]);
    else known.push(impression);
  }
  return { byEpoch: new Map([...byEpoch].sort(([one], [other]) => one - other)), unmatched };
}

/** W3C Attribution, "clear impressions for a site", which a site asks for by `Clear-Site-Data`. */
export function clearImpressionsForSite(view: View, site: string): Changes {
  const draft = new Draft(view);
  for (const impression of view.impressions) {
    const conversionSites = without(impression.conversionSites, site);
    const conversionCallers = without(impression.conversionCallers, site);
    const caller = callerOf({ topLevelSite: impression.site, intermediarySite: impression.intermediarySite });
    // Without a set that is empty now, the last site that is removed would leave one that allows all.
    if (caller === site || conversionSites === null || conversionCallers === null)
      draft.impressions.set(impression.id, null);
    else if (
      conversionSites !== impression.conversionSites ||
      conversionCallers !== impression.conversionCallers
    )
      draft.impressions.set(impression.id, { ...impression, conversionSites, conversionCallers });
  }
  return draft;
}

/** The same set if the site is not in it; null if nothing is left. */
function without(sites: ReadonlySet<string>, site: string): ReadonlySet<string> | null {
  if (!sites.has(site)) return sites;
  const left = new Set([...sites].filter((other) => other !== site));
  return left.size === 0 ? null : left;
}

/**
 * W3C Attribution, "clear browsing history for attribution", where visits are kept: what the sites stored is forgotten, and their budgets
 * are spent.
 */
export function forgetSiteData(
  view: View,
  time: Moment,
  sites: ReadonlySet<string>,
  limits: ApiLimits,
  random: RandomOfCall,
): Changes {
  const draft = new Draft(view);
  const epochs = new Epochs(draft, time, random);
  const first = epochs.first(time, limits, draft.state.lastClear);
  for (const site of sites)
    for (let epoch = first; epoch <= epochs.of(time); epoch++) draft.leave('site', epoch, site, 0);
  return draft;
}

/** Which impressions are forgotten, and of which sites the budgets; null: of all. */
export interface Forgotten {
  readonly impression: (impression: Impression) => boolean;
  readonly sites: ReadonlySet<string> | null;
  /** Whether somebody turns the clock on purpose, as in debug mode; not unless given. */
  readonly isClockTurned?: boolean;
}

/**
 * W3C Attribution, "clear browsing history for attribution", where visits are forgotten. Until the next epoch, nothing is attributed, so that
 * what was spent cannot be spent again. What all sites spent together is kept unless all is forgotten.
 *
 * The clock may be behind what it was. Then the time of the last clearing stays, and in a later epoch whose budgets are forgotten, all sites
 * together have nothing left. Whoever turns the clock on purpose can begin anew.
 */
export function forgetVisits(
  view: View,
  time: Moment,
  { impression, sites, isClockTurned = false }: Forgotten,
): Changes {
  const draft = new Draft(view);
  const { epochStart, lastClear } = view.state;
  for (const one of view.impressions) if (impression(one)) draft.impressions.set(one.id, null);
  const forgotten = view.budgets.filter(({ site }) => sites === null || (site !== null && sites.has(site)));
  for (const { id } of forgotten) draft.budgets.set(id, null);
  const isLater = (epoch: number): boolean => epochStart !== null && epoch > epochOf(epochStart, time);
  for (const { epoch } of forgotten) if (!isClockTurned && isLater(epoch)) draft.leave('all', epoch, null, 0);
  const isBehind = !isClockTurned && lastClear !== null && lastClear > time;
  draft.state = { ...view.state, lastClear: isBehind ? lastClear : time };
  return draft;
}
