import { ParameterError } from '../../src/privacy/parameters';
import { responseOf } from './channel';
import type { Configuration, Mechanism } from './configuration';
import { countOf, estimableOf, likeliest, overMeasures } from './measured';
import { shortfallOf, type Shortfall } from './shortfall';
import { listedMeasure, StateMeasures, type Quantity } from './quantities';
import type { Estimate, EstimateOptions, Tally } from './response-estimate';
import { binEstimator, priorValueEstimator, unbiasedEstimator } from './value-estimators';

/** What can be estimated of the sources of one configuration, from how many of them gave each output. */
export interface Estimator {
  /** How many outputs there are. */
  readonly outputs: bigint;
  /** p for mechanisms that replace an output by a uniformly random one; null for others. */
  readonly replaceProbability: number | null;
  /** What has an estimate without bias. */
  readonly quantities: readonly Quantity[];
  /** What has none, because the mechanism hides it. */
  readonly hidden: readonly Quantity[];
  /** Whether sources report values, one each, in place of the reports of a state. */
  readonly valued: boolean;
  /** The number of the output that a reported value is; null if it is none. */
  outputOf(value: number): string | null;
  /** Whether sources can have this output, a state's number or that of a value. */
  isOutput(output: string): boolean;
  /** Whether fewer sources have reports than noise alone gives; null, too, for values, of which each source has one or is missing. */
  shortfall(tally: Tally): Shortfall | null;
  /** The quantity that counts the sources with one output; null when `quantities` has them all, or they cannot be counted. */
  readonly single: ((output: string) => Quantity) | null;
  /** @throws RangeError for a quantity that has no estimate without bias. */
  estimate(quantity: Quantity, tally: Tally, options: EstimateOptions): Estimate;
}

/**
 * The estimator of a configuration, with the very mechanism that its sources used.
 * @throws ParameterError for parameters that the mechanism cannot have.
 */
export function estimatorOf({ shape, epsilon, mechanism }: Configuration): Estimator {
  if (!(epsilon > 0))
    throw new ParameterError('epsilon', epsilon, 'greater than 0: at 0, outputs are noise alone');
  switch (mechanism.kind) {
    case 'rr':
      return stateEstimator(new StateMeasures(shape), epsilon);
    case 'rr-with-prior':
      return mechanism.values === null
        ? priorStateEstimator(new StateMeasures(shape), mechanism.prior, epsilon)
        : priorValueEstimator({ ...mechanism, values: mechanism.values }, epsilon);
    case 'rr-on-bins':
      return binEstimator(mechanism, epsilon);
    case 'unbiased':
      return unbiasedEstimator(mechanism, epsilon);
  }
}

function stateEstimator(measures: StateMeasures, epsilon: number): Estimator {
  const response = responseOf(Number(measures.states), epsilon);
  const reportCounts = measures.measure({ kind: 'conversions' });
  return {
    ...overMeasures(
      measures.all.map((quantity) => measures.measure(quantity)),
      response,
      (quantity) => (quantity.kind === 'state' ? measures.measure(quantity) : null),
    ),
    outputs: measures.states,
    hidden: [],
    valued: false,
    outputOf: () => null,
    isOutput: (output) => BigInt(output) < measures.states,
    shortfall: (tally) => shortfallOf(reportCounts, response, tally),
    single: (state) => ({ kind: 'state', state }),
  };
}

/** Randomized response with a prior over the states 0 … k − 1. */
function priorStateEstimator(
  measures: StateMeasures,
  prior: Extract<Mechanism, { kind: 'rr-with-prior' }>['prior'],
  epsilon: number,
): Estimator {
  if (BigInt(prior.length) !== measures.states)
    throw new ParameterError(
      'prior',
      prior.length,
      `as many probabilities as there are states (${measures.states})`,
    );
  const ranked = likeliest(prior, epsilon);
  const listed = measures.all.map((quantity) => {
    return listedMeasure(quantity, ranked.possible, measures.measure(quantity).adds);
  });
  const counts = { kind: 'conversions' } as const;
  const reportCounts = listedMeasure(counts, ranked.possible, measures.measure(counts).adds);
  const kind = ranked.impossible.length === 0 ? 'state' : 'state-with-share';
  const shared = ranked.impossible.length === 0 ? [] : ranked.possible;
  return {
    ...estimableOf(
      [...listed, ...shared.map((state) => countOf({ kind, state }, state, ranked.possible))],
      ranked,
      (quantity) => (quantity.kind === kind ? countOf(quantity, quantity.state, ranked.possible) : null),
    ),
    outputs: BigInt(ranked.possible.length),
    valued: false,
    outputOf: () => null,
    shortfall: (tally) => shortfallOf(reportCounts, ranked.response, tally),
    single: shared.length === 0 ? (state) => ({ kind, state }) : null,
  };
}
