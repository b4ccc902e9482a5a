import type { Examples } from '../learn/examples';
import { LogisticModel } from '../learn/logistic-model';
import { meanOf } from '../learn/loss';
import { cosineDecay, optimiser } from '../learn/optimiser';
import { AGE_COUNT } from './moments';

/** The hours of all journeys with this pattern. */
export interface CountedPattern {
  readonly cells: readonly { readonly channel: number; readonly age: number }[];
  readonly hours: number;
  readonly conversions: number;
}

const STEPS = 400;
const RATE = 0.1;

/**
 * Credits channels by a logistic regression: whether an hour of a journey has a conversion, by how long ago each channel was. Channels share
 * the conversions of a pattern by how much lower its probability is without each. If none makes it higher, they share equally.
 */
export function logisticCredits(
  patterns: readonly CountedPattern[],
  channelCount: number,
): readonly number[] {
  const credits = Array<number>(channelCount).fill(0);
  const { weightOf, outputs } = fitted(patterns, channelCount);
  patterns.forEach(({ cells, conversions }, row) => {
    const output = outputs[row] ?? 0;
    const drops = cells.map(({ channel, age }) =>
      Math.max(0, probability(output) - probability(output - weightOf(channel, age))),
    );
    const total = drops.reduce((sum, drop) => sum + drop, 0);
    cells.forEach(({ channel }, place) => {
      const share = total > 0 ? (drops[place] ?? 0) / total : 1 / cells.length;
      credits[channel] = (credits[channel] ?? 0) + conversions * share;
    });
  });
  return credits;
}

const probability = (output: number): number => meanOf('cross-entropy', output);

/** Fits all patterns at once. A standard normal prior keeps weights without data near 0. */
function fitted(
  patterns: readonly CountedPattern[],
  channelCount: number,
): { readonly weightOf: (channel: number, age: number) => number; readonly outputs: Float32Array } {
  const examples = examplesOf(patterns, channelCount);
  const model = new LogisticModel(examples.fields);
  const { parameters } = model;
  parameters[parameters.length - 1] = meanOutput(patterns);
  const rows = Int32Array.from({ length: examples.count }, (_, row) => row);
  const outputs = new Float32Array(examples.count);
  const gradient = new Float32Array(parameters.length);
  const step = optimiser('adam', parameters);
  for (let taken = 0; taken < STEPS; taken++) {
    model.forward(examples, rows, outputs);
    const slopes = outputs.map((output, row) => {
      const { hours = 0, conversions = 0 } = patterns[row] ?? {};
      return hours * probability(output) - conversions;
    });
    for (let i = 0; i < gradient.length - 1; i++) gradient[i] = parameters[i] ?? 0;
    gradient[gradient.length - 1] = 0;
    model.backward(slopes);
    model.accumulate(null, gradient);
    step(gradient, cosineDecay(RATE, taken, STEPS));
  }
  model.forward(examples, rows, outputs);
  return {
    weightOf: (channel, age) => (age < AGE_COUNT ? (parameters[channel * AGE_COUNT + age] ?? 0) : 0),
    outputs,
  };
}

/**
 * The output for the mean rate of all hours. From 0, where every hour has a conversion as likely as not, the first steps would make all weights
 * negative, and of few hours there is too little to turn them.
 */
function meanOutput(patterns: readonly CountedPattern[]): number {
  const hours = patterns.reduce((sum, pattern) => sum + pattern.hours, 0);
  const conversions = patterns.reduce((sum, pattern) => sum + pattern.conversions, 0);
  return Math.log((conversions + 1) / (hours + 1));
}

/** One example for each pattern, with a category for each channel: its age, or −1 for older ones. */
function examplesOf(patterns: readonly CountedPattern[], channelCount: number): Examples {
  const count = patterns.length;
  const categories = new Int32Array(count * channelCount).fill(-1);
  patterns.forEach(({ cells }, row) => {
    for (const { channel, age } of cells) if (age < AGE_COUNT) categories[row * channelCount + channel] = age;
  });
  const names = Array.from({ length: channelCount }, (_, channel) => String(channel));
  const units = new Int32Array(count);
  return {
    count,
    fields: {
      label: 'conversion',
      categories: names.map((name) => ({ name, role: 'known', buckets: AGE_COUNT })),
      numbers: [],
    },
    categories,
    numbers: new Float32Array(),
    labels: new Float32Array(count),
    times: new Float64Array(count),
    delays: new Float64Array(count),
    units: { user: units, publisher: units, advertiser: units },
  };
}
