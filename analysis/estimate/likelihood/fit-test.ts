import { uniformBelow } from '../../../src/privacy/uniform';
import { seededRandomSource } from '../../random/sources';
import { fit } from './likeliest-model';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';
import { binomial, gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

/** With this many standard deviations, fewer than one in a million samples of the model would be rejected if distances were normal. */
const MOST_DEVIATIONS = 5;

const REPLICATES = 40;

/** A sample of the fitted model: new truths, and new noise. */
export interface Replicate {
  /** How many sources have each truth. */
  readonly truths: Counts;
  readonly observed: Counts;
  /** The model fitted to this sample. */
  readonly fitted: Expectation;
}

/** @param whole the model fitted to so many sources */
export const replicatesOf = (
  support: Support,
  response: ResponseModel,
  { kept }: Expectation,
  sources: number,
): readonly Replicate[] => {
  const draw = replacedIn(support, response);
  return Array.from({ length: REPLICATES }, (_, replicate) => {
    const uniform = seededUniform('truths', replicate);
    const drawn = truths(kept, sources, uniform);
    const observed = observedOf(kept, drawn, response, draw, uniform, replicate);
    return {
      truths: { outputs: kept.outputs, counts: drawn },
      observed,
      fitted: fit(support, response, observed, support.even(), 0),
    };
  });
};

/**
 * Whether the observed outputs are as near to the fitted model as outputs drawn from it (parametric bootstrap: Efron & Tibshirani 1993):
 * compares Pearson's statistic with its values in the samples.
 */
export function fitsModel(whole: Expectation, sources: number, replicates: readonly Replicate[]): boolean {
  const distances = replicates.map(({ fitted }) => distance(fitted, sources));
  const mean = sum(distances) / distances.length;
  const variance = sum(distances.map((value) => (value - mean) ** 2)) / (distances.length - 1);
  return !(distance(whole, sources) - mean > MOST_DEVIATIONS * Math.sqrt(variance));
}

/** Pearson's statistic. Outputs that were not observed add the number of sources that they should have. */
const distance = ({ squares }: Expectation, sources: number): number => squares / sources - sources;

/** Draws outputs of so many replaced sources. @param add gets the place of an output, and how many sources have it */
type DrawReplaced = (
  replaced: number,
  uniform: Uniform,
  replicate: number,
  add: (place: number, times: number) => void,
) => void;

function replacedIn(support: Support, response: ResponseModel): DrawReplaced {
  const placeOf = (output: bigint): number => support.place(response.outputAt(output));
  let places: readonly number[] = [];
  return (replaced, uniform, replicate, add) => {
    if (response.outputs > replaced) {
      const random = seededRandomSource('outputs', replicate);
      for (let source = 0; source < replaced; source++)
        add(placeOf(uniformBelow(random, response.outputs)), 1);
      return;
    }
    if (places.length === 0)
      places = Array.from({ length: Number(response.outputs) }, (_, output) => placeOf(BigInt(output)));
    const even = places.map(() => 1);
    multinomial(uniform, replaced, even).forEach((times, output) => add(places[output] ?? 0, times));
  };
}

/** How many sources have each output. Draws sources with the same truth together, so that millions take no longer than a few. */
function observedOf(
  { outputs }: Counts,
  drawn: readonly number[],
  response: ResponseModel,
  draw: DrawReplaced,
  uniform: Uniform,
  replicate: number,
): Counts {
  const observed: number[] = [];
  const add = (place: number, times: number): void => {
    for (let next = observed.length; next <= place; next++) observed.push(0);
    observed[place] = (observed[place] ?? 0) + times;
  };
  let replaced = 0;
  for (let index = 0; index < outputs.length; index++) {
    const count = drawn[index] ?? 0;
    const own = binomial(uniform, count, response.keep);
    add(outputs[index] ?? 0, own);
    replaced += count - own;
  }
  draw(replaced, uniform, replicate, add);
  const places = [...observed.keys()].filter((place) => observed[place] !== 0);
  return { outputs: places, counts: places.map((place) => observed[place] ?? 0) };
}

/**
 * Draws how many sources have each truth. Their distribution is itself as uncertain as from so many sources of known truth, which a Dirichlet
 * distribution says.
 */
function truths({ counts }: Counts, sources: number, uniform: Uniform): readonly number[] {
  const shares = counts.map((count) => gamma(uniform, count));
  if (sum(shares) > 0) return multinomial(uniform, sources, shares);
  // There is so little information, and numbers so near to 0, that all have one truth.
  const one = multinomial(uniform, 1, counts);
  const place = Math.max(one.indexOf(1), 0);
  return counts.map((_, index) => (index === place ? sources : 0));
}
