import { uniformBelow } from '../../src/privacy/uniform';
import { seededRandomSource } from '../random/sources';
import { fit } from './likeliest-model';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import type { ResponseModel } from './response-model';
import { binomial, gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

/** With this many standard deviations, fewer than one in a million samples of the model would be rejected if distances were normal. */
const MOST_DEVIATIONS = 5;

const REPLICATES = 40;

/** A sample of the fitted model: new truths, and new noise. */
export interface Replicate {
  /** How many sources have each truth, by output. */
  readonly truths: ReadonlyMap<string, number>;
  readonly tally: ReadonlyMap<string, number>;
  /** The model fitted to this sample. */
  readonly fitted: Expectation;
}

/** @param whole the model fitted to so many sources */
export const replicatesOf = (
  support: Support,
  response: ResponseModel,
  whole: Expectation,
  sources: number,
): readonly Replicate[] =>
  Array.from({ length: REPLICATES }, (_, replicate) => {
    const { truths, tally } = sample(support, response, whole, sources, replicate);
    return { truths, tally, fitted: fit(support, response, support.countsOf(tally), support.even(), 0) };
  });

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

/** How many sources of the model have each truth and each output. Draws sources with the same truth together, so that millions take no longer than a few. */
function sample(
  support: Support,
  response: ResponseModel,
  { kept }: Expectation,
  sources: number,
  replicate: number,
): Pick<Replicate, 'truths' | 'tally'> {
  const uniform = seededUniform('truths', replicate);
  const drawn = new Map<string, number>();
  const tally = new Map<string, number>();
  const add = (output: string, times: number): void => {
    if (times > 0) tally.set(output, (tally.get(output) ?? 0) + times);
  };
  let replaced = 0;
  truths(kept, sources, uniform).forEach((count, index) => {
    const own = binomial(uniform, count, response.keep);
    const output = support.outputs[kept.outputs[index] ?? 0] ?? '';
    if (count > 0) drawn.set(output, count);
    add(output, own);
    replaced += count - own;
  });
  if (response.outputs <= replaced) {
    const even = new Array<number>(Number(response.outputs)).fill(1);
    multinomial(uniform, replaced, even).forEach((times, number) =>
      add(response.outputAt(BigInt(number)), times),
    );
  } else {
    const random = seededRandomSource('outputs', replicate);
    for (let source = 0; source < replaced; source++)
      add(response.outputAt(uniformBelow(random, response.outputs)), 1);
  }
  return { truths: drawn, tally };
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
