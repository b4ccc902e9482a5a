import { fit } from './likeliest-model';
import { tilted } from '../intervals/likely-truths';
import { replicatesOf, type Replicate } from './fit-test';
import type { Interval } from '../intervals/interval';
import type { Measure } from '../quantities/measure';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import { possibleSums } from '../unbiased/response-estimate';
import type { ResponseModel } from '../quantities/response-model';
import { greatest, least, within } from '../../../numeric/extremes';

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
  /** Of the likeliest number, as far as the samples show it. */
  readonly bias: number;
  readonly estimate: number;
}

/** A likely total, the same total in each sample, and the bias that was taken from them. */
interface LikelyTotal {
  readonly own: number;
  readonly ofSamples: readonly number[];
  readonly bias: number;
}

/**
 * If sources have a number of reports for each trigger data, many of these classes have no source, and the likeliest total adds up what noise makes of them. The
 * samples show by how much. With one list of cells, few classes are at 0, and taking off what samples show would cost more than it gains.
 */
function likelyTotal(
  support: Support,
  response: ResponseModel,
  measure: Measure,
  { whole, sources, replicates }: Fitted,
): LikelyTotal {
  const total = ({ kept, total: all }: Expectation): number =>
    (totalOf(support, measure, kept) * sources) / all;
  const own = total(whole);
  const ofSamples = replicates.map(({ fitted }) => total(fitted));
  if (support.lists < 2) return { own, ofSamples, bias: 0 };
  const errors = replicates.map(
    ({ observed }, sample) => (ofSamples[sample] ?? NaN) - directTotal(support, response, measure, observed),
  );
  const bias = sum(errors) / errors.length;
  const possible = possibleSums(measure, sources);
  return {
    own: within(possible, own - bias),
    ofSamples: ofSamples.map((value) => within(possible, value - bias)),
    bias,
  };
}

/** Unbiased, and perhaps impossible. */
function directTotal(support: Support, { keep }: ResponseModel, measure: Measure, observed: Counts): number {
  const sources = sum(observed.counts);
  return (totalOf(support, measure, observed) - sources * (1 - keep) * measure.mean) / keep;
}

/** The possible number nearest to the unbiased one. */
export const nearestPossible = (
  support: Support,
  response: ResponseModel,
  measure: Measure,
  observed: Counts,
): number =>
  within(possibleSums(measure, sum(observed.counts)), directTotal(support, response, measure, observed));

/**
 * What so many conversions can be worth together, if each is worth as much as one of an output that some source had. If each total of a group had its own nearest
 * possible number, a value could stand beside no conversions.
 */
export function possibleWorth(
  support: Support,
  value: Measure,
  { conversions }: Totals<Measure>,
  number: number,
): Interval {
  const numbers = support.addedBy(conversions.adds);
  const worth = support.addedBy(value.adds).flatMap((own, output) => {
    const reports = numbers[output] ?? 0;
    return reports > 0 ? [own / reports] : [];
  });
  return number > 0 ? [least(worth) * number, greatest(worth) * number] : [0, 0];
}

/**
 * The mean of the likeliest total and of the unbiased one that has the least mean squared error in samples of the fitted model (after Green &
 * Strawderman 1991). The likeliest number has the bias that positive parts cause, and an unknown one if the model is wrong: by how much more
 * than in the samples both differ.
 */
export const leastRisk = (
  support: Support,
  response: ResponseModel,
  measure: Measure,
  found: Fitted,
  unbiased: number,
): Mixed =>
  mixedOf(support, response, measure, found, likelyTotal(support, response, measure, found), unbiased, 0);

/** @param tolerated which part of the greatest difference in the samples counts as chance. */
function mixedOf(
  support: Support,
  response: ResponseModel,
  measure: Measure,
  { sources, replicates }: Fitted,
  { own: likely, ofSamples, bias }: LikelyTotal,
  unbiased: number,
  tolerated: 0 | 1,
): Mixed {
  const possible = possibleSums(measure, sources);
  let gain = 0;
  let squares = 0;
  let most = 0;
  replicates.forEach(({ truths, observed }, sample) => {
    const estimate = within(possible, directTotal(support, response, measure, observed));
    const apart = estimate - (ofSamples[sample] ?? NaN);
    gain += (estimate - totalOf(support, measure, truths)) * apart;
    squares += apart ** 2;
    most = Math.max(most, apart ** 2);
  });
  const own = within(possible, unbiased);
  const apart = (own - likely) ** 2;
  const excess = apart > tolerated * most ? Math.max(0, replicates.length * apart - squares) : 0;
  const weight = squares + excess === 0 ? 1 : within([0, 1], gain / (squares + excess));
  return { weight, bias, estimate: weight * likely + (1 - weight) * own };
}

/**
 * The same of a value that many reports of few sources decide, which the likeliest truths with these totals say better than its own likeliest number: in
 * these totals, noise adds little to the sources with many reports. The totals are shrunk towards the unbiased ones, so differences as in the samples count as chance.
 */
export function leastRiskGivenTotals(
  support: Support,
  response: ResponseModel,
  measure: Measure,
  found: Fitted,
  totals: Totals<Measure>,
  given: Totals<number>,
  unbiased: number,
): Mixed {
  const { whole, sources, replicates } = found;
  const likelyTotals = overTotals((name) => likelyTotal(support, response, totals[name], found));
  const value = (expectation: Expectation, sums: Totals<number>): number =>
    totalOf(support, measure, withTotals(support, totals, truthsOf(expectation, sources), sums));
  const likely = value(whole, given);
  const ofSamples = replicates.map(({ fitted }, sample) =>
    value(
      fitted,
      overTotals((name) => likelyTotals[name].ofSamples[sample] ?? NaN),
    ),
  );
  const bias = totalOf(support, measure, truthsOf(whole, sources)) - likely;
  return mixedOf(support, response, measure, found, { own: likely, ofSamples, bias }, unbiased, 1);
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
  const others = sources === before ? 0 : (sources - converting) / (sources - before);
  const changed = counts.map((count) => count * others);
  own.forEach((index, place) => (changed[index] = (shares[place] ?? 0) * converting));
  return { outputs, counts: changed };
}

/** Between the ends of both intervals, as the estimate is between both estimates. */
export const mixedInterval = ({ weight }: Mixed, likely: Interval, unbiased: Interval): Interval => [
  weight * likely[0] + (1 - weight) * unbiased[0],
  weight * likely[1] + (1 - weight) * unbiased[1],
];
