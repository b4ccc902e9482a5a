import type { JsonObject } from '../../../src/model/json';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import type { Estimator } from '../../../analysis/estimate/unbiased/estimator';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import type { Quantity } from '../../../analysis/estimate/quantities/quantities';
import type { EstimateOptions, OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import type { SourceType } from '../../../src/model/limits';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { outputsFor, type FiniteMechanism } from '../../../src/privacy/finite-distribution';
import { type RandomSource } from '../../../src/privacy/random-source';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { accepted, parsedSource } from './parsing';
import { seededRandomSource } from '../../../analysis/random/sources';

export const configurationOf = (
  fields: JsonObject,
  type: SourceType,
  epsilon: number,
  mechanism: Configuration['mechanism'] = { kind: 'rr' },
): Configuration => ({ shape: accepted(parsedSource(fields, type)), epsilon: epsilonOf(epsilon), mechanism });

/** The project's own sampler for a configuration: maps the index of a truth to that of an output. */
export function samplerOf({
  shape,
  epsilon,
  mechanism,
}: Configuration): (truth: number, random: RandomSource) => string {
  if (mechanism.kind === 'rr') {
    const respond = randomizedResponse(countStates(shapeOf(shape)), epsilon);
    return (truth, random) => {
      const response = respond(random);
      return response.kind === 'truthful' ? String(truth) : String(response.state);
    };
  }
  const draws = (randomizer: FiniteMechanism<unknown>): ((truth: number, random: RandomSource) => number) => {
    const numbers = { outputs: randomizer.outputs.map((_, index) => index), weights: randomizer.weights };
    const byTruth = mechanism.prior.map((_, truth) => outputsFor(numbers, truth));
    return (truth, random) => byTruth[truth]?.(random) ?? NaN;
  };
  if (mechanism.kind === 'rr-with-prior') {
    const randomizer = rrWithPrior(mechanism.prior, epsilon);
    const draw = draws(randomizer);
    return (truth, random) => String(randomizer.outputs[draw(truth, random)]);
  }
  const draw = draws(
    mechanism.kind === 'unbiased'
      ? unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon)
      : rrOnBins(mechanism.values, mechanism.prior, mechanism.loss, epsilon),
  );
  return (truth, random) => String(draw(truth, random));
}

/** The quality of one quantity's estimates over many runs. */
export interface Performance {
  readonly quantity: Quantity;
  readonly truth: number;
  /** The share of runs whose interval contains the truth. */
  readonly coverage: number;
  /** The mean error, in standard errors of this mean. */
  readonly bias: number;
  /** The mean of an interval's. */
  readonly length: number;
  readonly meanSquaredError: number;
  readonly meanVariance: number;
}

/**
 * Draws outputs for the same truths many times, and compares the estimates with the truth.
 * @param truths how many sources have each truth.
 * @param truthOf the true sum of a quantity.
 */
export function perform(
  configuration: Configuration,
  truths: ReadonlyMap<number, number>,
  truthOf: (quantity: Quantity) => number,
  {
    runs,
    quantities,
    ...options
  }: EstimateOptions & { readonly runs: number; readonly quantities?: readonly Quantity['kind'][] },
): readonly Performance[] {
  const estimator = estimatorOf(configuration);
  const sample = samplerOf(configuration);
  const chosen = estimator.quantities.filter(({ kind }) => quantities?.includes(kind) ?? true);
  const sums = chosen.map(truthOf);
  const results = chosen.map(() => ({ held: 0, lengths: 0, errors: 0, squares: 0, variances: 0 }));
  for (let run = 0; run < runs; run++) {
    const tally = drawTally(sample, truths, seededRandomSource('estimates', run));
    chosen.forEach((quantity, index) => {
      const { estimate, variance, interval } = estimator.estimate(quantity, tally, options);
      const truth = sums[index] ?? NaN;
      const slack = 1e-9 * (1 + Math.abs(truth));
      const result = results[index] ?? { held: 0, lengths: 0, errors: 0, squares: 0, variances: 0 };
      if (interval[0] <= truth + slack && truth <= interval[1] + slack) result.held += 1;
      result.lengths += interval[1] - interval[0];
      result.errors += estimate - truth;
      result.squares += (estimate - truth) ** 2;
      result.variances += variance;
    });
  }
  return results.map(({ held, lengths, errors, squares, variances }, index) => ({
    quantity: chosen[index] ?? { kind: 'conversions' },
    truth: sums[index] ?? NaN,
    coverage: held / runs,
    bias: errors / runs / Math.sqrt(squares / runs / runs),
    length: lengths / runs,
    meanSquaredError: squares / runs,
    meanVariance: variances / runs,
  }));
}

export function drawTally(
  sample: (truth: number, random: RandomSource) => string,
  truths: ReadonlyMap<number, number>,
  random: RandomSource,
): OutputCounts {
  const tally = new Map<string, number>();
  for (const [truth, sources] of truths)
    for (let source = 0; source < sources; source++) {
      const output = sample(truth, random);
      tally.set(output, (tally.get(output) ?? 0) + 1);
    }
  return tally;
}

/** The true sum of a quantity over report states: its estimate under almost no noise. */
export function truthsOf(
  configuration: Configuration,
  truths: ReadonlyMap<number, number>,
): (quantity: Quantity) => number {
  const exact: Estimator = estimatorOf({
    ...configuration,
    epsilon: epsilonOf(700),
    mechanism: { kind: 'rr' },
  });
  const tally = new Map([...truths].map(([truth, sources]) => [String(truth), sources]));
  return (quantity) => exact.estimate(quantity, tally, { level: 0.5, randomness: 'noise' }).observed;
}
