const FIRST_OUTPUTS = 60;
/** Neighbouring outputs with at least this greatest probability have their mean tried. */
const USED_MASS = 1e-6;

/**
 * Outputs for truths from 0 to 1. Two that are ratio/(1 − ratio) below and above could have the mean of each truth. A little farther
 * they are evenly spaced, and from there on with growing distances.
 * @param ratio the least of an output's probabilities for two truths; below 1.
 */
export function firstOutputs(ratio: number): number[] {
  const reach = 0.05 + (1.5 * ratio) / (1 - ratio);
  let distance = (1 + 2 * reach) / (FIRST_OUTPUTS - 1);
  const outputs = Array.from({ length: FIRST_OUTPUTS }, (_, index) => index * distance - reach);
  for (let far = reach; far < 2 + 4 * reach;) {
    distance *= 1.12;
    far += distance;
    outputs.push(1 + far);
    outputs.unshift(-far);
  }
  return outputs;
}

/** Those there are, the mean of each two neighbours that are used, and `more`, at least `apart` from each other. */
export function nextOutputs(
  outputs: readonly number[],
  masses: readonly number[],
  more: readonly number[],
  apart: number,
): number[] {
  const means = outputs.flatMap((output, index) => {
    const [own, next] = [masses[index] ?? 0, masses[index + 1] ?? 0];
    const isUsed = own >= USED_MASS && next >= USED_MASS;
    return isUsed ? [(own * output + next * (outputs[index + 1] ?? 0)) / (own + next)] : [];
  });
  const chosen: number[] = [];
  for (const output of [...outputs, ...means, ...more].sort((a, b) => a - b))
    if (output - (chosen.at(-1) ?? -Infinity) >= apart) chosen.push(output);
  return chosen;
}
