import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { discreteLaplace } from '../noise/discrete-laplace';

/** The noise of one answer. */
export interface AnswerNoise {
  readonly draw: (random: RandomSource) => number;
  /** The probability of this noise. */
  readonly chance: (noise: number) => number;
  /** Its logarithm but for a constant. */
  readonly logChance: (noise: number) => number;
  /** More noise is less likely than 10⁻¹⁵. */
  readonly reach: number;
}

const none: AnswerNoise = {
  draw: () => 0,
  chance: (noise) => (noise === 0 ? 1 : 0),
  logChance: (noise) => (noise === 0 ? 0 : -Infinity),
  reach: 0,
};

/**
 * Discrete Laplace noise for one of `answers` in which a person takes part.
 * @param change by how much one person can change the answer
 * @param epsilon of all answers together; null for no noise
 */
export function answerNoise(change: number, epsilon: number | null, answers: number): AnswerNoise {
  if (epsilon === null) return none;
  const scale = Rational.of(change * answers).over(Rational.of(epsilon));
  const sample = discreteLaplace(scale);
  const slope = 1 / scale.toNumber();
  const atZero = Math.tanh(slope / 2);
  return {
    draw: (random) => Number(sample(random)),
    chance: (noise) => atZero * Math.exp(-Math.abs(noise) * slope),
    logChance: (noise) => -Math.abs(noise) * slope,
    reach: Math.ceil(35 / slope),
  };
}
