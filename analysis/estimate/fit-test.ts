import { uniformBelow } from '../../src/privacy/uniform';
import { seededRandomSource } from '../../src/privacy/random-source';
import { fit } from './likeliest-model';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import type { ResponseModel } from './response-model';
import { seededUniform, type Uniform } from './statistical-draws';

/** With this many standard deviations, fewer than one in a million samples of the model would be rejected if distances were normal. */
const MOST_DEVIATIONS = 5;

const REPLICATES = 40;

/**
 * Whether the observed outputs are as near to the fitted model as outputs drawn from it (parametric bootstrap: Efron & Tibshirani 1993):
 * compares Pearson's statistic with its values in samples of new truths and new noise.
 */
export function fitsModel(
  support: Support,
  response: ResponseModel,
  observed: Counts,
  whole: Expectation,
): boolean {
  const sources = sum(observed.counts);
  const distances = Array.from({ length: REPLICATES }, (_, replicate) => {
    const tally = sample(support, response, whole, sources, replicate);
    const again = support.countsOf(tally);
    return distance(fit(support, response, again, support.even(), 0), sources);
  });
  const mean = sum(distances) / REPLICATES;
  const variance = sum(distances.map((value) => (value - mean) ** 2)) / (REPLICATES - 1);
  return !(distance(whole, sources) - mean > MOST_DEVIATIONS * Math.sqrt(variance));
}

/** Pearson's statistic. Outputs that were not observed add the number of sources that they should have. */
const distance = ({ squares }: Expectation, sources: number): number => squares / sources - sources;

/** How many sources of the model have each output. */
function sample(
  support: Support,
  response: ResponseModel,
  { kept, total }: Expectation,
  sources: number,
  replicate: number,
): ReadonlyMap<string, number> {
  const random = seededRandomSource('outputs', replicate);
  const uniform = seededUniform('truths', replicate);
  const truth = truthsOf(kept, total, uniform);
  const tally = new Map<string, number>();
  for (let source = 0; source < sources; source++) {
    const own = truth();
    const output =
      uniform() < response.keep
        ? (support.outputs[own] ?? '')
        : response.outputAt(uniformBelow(random, response.outputs));
    tally.set(output, (tally.get(output) ?? 0) + 1);
  }
  return tally;
}

/**
 * Draws truths. Their distribution is itself as uncertain as from so many sources of known truth, which Pólya's urn imitates: each truth is
 * drawn from the estimate, or repeats an earlier one.
 */
function truthsOf({ outputs, counts }: Counts, certainty: number, uniform: Uniform): () => number {
  let running = 0;
  const sums = counts.map((count) => (running += count));
  const earlier: number[] = [];
  return () => {
    const drawn = earlier.length;
    const isFresh = uniform() * (certainty + drawn) < certainty;
    const truth = isFresh
      ? (outputs[firstAbove(sums, uniform() * running)] ?? 0)
      : (earlier[Math.floor(uniform() * drawn)] ?? 0);
    earlier.push(truth);
    return truth;
  };
}

/** The first position whose sum is above the place; the last if none is. */
function firstAbove(sums: readonly number[], place: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
