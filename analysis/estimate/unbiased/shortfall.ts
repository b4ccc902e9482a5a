import type { ResponseRates } from '../intervals/channel';
import type { Measure } from '../quantities/measure';
import { sourcesOf } from './tally';
import type { OutputCounts } from './response-estimate';

/** Fewer sources with reports than noise alone gives: reports were lost, or browsers did not keep sources of the log. */
export interface Shortfall {
  /** Too few sources have at least this many reports. */
  readonly reports: number;
  /** The mean number of such sources that noise alone causes. */
  readonly expected: number;
  readonly observed: number;
}

/** The largest probability that complete logs show a shortfall. */
const ERROR_PROBABILITY = 1e-6;

/**
 * A source is replaced with probability p, and then has at least r reports with the share of such outputs among all k. So even without
 * conversions, the number of sources with at least r reports is at least a binomial number. Tests each r at its part of the error
 * probability, with the bound of Chernoff (1952), and returns the clearest shortfall.
 * @param reportCounts how many reports each output makes.
 */
export function shortfallOf(
  reportCounts: Measure,
  { keep }: ResponseRates,
  tally: OutputCounts,
): Shortfall | null {
  const sources = sourcesOf(tally);
  const counts = [...(reportCounts.shares?.keys() ?? [])].filter((reports) => reports > 0);
  let clearest: Shortfall | null = null;
  let evidence = Math.log(counts.length / ERROR_PROBABILITY);
  for (const reports of counts) {
    const chance = (1 - keep) * shareFrom(reportCounts, reports);
    const observed = observedFrom(reportCounts, tally, reports);
    const found = -lowerTailBound(sources, chance, observed);
    if (found < evidence) continue;
    evidence = found;
    clearest = { reports, expected: sources * chance, observed };
  }
  return clearest;
}

/** The logarithm of an upper bound on P[binomial number ≤ `count`]. */
export function lowerTailBound(trials: number, chance: number, count: number): number {
  const share = count / trials;
  if (!(share < chance)) return 0;
  if (chance >= 1) return -Infinity;
  const divergence =
    (share === 0 ? 0 : share * Math.log(share / chance)) +
    (1 - share) * Math.log1p((chance - share) / (1 - chance));
  return -trials * divergence;
}

function shareFrom({ shares }: Measure, least: number): number {
  let sum = 0;
  for (const [reports, share] of shares ?? []) if (reports >= least) sum += share;
  return sum;
}

function observedFrom({ adds }: Measure, tally: OutputCounts, least: number): number {
  let sum = 0;
  for (const [output, count] of tally) if (adds(output) >= least) sum += count;
  return sum;
}

/** For the message about it. */
export const shortfallValues = ({
  reports,
  expected,
  observed,
}: Shortfall): Record<keyof Shortfall, number> => ({
  reports,
  expected: Math.round(expected),
  observed,
});
