import { greatest, least } from '../../../numeric/extremes';
import type { Interval } from '../intervals/interval';
import type { Measure } from '../quantities/measure';
import { chiSquareQuantile, normalQuantile, wilsonInterval } from '../intervals/normal';

/** Which share of the reports never arrived. Reports are lost independently of each other, and of what they say. */
export interface LostReports {
  readonly rate: number;
  /** The rates that are possible at the level of the estimates. */
  readonly range: Interval;
  /** If the same reports show the rate, its errors and those of the estimates depend on each other. */
  readonly from: 'given' | 'reports' | 'delays' | 'heartbeats';
  /**
   * By the name of a group (`groupKey`), if heartbeats show that groups lost different shares. Without, all count as losing the same. Empty if some group
   * has too few heartbeats of its own, so that one share has to do for all.
   */
  readonly ofGroups?: ReadonlyMap<string, GroupLoss>;
  /**
   * If heartbeats of several groups do not show that these lost different shares: the smallest additional share in one group that they would show in 95 %
   * of cases, or 1 if they would show none, or some group has too few of them or none. Missing if they do not fit.
   */
  readonly unseen?: number | undefined;
}

/** What a group's own heartbeats say. The errors of these shares do not depend on each other. */
export interface GroupLoss extends Omit<LostFit, 'ofGroups' | 'unseen'> {
  readonly group: readonly string[];
  /** The unbiased share that is lost: below 0 if more arrived than come on average. */
  readonly unbounded: number;
  /** Its standard error. */
  readonly deviation: number;
  /** The range at another level. */
  rangeAt(level: number): Interval;
}

/** What the numbers of reports say about losses. */
export interface LostFit extends LostReports {
  /** Whether the numbers of reports are likely in every group if reports are lost independently, and bound the rate. */
  readonly fits: boolean;
}

/** A known number of reports that should have come, of which so many did not. */
export const lostOf = (missing: number, expected: number, level: number): LostReports => ({
  rate: missing / expected,
  range: wilsonInterval(missing, expected, level),
  from: 'given',
});

/** The probability of each number of arriving reports, from 0 to `most`, if so many were sent. */
function arriving(sent: number, lost: number, most: number): readonly number[] {
  let shares = [1];
  for (let report = 0; report < sent; report++)
    shares = [...shares, 0].map((own, index) => own * lost + (shares[index - 1] ?? 0) * (1 - lost));
  return Array.from({ length: most + 1 }, (_, arrived) => shares[arrived] ?? 0);
}

/** The probability of each number of arriving reports, for each true number. @param noise the shares of numbers that replace a truth. */
export function arrivalRows(
  noise: readonly number[],
  keep: number,
  lost: number,
): readonly (readonly number[])[] {
  const thinned = noise.map((_, sent) => arriving(sent, lost, noise.length - 1));
  const replaced = noise.map((_, arrived) =>
    thinned.reduce((sum, row, sent) => sum + (noise[sent] ?? 0) * (row[arrived] ?? 0), 0),
  );
  return thinned.map((row) => row.map((own, arrived) => keep * own + (1 - keep) * (replaced[arrived] ?? 0)));
}

/**
 * What a number of arrived reports says about those that were sent, without bias: its mean over losses is `values[sent]` (the inverse of
 * binomial thinning).
 * @param values for each number of sent reports.
 */
export const sentValues = (values: readonly number[], lost: number): readonly number[] => {
  const ratio = -lost / (1 - lost);
  return values.map((_, arrived) => {
    let sum = 0;
    let ways = 1;
    for (let sent = 0; sent <= arrived; sent++) {
      sum += ways * (1 - ratio) ** sent * ratio ** (arrived - sent) * (values[sent] ?? 0);
      ways = (ways * (arrived - sent)) / (sent + 1);
    }
    return sum;
  });
};

const STEP = 0.005;
export const MOST_LOST = 0.95;
/** Complete reports seem incomplete at most so often. */
export const DOUBT = 0.01;
/** Independent losses, or none, do not explain numbers of reports that are less likely, over all groups. */
export const MISFIT = 1e-6;
/** Rates whose log-likelihoods differ by so little count as equally likely. */
const EQUAL = 0.01;

/**
 * The rates that the numbers of reports allow, whatever the truths are: noise alone brings a known number of sources with many reports. The
 * likeliest truths are fitted for each rate, and the range has the rates that are not significantly less likely (profile likelihood). No
 * report counts as lost unless the reports refute it.
 */
export function lostReports(
  reportCounts: Measure,
  keep: number,
  tally: ReadonlyMap<string, number>,
  level: number,
): LostFit {
  const noise = noiseOf(reportCounts);
  const observed = sourcesByReports(reportCounts, noise, tally);
  const saturated = saturatedOf(observed);
  const none = profile(noise, keep, observed, 0);
  if (isPossible(none, saturated, farthest(noise, DOUBT)))
    return { rate: 0, range: [0, 0], from: 'reports', fits: true };
  const fits = Array.from({ length: Math.round(MOST_LOST / STEP) }, (_, index) => {
    const rate = (index + 1) * STEP;
    return { rate, ...profile(noise, keep, observed, rate) };
  });
  const highest = greatest(fits.map(({ fit }) => fit));
  // Many rates can be equally likely. The smallest counts only those reports as lost that must be.
  const best = fits.find(({ fit }) => highest - fit <= EQUAL) ?? { rate: 0, ...none };
  const farthestRate = normalQuantile((1 + level) / 2) ** 2;
  const rates = fits.flatMap((tried) => (isPossible(tried, highest, farthestRate) ? [tried.rate] : []));
  return {
    rate: best.rate,
    range: [least(rates) - STEP / 2, greatest(rates) + STEP / 2],
    from: 'reports',
    fits: isPossible(best, saturated, farthest(noise, MISFIT)) && greatest(rates) < MOST_LOST,
  };
}

/**
 * Whether the numbers of reports are likely in each group if these reports are lost. They are not if some groups lost more than others, or if
 * a given rate is wrong by much.
 * @param tests how many groups are tested in all.
 */
export function allowLosses(
  reportCounts: Measure,
  keep: number,
  groups: readonly ReadonlyMap<string, number>[],
  { rate, range }: LostReports,
  tests = groups.length,
): boolean {
  const noise = noiseOf(reportCounts);
  const most = farthest(noise, MISFIT / tests);
  return groups.every((tally) => {
    const observed = sourcesByReports(reportCounts, noise, tally);
    const saturated = saturatedOf(observed);
    return [rate, ...range].some((lost) => isPossible(profile(noise, keep, observed, lost), saturated, most));
  });
}

/**
 * By how much twice the log-likelihood can be below that of the saturated model if the losses are right, except with this probability (Wilks 1938).
 * Fitting the truths can only bring it nearer, and does not if noise replaces nearly all outputs.
 */
const farthest = (noise: readonly number[], probability: number): number =>
  chiSquareQuantile(noise.length - 1, 1 - probability);

const noiseOf = ({ counted }: Measure): readonly number[] => counted?.shares ?? [1];

function sourcesByReports(
  reportCounts: Measure,
  noise: readonly number[],
  tally: ReadonlyMap<string, number>,
): readonly number[] {
  const observed = new Array<number>(noise.length).fill(0);
  for (const [output, count] of tally) {
    const reports = reportCounts.adds(output);
    observed[reports] = (observed[reports] ?? 0) + count;
  }
  return observed;
}

/** The log-likelihood of what was observed, if it is exactly as likely as it is frequent. */
function saturatedOf(observed: readonly number[]): number {
  const sources = observed.reduce((a, b) => a + b, 0);
  return likelihood(
    observed,
    observed.map((count) => count / sources),
  );
}

interface Profile {
  readonly fit: number;
  /** By how much the fit can be below the greatest. */
  readonly gap: number;
}

/** @param most by how much twice the log-likelihood can be below the best */
const isPossible = ({ fit, gap }: Profile, best: number, most: number): boolean =>
  2 * (best - fit - gap) <= most;

const MOST_STEPS = 2000;
const LEAST_GAP = 0.05;

/**
 * The greatest log-likelihood over all truths, given the rate, by multiplicative steps whose length adapts. The log-likelihood is concave, so
 * its slopes bound how far it is from the greatest.
 */
function profile(noise: readonly number[], keep: number, observed: readonly number[], lost: number): Profile {
  const rows = arrivalRows(noise, keep, lost);
  const numbers = noise.map((_, reports) => reports);
  const chances = (truths: readonly number[]): readonly number[] =>
    numbers.map((arrived) =>
      rows.reduce((sum, row, sent) => sum + (truths[sent] ?? 0) * (row[arrived] ?? 0), 0),
    );
  const sources = observed.reduce((a, b) => a + b, 0);
  let truths: readonly number[] = numbers.map(() => 1 / numbers.length);
  let probabilities = chances(truths);
  let fit = likelihood(observed, probabilities);
  let gap = Infinity;
  let length = 1 / keep;
  for (let step = 0; step < MOST_STEPS; step++) {
    const slopes = rows.map((row) =>
      row.reduce(
        (sum, chance, arrived) => sum + (chance * (observed[arrived] ?? 0)) / (probabilities[arrived] ?? 1),
        0,
      ),
    );
    gap = greatest(slopes) - sources;
    if (gap < LEAST_GAP) break;
    const weights = truths.map(
      (truth, sent) => truth * Math.exp(length * ((slopes[sent] ?? 0) / sources - 1)),
    );
    const whole = weights.reduce((a, b) => a + b, 0);
    const next = weights.map((weight) => weight / whole);
    const after = chances(next);
    const reached = likelihood(observed, after);
    if (reached >= fit) [truths, probabilities, fit, length] = [next, after, reached, length * 1.5];
    else length /= 3;
  }
  return { fit, gap };
}

const likelihood = (observed: readonly number[], probabilities: readonly number[]): number =>
  observed.reduce(
    (sum, count, index) => sum + (count === 0 ? 0 : count * Math.log(probabilities[index] ?? 0)),
    0,
  );

/** What bears on whether the share of lost reports is known. */
interface Losses {
  readonly mechanism: string;
  readonly lost: LostFit | null;
  /** Whether something else is reported as wrong. */
  readonly isRefused: boolean;
  readonly replaced: number | null;
  /** The number of reports that arrived. */
  readonly observed: number | null;
}

/**
 * For the message that nothing says how many reports were lost: by how much each percent lowers the unbiased estimate of conversions. Null if something
 * says it, if mechanisms on values count a source without its value as missing, or if noise replaces so many outputs that this would be more than all
 * reports that arrived.
 */
export function unknownLosses({
  mechanism,
  lost,
  isRefused,
  replaced,
  observed,
}: Losses): Readonly<Record<string, number>> | null {
  if (mechanism !== 'rr' || lost !== null || isRefused || replaced === null || observed === null) return null;
  const conversions = observed / 100 / (1 - replaced);
  return conversions > 0 && conversions <= observed
    ? { conversions: Number(conversions.toPrecision(2)) }
    : null;
}
