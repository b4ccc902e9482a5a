import { probability, type Epsilon } from '../../../src/model/units';
import { priorParameter } from '../../../src/privacy/parameters';
import type { Exact } from '../../../src/privacy/rational';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import { responseRates, type ResponseRates } from '../intervals/channel';
import type { Estimator } from './estimator';
import { estimateIfLost } from './estimate-if-lost';
import { listedMeasure, type Measure } from '../quantities/measure';
import type { Quantity } from '../quantities/quantities';
import {
  estimateResponse,
  KnownIntervals,
  scaled,
  type Estimate,
  type OutputCounts,
} from './response-estimate';
import { listedOutputs, type ResponseModel } from '../quantities/response-model';
import { sourcesOf } from './tally';

/** @param more measures that are not listed. */
export function overMeasures(
  measures: readonly Measure[],
  response: ResponseRates,
  outputs: Omit<ResponseModel, 'keep'>,
  more: (quantity: Quantity) => Measure | null,
): Pick<Estimator, 'quantities' | 'estimate' | 'likelihood' | 'replaceProbability'> {
  const known = new Map(measures.map((measure) => [JSON.stringify(measure.quantity), measure]));
  const intervals = new KnownIntervals();
  return {
    replaceProbability: probability(1 - response.keep),
    quantities: measures.map(({ quantity }) => quantity),
    likelihood: { response: { keep: response.keep, ...outputs }, measures },
    estimate: (quantity, tally, options) => {
      const measure = known.get(JSON.stringify(quantity)) ?? more(quantity);
      if (measure === null) throw noEstimate(quantity);
      const { lost } = options;
      const estimate =
        lost === undefined
          ? estimateResponse(measure, response, tally, options, intervals)
          : estimateIfLost(measure, response, tally, options, lost);
      return quantity.kind === 'conversion-rate' ? perSource(estimate, tally) : estimate;
    },
  };
}

export const noEstimate = (quantity: Quantity): RangeError =>
  new RangeError(`there is no estimate without bias of ${JSON.stringify(quantity)}`);

const perSource = (estimate: Estimate, tally: OutputCounts): Estimate =>
  scaled(estimate, 1 / sourcesOf(tally));

/** The labels of a prior, by whether they are possible outputs. */
export interface Ranked {
  readonly response: ResponseRates;
  /** The numbers of the labels that are possible outputs, and of those that are not. */
  readonly possible: readonly string[];
  readonly impossible: readonly string[];
}

export function likeliest(prior: readonly Exact[], epsilon: Epsilon): Ranked {
  const mechanism = rrWithPrior(prior, epsilon);
  const possible = new Set(mechanism.outputs);
  const probabilities = priorParameter(prior).map((probability) => probability.toNumber());
  const impossible = probabilities.flatMap((_, label) => (possible.has(label) ? [] : [label]));
  const outside = impossible.reduce((sum, label) => sum + (probabilities[label] ?? 0), 0);
  return {
    response: responseRates(mechanism.k, epsilon, probability(outside)),
    possible: mechanism.outputs.map(String),
    impossible: impossible.map(String),
  };
}

/** Counts the sources with one of the outputs. */
export const countOf = (quantity: Quantity, output: string, outputs: readonly string[]): Measure =>
  listedMeasure(quantity, outputs, (other) => (other === output ? 1 : 0));

/**
 * Sources whose truth is not a possible output answer uniformly, so they look like a mixture of all others. A quantity has an unbiased
 * estimate only if each of them adds the mean over the possible outputs.
 */
export function estimableOf(
  measures: readonly Measure[],
  { response, possible, impossible }: Ranked,
  more: (quantity: Quantity) => Measure | null,
): Pick<Estimator, 'quantities' | 'hidden' | 'estimate' | 'likelihood' | 'replaceProbability' | 'isOutput'> {
  const isEstimable = ({ quantity, mean, adds }: Measure): boolean =>
    isShared(quantity) ||
    impossible.every((label) => Math.abs(adds(label) - mean) <= 1e-9 * (1 + Math.abs(mean)));
  const outputs = new Set(possible);
  return {
    ...overMeasures(measures.filter(isEstimable), response, listedOutputs(possible), more),
    hidden: measures.filter((measure) => !isEstimable(measure)).map(({ quantity }) => quantity),
    isOutput: (output) => outputs.has(output),
  };
}

/** These kinds are defined so that they can be estimated. */
const isShared = ({ kind }: Quantity): boolean => kind === 'label-with-share' || kind === 'state-with-share';
