import type { RandomSource } from '../../src/privacy/random-source';
import { seededRandomSource } from '../random/sources';
import { withClusteredLabels } from '../learn/clustered-labels';
import { withLabels, type Examples } from '../learn/examples';
import { noisyFeatureSums } from '../learn/feature-sums';
import { LogisticModel } from '../learn/logistic-model';
import { noisyLabelSums } from '../learn/noisy-sums';
import { PrivacyAccountant } from '../learn/privacy-accountant';
import { RandomNumbers } from '../learn/random-numbers';
import type { Draw, Release } from './release';

const EPSILON = 1;
/** A unit has so many of the examples. */
const OF_UNIT = 2;
const COUNT = 4;

/** All with the same two features, and without a conversion. */
const unlabelled: Examples = {
  count: COUNT,
  fields: {
    label: 'conversion',
    categories: ['a', 'b'].map((name) => ({ name, role: 'known', buckets: 1 })),
    numbers: [],
  },
  categories: new Int32Array(2 * COUNT),
  numbers: new Float32Array(),
  labels: new Float32Array(COUNT),
  times: new Float64Array(COUNT),
  delays: new Float64Array(COUNT),
  units: { user: new Int32Array(COUNT), publisher: new Int32Array(COUNT), advertiser: new Int32Array(COUNT) },
};

const budget = { epsilon: EPSILON, examplesPerUnit: OF_UNIT };

/** Labels of one unit, none or all of which are conversions. */
const inputs =
  (drawOf: (examples: Examples) => Draw): Release['inputs'] =>
  () =>
    Promise.resolve([
      drawOf(unlabelled),
      drawOf(
        withLabels(
          unlabelled,
          Float32Array.from(unlabelled.labels, (_, row) => Number(row < OF_UNIT)),
        ),
      ),
    ]);

const accountant = (delta = 0): PrivacyAccountant => new PrivacyAccountant(EPSILON, delta);

const DELTA = 1e-6;
/** A unit has all of them. */
const MANY = 20;

/** All with the same known feature, and with this sensitive feature and label: 0 or 1. */
const alike = (value: number): Examples => ({
  count: MANY,
  fields: {
    label: 'value',
    categories: [
      { name: 'a', role: 'known', buckets: 1 },
      { name: 'b', role: 'sensitive', buckets: 2 },
    ],
    numbers: [],
  },
  categories: Int32Array.from({ length: 2 * MANY }, (_, i) => (i % 2) * value),
  numbers: new Float32Array(),
  labels: new Float32Array(MANY).fill(value),
  times: new Float64Array(MANY),
  delays: new Float64Array(MANY),
  units: { user: new Int32Array(MANY), publisher: new Int32Array(MANY), advertiser: new Int32Array(MANY) },
});

/** Whether all noisy sums with the label together are nearer to what they are if all labels are 1: in the three features of an example. */
const manyLabels = (examples: Examples, random: RandomSource): string => {
  const given = { epsilon: EPSILON, delta: DELTA, examplesPerUnit: MANY };
  const { sums } = noisyFeatureSums(examples, 1, given, new RandomNumbers(random), accountant(DELTA));
  return String(sums.labels.reduce((all, sum) => all + sum, 0) > (3 * MANY) / 2);
};

/** What `learn` makes of labels before it trains. */
export const learning: readonly Release[] = [
  {
    id: 'label-sums',
    differs: 'the labels of one unit; the sum for each feature is published',
    promise: EPSILON,
    method: 'at-least',
    inputs: inputs((examples) => (random) => {
      const sums = noisyLabelSums(new LogisticModel(examples.fields), examples, budget, random, accountant());
      // Half of the time or less, so that few draws show the difference.
      return [...sums].map((sum) => Number(sum >= OF_UNIT)).join(' ');
    }),
  },
  {
    id: 'feature-sums',
    differs: 'the labels and a sensitive feature of one unit; the sums of features are published',
    promise: EPSILON,
    method: 'at-least',
    inputs: () =>
      Promise.resolve([(random) => manyLabels(alike(0), random), (random) => manyLabels(alike(1), random)]),
  },
  {
    id: 'clusters',
    differs: 'the labels of one unit; the rate of each cluster is published',
    promise: EPSILON,
    method: 'at-least',
    inputs: inputs((examples) => (random) => {
      const numbers = new RandomNumbers(seededRandomSource('clusters', 0));
      const { labels } = withClusteredLabels(examples, budget, numbers, random, accountant());
      return [...labels].map((rate) => Number(rate >= OF_UNIT / COUNT)).join(' ');
    }),
  },
];
