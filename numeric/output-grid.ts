import type { OutputSolution, Truths } from './interior-point';
import { cubeRoot, square } from './powers';
import type { Bands } from './truth-rows';

/** Takes what the search for outputs has after each round: how many it looked at, and the gap as a share of the variance. */
export type OnRound = (found: Readonly<Record<'round' | 'outputs' | 'gap', number>>) => void;

const FIRST_OUTPUTS = 60;
/** Into at most so many parts, the space between two outputs is cut at once. */
const MOST_PARTS = 4;
/** A band reaches so much farther than the outputs that the prices make cheaper, and at least so many outputs farther. */
const BAND_REACH = 1.5;
const BAND_MARGIN = 3;

/**
 * Outputs that are evenly spaced until a little beyond ratio/(1 − ratio) below and above the truths, where two outputs could have the mean of
 * each. From there on their distances grow.
 */
export function firstOutputs(ratio: number): Float64Array {
  const reach = 0.05 + (1.5 * ratio) / (1 - ratio);
  const even = (1 + 2 * reach) / (FIRST_OUTPUTS - 1);
  const outputs = Array.from({ length: FIRST_OUTPUTS }, (_, index) => index * even - reach);
  let distance = even;
  for (let far = reach; far < 2 + 4 * reach;) {
    distance *= 1.12;
    far += distance;
    outputs.push(1 + far);
    outputs.unshift(-far);
  }
  return Float64Array.from(outputs);
}

/** Every truth can have every output. */
export const fullBands = (truths: number, outputs: number): Bands => ({
  from: new Int32Array(truths),
  end: new Int32Array(truths).fill(outputs),
});

/**
 * The present outputs, `offers`, and more between the outputs where their distances make the variance greater. Outputs without mass stay, because they
 * keep the prices from falling.
 * @param likely how probable each output is.
 * @param offers outputs that the prices make too cheap.
 * @param rounding by how much variance the distances may make it greater.
 */
export function nextOutputs(
  outputs: Float64Array,
  likely: Float64Array,
  offers: readonly number[],
  rounding: number,
): Float64Array {
  const densities = outputs.map((output, index) => {
    const below = outputs[index - 1] ?? output;
    const above = outputs[index + 1] ?? output;
    return (2 * (likely[index] ?? 0)) / (above - below);
  });
  const spaces = Array.from(outputs.subarray(1), (output, index) => ({
    from: outputs[index] ?? 0,
    length: output - (outputs[index] ?? 0),
    weight: cubeRoot(((densities[index] ?? 0) + (densities[index + 1] ?? 0)) / 2),
  }));
  // Rounding at random to outputs at distance d adds at most d²/4. For as many outputs, least in all is added if d³ falls as the density rises.
  const whole = spaces.reduce((sum, { length, weight }) => sum + length * weight, 0);
  const finest = Math.sqrt((4 * rounding) / whole);
  const added = spaces.flatMap(({ from, length, weight }) => {
    const parts = Math.min(MOST_PARTS, Math.round((length * weight) / finest));
    return Array.from({ length: Math.max(0, parts - 1) }, (_, part) => from + (length * (part + 1)) / parts);
  });
  // Moving all outputs by `apart` would add less than a two hundredth of that.
  const apart = Math.sqrt(rounding) / 16;
  const chosen: number[] = [];
  for (const output of [...outputs, ...added, ...offers].sort((a, b) => a - b))
    if (output - (chosen.at(-1) ?? -Infinity) >= apart) chosen.push(output);
  return Float64Array.from(chosen);
}

/**
 * Around the outputs that a truth's prices make cheaper than without. The bands ascend with the truths. Each output is in one of them.
 * @param outputs ascending.
 */
export function nextBands(
  { truths, prior }: Truths,
  prices: OutputSolution['prices'],
  outputs: Float64Array,
): Bands {
  const bands = fullBands(truths.length, outputs.length);
  const { from, end } = bands;
  const order = [...truths.keys()].sort((a, b) => (truths[a] ?? 0) - (truths[b] ?? 0));
  truths.forEach((truth, x) => {
    const { level, slope } = prices[x] ?? { level: 0, slope: 0 };
    const likely = prior[x] ?? 1;
    const move = slope / (2 * likely);
    const reach = BAND_REACH * Math.sqrt(Math.max(0, (level + slope * truth) / likely + square(move)));
    from[x] = placeOf(outputs, truth + move - reach) - BAND_MARGIN;
    end[x] = placeOf(outputs, truth + move + reach) + BAND_MARGIN;
  });
  let last = 0;
  for (const x of order) last = end[x] = Math.min(outputs.length, Math.max(last, end[x] ?? 0));
  let next = outputs.length;
  for (const x of order.reverse()) next = from[x] = Math.max(0, Math.min(next, from[x] ?? 0));
  last = 0;
  for (const x of order.reverse()) {
    from[x] = Math.min(last, from[x] ?? 0);
    last = end[x] ?? 0;
  }
  end[order.at(-1) ?? 0] = outputs.length;
  return bands;
}

/** How many outputs are below. */
function placeOf(outputs: Float64Array, value: number): number {
  let [low, high] = [0, outputs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((outputs[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
