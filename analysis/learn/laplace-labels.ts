import { discreteLaplace } from '../noise/discrete-laplace';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import type { RandomizerFor } from './label-noise';
import { meanOf } from './loss';
import { RandomNumbers } from './random-numbers';
import type { SlopeOf } from './train';

/** Noise is a whole number of these to the range of labels. */
const GRAINS = 1024;

/** Draws noise with which a label that can move by the whole range is ε-private, in parts of the range. */
function laplaceNoise(epsilon: number, labels: number): (random: RandomSource) => number {
  const draw = discreteLaplace(Rational.of(labels * GRAINS).over(Rational.of(epsilon)));
  return (random) => Number(draw(random)) / GRAINS;
}

/**
 * Adds discrete Laplace noise to a label between 0 and `most`; a greater one counts as `most`. The label is first rounded to a multiple of
 * most/1024, at random, so that its mean does not change.
 */
export const laplaceLabels =
  (most: number): RandomizerFor =>
  (epsilon) => {
    const noise = laplaceNoise(epsilon, 1);
    return (label, random) => {
      const grains = (Math.min(Math.max(label, 0), most) / most) * GRAINS;
      const down = Math.floor(grains);
      const rounded =
        down === grains ? grains : down + (new RandomNumbers(random).uniform() < grains - down ? 1 : 0);
      return most * (rounded / GRAINS + noise(random));
    };
  };

/**
 * What Laplace noise on both coordinates of a one-hot label says about it (ALIBI: Malek, Mironov, Prasad, Shilov & Tramèr 2021): the log odds
 * of a conversion. Another label moves both coordinates by 1.
 */
export const laplaceLogOdds: RandomizerFor = (epsilon) => {
  const noise = laplaceNoise(epsilon, 2);
  return (label, random) => {
    const none = 1 - label + noise(random);
    const conversion = label + noise(random);
    const distance = (other: number): number => Math.abs(none - (1 - other)) + Math.abs(conversion - other);
    return (epsilon / 2) * (distance(0) - distance(1));
  };
};

/**
 * The slope of −ln P(answer | output): the model's mean less the posterior probability of a conversion, for which the model is the prior.
 * @param logOdds that the answer gives; it stands where other methods have the label.
 */
export const slopeOfAnswer: SlopeOf = (loss, output, logOdds) =>
  meanOf(loss, output) - meanOf(loss, output + logOdds);
