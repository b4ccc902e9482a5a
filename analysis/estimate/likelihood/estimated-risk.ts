import { fit } from './likeliest-model';
import { tilted } from '../intervals/likely-truths';
import { replicatesOf, type Replicate } from './fit-test';
import type { Interval } from '../intervals/interval';
import type { Measure } from '../quantities/measure';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import { possibleSums } from '../unbiased/response-estimate';
import type { ResponseModel } from '../quantities/response-model';
import { within } from '../../../numeric/extremes';

/** The likeliest truths of all sources, and samples of the model that fits them. */
export interface Fitted {
  readonly whole: Expectation;
  readonly sources: number;
  readonly replicates: readonly Replicate[];
}

export const fittedWhole = (
  support: Support,
  response: ResponseModel,
  counts: Counts,
): Omit<Fitted, 'replicates'> => ({
  whole: fit(support, response, counts, support.even(), 0),
  sources: sum(counts.counts),
});

export const withReplicates = (
  support: Support,
  response: ResponseModel,
  { whole, sources }: Omit<Fitted, 'replicates'>,
): Fitted => ({ whole, sources, replicates: replicatesOf(support, response, whole, sources) });

/** The likeliest number of sources with each truth, as many as there are sources. */
export const truthsOf = ({ kept, total }: Expectation, sources: number): Counts => ({
  outputs: kept.outputs,
  counts: kept.counts.map((count) => (count * sources) / total),
});

/** How much of a total the likeliest number decides; the unbiased estimate decides the rest. */
export interface Mixed {
  /** From 0 to 1. */
  readonly weight: number;
  readonly estimate: number;
}

/**
 * The mean of the likeliest total and of the unbiased one that has the least mean squared error in samples of the fitted model (after Green &
 * Strawderman 1991). The likeliest number has the bias that positive parts cause, and an unknown one if the model is wrong: by how much more
 * than in the samples both differ.
 */
export function leastRisk(
  support: Support,
  { keep }: ResponseModel,
  measure: Measure,
  { whole, sources, replicates }: Fitted,
  unbiased: number,
): Mixed {
  const possible = possibleSums(measure, sources);
  const total = (counts: Counts): number => totalOf(support, measure, counts);
  const likeliestOf = ({ kept, total: all }: Expectation): number => (total(kept) * sources) / all;
  const direct = (observed: Counts): number =>
    within(possible, (total(observed) - sources * (1 - keep) * measure.mean) / keep);
  const likeliest = likeliestOf(whole);
  let gain = 0;
  let squares = 0;
  for (const { truths, observed, fitted } of replicates) {
    const estimate = direct(observed);
    const apart = estimate - likeliestOf(fitted);
    gain += (estimate - total(truths)) * apart;
    squares += apart ** 2;
  }
  const own = within(possible, unbiased);
  const excess = Math.max(0, replicates.length * (own - likeliest) ** 2 - squares);
  const weight = squares + excess === 0 ? 1 : within([0, 1], gain / (squares + excess));
  return { weight, estimate: weight * likeliest + (1 - weight) * own };
}

export function totalOf(support: Support, { adds }: Measure, { outputs, counts }: Counts): number {
  const added = support.addedBy(adds);
  let total = 0;
  for (let index = 0; index < outputs.length; index++)
    total += (counts[index] ?? 0) * (added[outputs[index] ?? 0] ?? 0);
  return total;
}

/** Something about the number of conversions, and about that of the sources with a conversion. */
export interface Totals<T> {
  readonly conversions: T;
  readonly converting: T;
}

export const overTotals = <T>(of: (name: keyof Totals<T>) => T): Totals<T> => ({
  conversions: of('conversions'),
  converting: of('converting'),
});

/** Null for mechanisms that do not count conversions. */
export function totalsAmong(measures: readonly Measure[]): Totals<Measure> | null {
  const [conversions, converting] = (['conversions', 'conversion-rate'] as const).map((kind) =>
    measures.find(({ quantity }) => quantity.kind === kind),
  );
  return conversions === undefined || converting === undefined ? null : { conversions, converting };
}

/**
 * The truths nearest to these with the given totals, or as near to them as their outputs allow. Sources without a report hardly look like noise, so
 * their number is known better than that of the reports, and must not follow from it.
 */
export function withTotals(
  support: Support,
  measures: Totals<Measure>,
  { outputs, counts }: Counts,
  totals: Totals<number>,
): Counts {
  const addedBy = support.addedBy(measures.conversions.adds);
  const added = outputs.map((output) => addedBy[output] ?? 0);
  const own = [...outputs.keys()].filter((index) => (added[index] ?? 0) > 0);
  const sources = sum(counts);
  const before = sum(own.map((index) => counts[index] ?? 0));
  if (before === 0) return { outputs, counts };
  const converting = before === sources ? sources : within([0, sources], totals.converting);
  const shares = tilted(
    own.map((index) => (counts[index] ?? 0) / before),
    own.map((index) => added[index] ?? 0),
    converting === 0 ? 0 : totals.conversions / converting,
  );
  const others = (sources - converting) / (sources - before);
  const changed = counts.map((count) => count * others);
  own.forEach((index, place) => (changed[index] = (shares[place] ?? 0) * converting));
  return { outputs, counts: changed };
}

/** Between the ends of both intervals, as the estimate is between both estimates. */
export const mixedInterval = ({ weight }: Mixed, likely: Interval, unbiased: Interval): Interval => [
  weight * likely[0] + (1 - weight) * unbiased[0],
  weight * likely[1] + (1 - weight) * unbiased[1],
];
