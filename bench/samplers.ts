import { randomFillSync } from 'node:crypto';
import { exponentialMechanism, permuteAndFlip } from '../src/attribution/private-choice';
import { discreteLaplace } from '../analysis/noise/discrete-laplace';
import { outputsFor, type FiniteMechanism } from '../src/privacy/finite-distribution';
import { bufferedRandomSource } from '../analysis/random/sources';
import { rrOnBins } from '../src/privacy/rr-on-bins';
import { rrWithPrior } from '../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../src/privacy/unbiased-randomizer';
import { compare } from './measure';

const random = bufferedRandomSource((words) => void randomFillSync(words));
const uniform = (): number => Number(random.uint64() >> 11n) / 2 ** 53;

/** A weighted choice with doubles. */
function floatingIndex(weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = uniform() * total;
  return weights.findIndex((weight) => (left -= weight) < 0);
}

const values = [0, 1, 5, 20];
const prior = [0.4, 0.3, 0.2, 0.1];
const mechanisms: readonly (readonly [string, FiniteMechanism<unknown>])[] = [
  ['randomized response with a prior', rrWithPrior(prior, 2)],
  ['randomized response on bins', rrOnBins(values, prior, 'squared', 2)],
  ['the unbiased randomizer', unbiasedRandomizer(values, prior, 2)],
];

/** Compares exact draws of every other mechanism with draws in doubles, on the same randomness. */
export function benchSamplers(): void {
  for (const [name, mechanism] of mechanisms) {
    const exact = outputsFor(mechanism, 1);
    const weights = mechanism.weights(1).map((weight) => Number(weight(60).lower) / 2 ** 60);
    compare(
      `draw ${name}, 4 values`,
      () => exact(random),
      () => floatingIndex(weights),
      'floating ',
    );
  }
  const clicks = Array.from({ length: 10 }, (_, index) => index * 3);
  const choice = { clicks, conversion: 30, tau: 2, epsilon: 1, score: 'linear' } as const;
  const weights = clicks.map((time) => Math.exp((time - 27) / 4));
  const exponential = exponentialMechanism(choice);
  const flip = permuteAndFlip(choice);
  compare(
    'draw the exponential mechanism, 10 clicks',
    () => exponential(random),
    () => floatingIndex(weights),
    'floating ',
  );
  compare(
    'draw permute-and-flip, 10 clicks',
    () => flip(random),
    () => floatingFlip(weights),
    'floating ',
  );
  const laplace = discreteLaplace(10);
  compare('draw discrete Laplace noise of scale 10', () => laplace(random), floatingLaplace, 'floating ');
}

function floatingFlip(weights: readonly number[]): number {
  const order = weights.map((weight, index) => ({ weight, index, place: uniform() }));
  order.sort((a, b) => a.place - b.place);
  return order.find(({ weight }) => uniform() < weight)?.index ?? -1;
}

/** The difference of two geometric variables. */
function floatingLaplace(): number {
  const geometric = (): number => Math.floor(Math.log(uniform()) / -0.1);
  return geometric() - geometric();
}
