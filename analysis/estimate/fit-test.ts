import { uniformBelow } from '../../src/privacy/uniform';
import { seededRandomSource } from '../random/sources';
import { fit } from './likeliest-model';
import { sum, type Counts, type Expectation, type Support } from './output-model';
import type { ResponseModel } from './response-model';
import { binomial, gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

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

/** How many sources of the model have each output. Draws sources with the same truth together, so that millions take no longer than a few. */
function sample(
  support: Support,
  response: ResponseModel,
  { kept }: Expectation,
  sources: number,
  replicate: number,
): ReadonlyMap<string, number> {
  const uniform = seededUniform('truths', replicate);
  const tally = new Map<string, number>();
  const add = (output: string, times: number): void => {
    if (times > 0) tally.set(output, (tally.get(output) ?? 0) + times);
  };
  let replaced = 0;
  truths(kept, sources, uniform).forEach((count, index) => {
    const own = binomial(uniform, count, response.keep);
    add(support.outputs[kept.outputs[index] ?? 0] ?? '', own);
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
  return tally;
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
