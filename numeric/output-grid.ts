/** Takes what the search for outputs has after each round: how many it looked at, and the gap as a share of the variance. */
export type OnRound = (found: Readonly<Record<'round' | 'outputs' | 'gap', number>>) => void;

const FIRST_OUTPUTS = 60;
/** Outputs with a smaller greatest probability, in shares of an even one, are left out of the next programme. */
const LEAST_SHARE = 1e-3;
/** Beyond so many outputs, neighbours are left out: they would make the programme grow in each round. */
const CROWDED = 400;

/**
 * Outputs for truths from 0 to 1. Two that are ratio/(1 − ratio) below and above could have the mean of each truth. A little farther
 * they are evenly spaced, and from there on with growing distances.
 * @param ratio the least of an output's probabilities for two truths; below 1.
 */
export function firstOutputs(ratio: number): Float64Array {
  const reach = 0.05 + (1.5 * ratio) / (1 - ratio);
  let distance = (1 + 2 * reach) / (FIRST_OUTPUTS - 1);
  const outputs = Array.from({ length: FIRST_OUTPUTS }, (_, index) => index * distance - reach);
  for (let far = reach; far < 2 + 4 * reach;) {
    distance *= 1.12;
    far += distance;
    outputs.push(1 + far);
    outputs.unshift(-far);
  }
  return Float64Array.from(outputs);
}

/**
 * The first ones, those that are used and, unless there are many, their neighbours, `offers`, and the mean of what is used around each offer: where prices turn
 * out lower between two outputs, the best output lies there. The unused ones keep the prices from falling. At least `apart` from each
 * other.
 * @param offers ascending.
 */
export function nextOutputs(
  first: Float64Array,
  outputs: Float64Array,
  masses: Float64Array,
  offers: readonly number[],
  apart: number,
): Float64Array {
  const around = offers.map(() => ({ mass: 0, moment: 0 }));
  const kept = [...first];
  const isUsed = (index: number): boolean => (masses[index] ?? 0) * offers.length >= LEAST_SHARE;
  outputs.forEach((output, index) => {
    const mass = masses[index] ?? 0;
    const isNeighbour = outputs.length <= CROWDED && (isUsed(index - 1) || isUsed(index + 1));
    if (isUsed(index) || isNeighbour) kept.push(output);
    const nearest = around.at(nearestIndex(offers, output));
    if (!isUsed(index) || nearest === undefined) return;
    nearest.mass += mass;
    nearest.moment += mass * output;
  });
  const means = around.flatMap(({ mass, moment }) => (mass > 0 ? [moment / mass] : []));
  const chosen: number[] = [];
  for (const output of [...kept, ...means, ...offers].sort((a, b) => a - b))
    if (output - (chosen.at(-1) ?? -Infinity) >= apart) chosen.push(output);
  return Float64Array.from(chosen);
}

const nearestIndex = (ascending: readonly number[], to: number): number =>
  ascending.reduce(
    (best, own, index) => (Math.abs(own - to) < Math.abs((ascending[best] ?? 0) - to) ? index : best),
    0,
  );
