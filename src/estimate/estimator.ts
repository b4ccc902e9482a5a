import { ParameterError, priorParameter, valuesParameter } from '../privacy/parameters';
import type { Rational } from '../privacy/rational';
import { rrOnBins } from '../privacy/rr-on-bins';
import { rrWithPrior } from '../privacy/rr-with-prior';
import { unbiasedRandomizer } from '../privacy/unbiased-randomizer';
import { matrixChannel, responseOf, type Response } from './channel';
import type { Configuration, Mechanism } from './configuration';
import { rightInverse } from './inverse';
import { estimateSum } from './matrix-estimate';
import { listedMeasure, StateMeasures, type Measure, type Quantity } from './quantities';
import { estimateResponse, type Estimate, type EstimateOptions, type Tally } from './response-estimate';
import { transitionRows } from './transition';

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
    single: shared.length === 0 ? (state) => ({ kind, state }) : null,
  };
}

/** Randomized response with a prior over values. */
function priorValueEstimator(
  { values, prior }: { readonly values: readonly Parameter[]; readonly prior: readonly Parameter[] },
  epsilon: number,
): Estimator {
  const support = valuesParameter(values, priorParameter(prior)).map(toNumber);
  const ranked = likeliest(prior, epsilon);
  const kind = ranked.impossible.length === 0 ? 'label' : 'label-with-share';
  const single = (output: string): Quantity => ({ kind, value: support[Number(output)] ?? NaN });
  const valueOf = (output: string): number => support[Number(output)] ?? NaN;
  return {
    ...estimableOf(
      [
        ...ranked.possible.map((output) => countOf(single(output), output, ranked.possible)),
        listedMeasure({ kind: 'label-sum' }, ranked.possible, valueOf),
      ],
      ranked,
      () => null,
    ),
    outputs: BigInt(ranked.possible.length),
    valued: true,
    outputOf: nearestIn(ranked.possible, valueOf),
    single: null,
  };
}

type Parameter = Parameters<typeof rrWithPrior>[0][number];

interface Ranked {
  readonly response: Response;
  /** The labels that can be an output, and those that cannot, by number. */
  readonly possible: readonly string[];
  readonly impossible: readonly string[];
}

function likeliest(prior: readonly Parameter[], epsilon: number): Ranked {
  const mechanism = rrWithPrior(prior, epsilon);
  const possible = new Set(mechanism.outputs);
  const probabilities = priorParameter(prior).map(toNumber);
  const impossible = probabilities.flatMap((_, label) => (possible.has(label) ? [] : [label]));
  const outside = impossible.reduce((sum, label) => sum + (probabilities[label] ?? 0), 0);
  return {
    response: responseOf(mechanism.k, epsilon, outside),
    possible: mechanism.outputs.map(String),
    impossible: impossible.map(String),
  };
}

/** How many sources have one of the outputs. */
const countOf = (quantity: Quantity, output: string, outputs: readonly string[]): Measure =>
  listedMeasure(quantity, outputs, (other) => (other === output ? 1 : 0));

/**
 * Sources whose truth cannot be an output answer uniformly, so that they look like a mixture of all who can. A quantity has an
 * estimate without bias only if each of them adds the mean of what the possible outputs add.
 */
function estimableOf(
  measures: readonly Measure[],
  { response, possible, impossible }: Ranked,
  more: (quantity: Quantity) => Measure | null,
): Pick<Estimator, 'quantities' | 'hidden' | 'estimate' | 'replaceProbability' | 'isOutput'> {
  const isEstimable = ({ quantity, mean, adds }: Measure): boolean =>
    isShared(quantity) ||
    impossible.every((label) => Math.abs(adds(label) - mean) <= 1e-9 * (1 + Math.abs(mean)));
  const outputs = new Set(possible);
  return {
    ...overMeasures(measures.filter(isEstimable), response, more),
    hidden: measures.filter((measure) => !isEstimable(measure)).map(({ quantity }) => quantity),
    isOutput: (output) => outputs.has(output),
  };
}

/** So defined that it can be estimated. */
const isShared = ({ kind }: Quantity): boolean => kind === 'label-with-share' || kind === 'state-with-share';

/** Randomized response over bins: whatever is the same for all values of a bin. */
function binEstimator(mechanism: Extract<Mechanism, { kind: 'rr-on-bins' }>, epsilon: number): Estimator {
  const { bins } = rrOnBins(mechanism.values, mechanism.prior, mechanism.loss, epsilon);
  const prior = priorParameter(mechanism.prior);
  const support = valuesParameter(mechanism.values, prior).map(toNumber);
  const probabilities = prior.map(toNumber);
  const means = bins.map(({ members, output }) => {
    const mass = members.reduce((sum, member) => sum + (probabilities[member] ?? 0), 0);
    const total = members.reduce(
      (sum, member) => sum + (probabilities[member] ?? 0) * (support[member] ?? 0),
      0,
    );
    return mass > 0 ? total / mass : output;
  });
  const outputs = bins.map((_, bin) => String(bin));
  const single = (output: string): Quantity => ({
    kind: 'bin',
    values: (bins[Number(output)]?.members ?? []).map((member) => support[member] ?? NaN),
  });
  const measures = [
    ...outputs.map((output) => countOf(single(output), output, outputs)),
    listedMeasure(
      { kind: bins.every(({ members }) => members.length === 1) ? 'label-sum' : 'binned-sum' },
      outputs,
      (output) => means[Number(output)] ?? NaN,
    ),
  ];
  return {
    ...overMeasures(measures, responseOf(bins.length, epsilon), () => null),
    outputs: BigInt(bins.length),
    hidden: [],
    valued: true,
    outputOf: nearestIn(outputs, (output) => bins[Number(output)]?.output ?? NaN),
    isOutput: (output) => outputs.includes(output),
    single: null,
  };
}

/** The unbiased randomizer: outputs add up to what the truths add up to. */
function unbiasedEstimator(mechanism: Extract<Mechanism, { kind: 'unbiased' }>, epsilon: number): Estimator {
  const randomizer = unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon);
  const prior = priorParameter(mechanism.prior);
  const support = valuesParameter(mechanism.values, prior).map(toNumber);
  const rows = transitionRows(randomizer, support.length);
  const reported = randomizer.outputs.map(toNumber);
  const channel = matrixChannel(support, reported, rows, prior.map(toNumber));
  const inverse = rightInverse(rows);
  const outputs = reported.map((_, index) => String(index));
  const sum: Quantity = { kind: 'label-sum' };
  return {
    outputs: BigInt(outputs.length),
    replaceProbability: null,
    quantities: [sum],
    hidden: [],
    valued: true,
    outputOf: nearestIn(outputs, (output) => reported[Number(output)] ?? NaN),
    isOutput: (output) => outputs.includes(output),
    single: null,
    estimate: (quantity, tally, options) => {
      if (quantity.kind !== 'label-sum') throw noEstimate(quantity);
      return estimateSum(
        channel,
        inverse,
        outputs.map((output) => tally.get(output) ?? 0),
        options,
      );
    },
  };
}

function overMeasures(
  measures: readonly Measure[],
  response: Response,
  more: (quantity: Quantity) => Measure | null,
): Pick<Estimator, 'quantities' | 'estimate' | 'replaceProbability'> {
  const known = new Map(measures.map((measure) => [JSON.stringify(measure.quantity), measure]));
  return {
    replaceProbability: 1 - response.keep,
    quantities: measures.map(({ quantity }) => quantity),
    estimate: (quantity, tally, options) => {
      const measure = known.get(JSON.stringify(quantity)) ?? more(quantity);
      if (measure === null) throw noEstimate(quantity);
      const estimate = estimateResponse(measure, response, tally, options);
      return quantity.kind === 'conversion-rate' ? perSource(estimate, tally) : estimate;
    },
  };
}

const noEstimate = (quantity: Quantity): RangeError =>
  new RangeError(`there is no estimate without bias of ${JSON.stringify(quantity)}`);

function perSource(
  { observed, noise, estimate, variance, interval: [low, high] }: Estimate,
  tally: Tally,
): Estimate {
  let sources = 0;
  for (const count of tally.values()) sources += count;
  return {
    observed: observed / sources,
    noise: noise / sources,
    estimate: estimate / sources,
    variance: variance / sources ** 2,
    interval: [low / sources, high / sources],
  };
}

/** A reported value may have lost its last digits on the way. */
const nearestIn =
  (outputs: readonly string[], valueOf: (output: string) => number) =>
  (value: number): string | null => {
    let nearest: string | null = null;
    let least = 1e-9 * (1 + Math.abs(value));
    for (const output of outputs) {
      const distance = Math.abs(valueOf(output) - value);
      if (distance <= least) [nearest, least] = [output, distance];
    }
    return nearest;
  };

const toNumber = (value: Rational): number => value.toNumber();
