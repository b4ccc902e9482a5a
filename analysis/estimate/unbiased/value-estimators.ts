import type { Epsilon } from '../../../src/model/units';
import { priorParameter, valuesParameter } from '../../../src/privacy/parameters';
import type { Exact, Rational } from '../../../src/privacy/rational';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { matrixAspect, responseAspects } from './aspects';
import { matrixChannel, responseRates } from '../intervals/channel';
import type { Mechanism } from '../quantities/configuration';
import type { Estimator } from './estimator';
import { rightInverse } from '../intervals/inverse';
import { estimateSum } from './matrix-estimate';
import { countOf, estimableOf, likeliest, noEstimate, overMeasures } from './measured';
import { listedMeasure } from '../quantities/measure';
import type { Quantity } from '../quantities/quantities';
import { listedOutputs } from '../quantities/response-model';
import { transitionRows } from '../quantities/transition';

export function priorValueEstimator(
  { values, prior }: { readonly values: readonly Exact[]; readonly prior: readonly Exact[] },
  epsilon: Epsilon,
): Estimator {
  const support = valuesParameter(values, priorParameter(prior)).map(toNumber);
  const ranked = likeliest(prior, epsilon);
  const kind = ranked.impossible.length === 0 ? 'label' : 'label-with-share';
  const single = (output: string): Quantity => ({ kind, value: support[Number(output)] ?? NaN });
  const valueOf = (output: string): number => support[Number(output)] ?? NaN;
  const sum = listedMeasure({ kind: 'label-sum' }, ranked.possible, valueOf);
  return {
    ...estimableOf(
      [...ranked.possible.map((output) => countOf(single(output), output, ranked.possible)), sum],
      ranked,
      () => null,
    ),
    outputs: BigInt(ranked.possible.length),
    valued: true,
    shortfall: () => null,
    aspects: responseAspects([sum], ranked.response),
    outputOf: nearestIn(ranked.possible, valueOf),
    single: null,
  };
}

/** Randomized response over bins. It can estimate what is equal for all values of a bin. */
export function binEstimator(
  mechanism: Extract<Mechanism, { kind: 'rr-on-bins' }>,
  epsilon: Epsilon,
): Estimator {
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
  const response = responseRates(bins.length, epsilon);
  return {
    ...overMeasures(measures, response, listedOutputs(outputs), () => null),
    outputs: BigInt(bins.length),
    hidden: [],
    valued: true,
    shortfall: () => null,
    aspects: responseAspects(measures, response),
    outputOf: nearestIn(outputs, (output) => bins[Number(output)]?.output ?? NaN),
    isOutput: (output) => outputs.includes(output),
    single: null,
  };
}

/** The unbiased randomizer: the mean of the summed outputs is the sum of the truths. */
export function unbiasedEstimator(
  mechanism: Extract<Mechanism, { kind: 'unbiased' }>,
  epsilon: Epsilon,
): Estimator {
  const randomizer = unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon);
  const prior = priorParameter(mechanism.prior);
  const support = valuesParameter(mechanism.values, prior).map(toNumber);
  const rows = transitionRows(randomizer, support.length);
  const reported = randomizer.outputs.map(toNumber);
  const channel = matrixChannel(support, reported, rows, prior.map(toNumber));
  const inverse = rightInverse(rows);
  const outputs = reported.map((_, index) => String(index));
  const sum: Quantity = { kind: 'label-sum' };
  const channels = new Map([[JSON.stringify(sum), channel]]);
  // The weights of a label add up to 1 for its sources on average, and to 0 for others.
  const labels = inverse === null ? [] : support.map((value): Quantity => ({ kind: 'label', value }));
  labels.forEach((quantity, label) => {
    const truths = support.map((_, other) => (other === label ? 1 : 0));
    const weights = inverse?.map((row) => row[label] ?? 0) ?? [];
    channels.set(JSON.stringify(quantity), matrixChannel(truths, weights, rows, prior.map(toNumber)));
  });
  return {
    outputs: BigInt(outputs.length),
    replaceProbability: null,
    quantities: [sum, ...labels],
    hidden: [],
    likelihood: null,
    valued: true,
    shortfall: () => null,
    aspects: [matrixAspect(rows, reported)],
    outputOf: nearestIn(outputs, (output) => reported[Number(output)] ?? NaN),
    isOutput: (output) => outputs.includes(output),
    single: null,
    estimate: (quantity, tally, options) => {
      const asked = channels.get(JSON.stringify(quantity));
      if (asked === undefined) throw noEstimate(quantity);
      return estimateSum(
        asked,
        inverse,
        outputs.map((output) => tally.get(output) ?? 0),
        options,
        quantity.kind === 'label-sum',
      );
    },
  };
}

/** Tolerates a reported value whose last digits were lost in transport. */
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
