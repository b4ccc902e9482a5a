import type { Estimator } from '../unbiased/estimator';
import { estimatorOf } from '../unbiased/estimator-of';
import { isEverything, type Interval } from '../intervals/interval';
import { isIn, type Slice } from '../likelihood/slice';
import { likelihoodOf, type Likelihood, type LikelyEstimate } from '../likelihood/likelihood';
import { allAllow, estimateByGroup, losingGroups, mostLost } from '../unbiased/lost-by-group';
import type { GroupLoss, LostFit, LostReports } from '../unbiased/lost-reports';
import { isRefused, mismatchesOf, type Mismatch } from '../unbiased/mismatch';
import { stillUnderWay, type DelayedReports } from '../unbiased/report-delays';
import type { Quantity } from '../quantities/quantities';
import type { Estimate, EstimateOptions, OutputCounts } from '../unbiased/response-estimate';
import type { Shortfall } from '../unbiased/shortfall';
import {
  groupKey,
  mergeTallies,
  sourcesOf,
  withParents,
  type ConfigurationTally,
  type GroupTally,
} from '../unbiased/tally';

/** What to estimate, and how. */
export interface AnalysisOptions extends EstimateOptions {
  /** Whether to add estimates by maximum likelihood. */
  readonly likelihood: boolean;
  /**
   * Whether to count the sources with each observed output; with `most`, only for all sources together, and only output 0 and that many of
   * the most frequent others.
   */
  readonly singles: boolean | { readonly most: number };
  /** The groups that get estimates; without, all do. */
  readonly slice?: Slice;
  /** As of `EstimateOptions`; it may be known already that it does not fit. */
  readonly lost?: LostReports & Partial<Pick<LostFit, 'fits'>>;
}

/** The estimates of one quantity. */
export interface AnalysedEstimate {
  readonly quantity: Quantity;
  readonly estimate: Estimate;
  /** Null when not requested, for single outputs, for mechanisms without one, and when the model does not fit. */
  readonly likelihood: LikelyEstimate | null;
}

/** What can be estimated of the sources of a group. */
export interface AnalysedGroup {
  /** Empty for all sources of the configuration. */
  readonly group: readonly string[];
  readonly sources: number;
  readonly estimates: readonly AnalysedEstimate[];
}

/** What can be estimated of the sources of one configuration. */
export interface Analysis {
  readonly estimator: Estimator;
  /**
   * If not null, some reports or sources are missing. If `lost` does not explain it, unbiased estimates are too low: no interval could hold, so
   * there are none.
   */
  readonly shortfall: Shortfall | null;
  /** If not empty, outputs cannot come from the stated noise: their groups, and all that these are part of, have no estimates. */
  readonly mismatches: readonly Mismatch[];
  /**
   * Which share of the reports is lost, as given or as the reports show; null if none seems to be. If it does not fit, there are no intervals.
   * The likelihood knows no losses.
   */
  readonly lost: LostFit | null;
  /** Whether the model of the likelihood fits; null without one. */
  readonly fits: boolean | null;
  /** First all sources, then groups by the first feature, and so on. */
  readonly groups: readonly AnalysedGroup[];
  /** The unbiased estimate for a group and all its sources, as those in `groups` make up for lost reports. */
  estimateOf(
    quantity: Quantity,
    group: GroupTally,
    options: Pick<EstimateOptions, 'level' | 'randomness'>,
  ): Estimate;
}

/**
 * Everything that can be estimated about the sources of one configuration.
 * @param isWithheld whether no estimate can be trusted, for a reason that the counts do not show.
 * @param onGroup called when the estimates of a group are done.
 */
export function analyse(
  { configuration, groups, delays }: Pick<ConfigurationTally, 'configuration' | 'groups' | 'delays'>,
  options: AnalysisOptions,
  isWithheld = false,
  onGroup: () => void = () => undefined,
): Analysis {
  const estimator = estimatorOf(configuration);
  const { lost: given, ...complete } = options;
  const tallies = withParents(groups);
  const all = mergeTallies(groups.map(({ tally }) => tally));
  const shortfall = estimator.shortfall(all);
  const lost = lossesOf(estimator, groups, tallies, all, options, delays);
  const losing = lost === null ? null : losingGroups(groups, lost);
  const isExplained = lost?.fits ?? shortfall === null;
  const mismatches = mismatchesOf(estimator.aspects, tallies, shortfall !== null || lost !== null);
  const isUnsure = isWithheld || !isExplained;
  // The model of each group follows from all groups, so outputs that are refused in one leave none.
  const likelihood =
    options.likelihood &&
    estimator.likelihood !== null &&
    !isUnsure &&
    (lost === null || isNone(lost)) &&
    mismatches.length === 0
      ? likelihoodOf(estimator.likelihood, tallies, complete, (quantity) =>
          estimator.estimate(quantity, all, complete),
        )
      : null;
  const likely =
    likelihood !== null && agrees(estimator, all, likelihood, complete) && likelihood.fits()
      ? likelihood.estimates()
      : null;
  const byGroup = losing === null ? null : estimateByGroup(estimator, losing);
  const estimateOf: Analysis['estimateOf'] = (quantity, { group, tally }, { level, randomness }) => {
    const own = { level, randomness };
    if (lost === null || (!lost.fits && given?.from !== 'given'))
      return estimator.estimate(quantity, tally, own);
    const corrected =
      byGroup === null
        ? estimator.estimate(quantity, tally, { ...own, lost })
        : byGroup(quantity, group, own);
    // Nothing can make up for lost reports here, but none seems lost.
    return isNone(lost) && Number.isNaN(corrected.estimate)
      ? estimator.estimate(quantity, tally, own)
      : corrected;
  };
  return {
    estimator,
    shortfall,
    mismatches,
    lost,
    fits: likelihood === null ? null : likely !== null,
    estimateOf,
    groups: tallies.map(({ group, tally }, index) => {
      const sources = sourcesOf(tally);
      if (!isIn(options.slice, index)) return { group, sources, estimates: [] };
      const isImpossible = isRefused(mismatches, group);
      const isFew = group.length > 0 && mayAllBeNoise(estimator, sources, options.level);
      const shown = (estimate: Estimate): Estimate =>
        isImpossible || isWithheld
          ? { ...estimate, estimate: NaN, variance: NaN, noiseVariance: NaN, interval: withheld }
          : isUnsure
            ? { ...estimate, interval: withheld }
            : estimate;
      const estimates = [
        ...estimator.quantities,
        ...(estimator.single === null
          ? []
          : singleOutputs(options.singles, group, tally).map(estimator.single)),
      ].map((quantity, place) => {
        const estimate = shown(estimateOf(quantity, { group, tally }, complete));
        const likeliest = likely?.[index]?.[place];
        const isKnown =
          likeliest !== undefined && !isFew && !isEverything(likeliest.interval, estimate.possible);
        return { quantity, estimate, likelihood: isKnown ? likeliest : null };
      });
      onGroup();
      return { group, sources, estimates };
    }),
  };
}

/** Then the likelihood of a group would be about the others, and its interval holds only if they are alike. */
const mayAllBeNoise = ({ replaceProbability }: Estimator, sources: number, level: number): boolean =>
  replaceProbability !== null && replaceProbability ** sources > 1 - level;

/** Heartbeats that all arrived leave room for few lost reports. */
const isNone = ({ rate, from, ofGroups }: LostReports): boolean =>
  from === 'heartbeats' && rate === 0 && ofGroups === undefined;

/** As given, as heartbeats or the delays of those that arrived show them, or as the numbers of reports of all groups together do. */
function lossesOf(
  estimator: Estimator,
  parts: readonly GroupTally[],
  tallies: readonly GroupTally[],
  all: OutputCounts,
  { lost: given, level }: AnalysisOptions,
  delays: readonly DelayedReports[] | undefined,
): LostFit | null {
  const groups = tallies.map(({ tally }) => tally);
  const allows = (losses: LostReports): boolean => estimator.allowLosses?.(groups, losses) !== false;
  // A source without its value is known to have lost it, so heartbeats say nothing new.
  if (given !== undefined && !(given.from === 'heartbeats' && estimator.valued)) {
    const { rate, range, from } = given;
    const shown = from === 'heartbeats' ? estimator.lostReports?.(all, level) : undefined;
    const losing = losingGroups(parts, given);
    if (losing !== null) {
      const ofGroups = new Map(losing.map(({ group, lost }) => [groupKey(group), lost]));
      // No share that is the same for all groups can be another explanation, because their heartbeats refute it.
      const isAllowed = allAllow(estimator, losing) && !isMore(shown, mostLost(losing));
      return { rate, range, from, ofGroups, fits: given.fits !== false && isAllowed };
    }
    const unlike = given.ofGroups === undefined ? {} : { ofGroups: new Map<string, GroupLoss>() };
    const unseen = given.unseen === undefined ? {} : { unseen: given.unseen };
    const own = { rate, range, from, ...unlike, ...unseen, fits: given.fits !== false && allows(given) };
    return own.fits ? orMore(own, shown) : own;
  }
  const underWay = delays === undefined ? null : stillUnderWay(delays, level);
  const shown = estimator.lostReports?.(all, level);
  if (underWay !== null && allows(underWay) && explains(underWay, shown))
    return { ...withOthers(underWay, shown), fits: true };
  if (shown === undefined || shown.rate === 0) return null;
  if (shown.fits && allows(shown)) return shown;
  return allows({ ...shown, rate: 0, range: [0, 0] }) ? null : { ...shown, fits: false };
}

/** Ads may lose more than heartbeats. If the numbers of their reports show it, either share is possible. */
const orMore = (heard: LostFit, shown: LostFit | undefined): LostFit =>
  shown === undefined || !isMore(shown, heard.range[1])
    ? heard
    : shown.fits
      ? { ...heard, rate: shown.rate, range: [heard.range[0], shown.range[1]], from: 'reports' }
      : { ...heard, fits: false };

const isMore = (shown: LostReports | undefined, most: number): boolean =>
  shown !== undefined && shown.rate > 0 && shown.range[0] > most;

/** Whether no more are missing than are under way: others can be lost besides. */
const explains = ({ rate }: LostReports, shown: LostReports | undefined): boolean =>
  shown === undefined || shown.rate === 0 || rate >= shown.range[0];

/**
 * Delays bound the missing reports only from below. If the numbers of reports show by themselves that reports are missing, they say how many can
 * be missing at most.
 */
const withOthers = (underWay: LostReports, shown: LostReports | undefined): LostReports =>
  shown === undefined || shown.rate === 0
    ? underWay
    : {
        rate: underWay.rate,
        range: [underWay.range[0], Math.max(underWay.range[1], shown.range[1])],
        from: 'reports',
      };

/** The probability that estimates disagree although the model fits. */
const DISAGREES = 0.01;

/**
 * Whether the likeliest numbers of all sources are as near to the unbiased ones as noise explains (after Hausman 1978): the unbiased ones need no
 * model. Finds departures that few outputs show, such as reports of one source that share a window.
 */
export function agrees(
  estimator: Estimator,
  tally: OutputCounts,
  likelihood: Likelihood,
  options: EstimateOptions,
): boolean {
  const level = 1 - DISAGREES / estimator.quantities.length;
  const likeliest = likelihood.likeliest();
  return estimator.quantities.every((quantity, index) => {
    const [low, high] = estimator.estimate(quantity, tally, { ...options, level }).interval;
    const own = likeliest[index] ?? NaN;
    // Sums are whole, and the likeliest numbers need not be.
    const one = quantity.kind === 'conversion-rate' ? 1 / sourcesOf(tally) : 1;
    return own >= low - one && own <= high + one;
  });
}

const withheld: Interval = [NaN, NaN];

function singleOutputs(
  wanted: AnalysisOptions['singles'],
  group: readonly string[],
  tally: OutputCounts,
): readonly string[] {
  const outputs = [...tally.keys()].sort(byNumber);
  if (typeof wanted === 'boolean') return wanted ? outputs : [];
  if (group.length > 0) return [];
  const count = (output: string): number => tally.get(output) ?? 0;
  const others = outputs.filter((output) => output !== '0').sort((a, b) => count(b) - count(a));
  return [...(tally.has('0') ? ['0'] : []), ...others.slice(0, wanted.most)];
}

const byNumber = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1);
