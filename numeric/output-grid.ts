import type { OutputProgramme } from './interior-point';
import { cubeRoot, square } from './powers';

/** Takes what the search for outputs has after each round: how many it looked at, and the gap as a share of the variance. */
export type OnRound = (found: Readonly<Record<'round' | 'outputs' | 'gap', number>>) => void;

const FIRST_OUTPUTS = 60;
/** Outputs with a smaller greatest probability, in shares of an even one, are left out of the next programme. */
const LEAST_SHARE = 1e-3;
/** Beyond so many outputs, neighbours are left out: they would make the programme grow in each round. */
const CROWDED = 400;

/** Truths from 0 to 1, how probable each is, and the least ratio of an output's probabilities for two of them, below 1. */
type Truths = Pick<OutputProgramme, 'truths' | 'prior' | 'ratio'>;

/**
 * Outputs that are evenly spaced until a little beyond ratio/(1 − ratio) below and above the truths, where two outputs could have the mean of
 * each. From there on their distances grow. In between are truths where that is too coarse.
 */
export function firstOutputs({ truths, prior, ratio }: Truths): Float64Array {
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
  return Float64Array.from([...outputs, ...denseTruths({ truths, prior, ratio }, even)]).sort();
}

/**
 * Truths that are output themselves, where the best distance of outputs is less than `even`. With distance d around a truth x of density p,
 * rounding at random adds p·d²/6 to the variance, and the least probability of the outputs ratio·E[(x − truth)²]/d: the best d³ is
 * 3·ratio·E[(x − truth)²]/p.
 */
function denseTruths({ truths, prior, ratio }: Truths, even: number): readonly number[] {
  const ascending = Array.from(truths, (truth, x) => ({ truth, likely: prior[x] ?? 0 })).sort(
    (a, b) => a.truth - b.truth,
  );
  const expected = (of: (truth: number) => number): number =>
    ascending.reduce((sum, { truth, likely }) => sum + likely * of(truth), 0);
  const mean = expected((truth) => truth);
  const variance = expected((truth) => square(truth - mean));
  const chosen: number[] = [];
  let passed = 1;
  ascending.forEach(({ truth, likely }, place) => {
    const apart = (ascending[place + 1]?.truth ?? Infinity) - truth;
    if (apart >= even) return;
    const best = cubeRoot((3 * ratio * (variance + square(truth - mean)) * apart) / likely);
    if (best >= even) return;
    if (passed >= 1) {
      chosen.push(truth);
      passed -= 1;
    }
    passed += Math.min(1, apart / best);
  });
  return chosen;
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
