import { gaussianLoss } from '../noise/gaussian-loss';
import { discreteGaussian } from '../noise/discrete-gaussian';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { selectRows, withLabels, type Examples } from './examples';
import { rowsByUnit, type UnitBudget } from './label-noise';
import { meanOf } from './loss';
import type { Model } from './model';
import { predict } from './new-model';
import type { PrivacyAccountant } from './privacy-accountant';
import type { RandomNumbers } from './random-numbers';
import { train, type TrainingSettings } from './train';

/** How many teachers vote. Each gets fewer examples if there are more, and has less influence. */
export const TEACHERS = 50;
/** How many examples they label for the student. Each label costs privacy. */
const QUESTIONS = 1000;
/** Teachers and student have few examples; with smaller batches they take enough steps. */
export const BATCHES = 16;
/** A teacher's vote is a whole number of these to 1. */
const GRAINS = 1024;

/** What the teachers answered for some examples. */
export interface Lesson {
  /** Examples whose labels are the teachers' noisy means, which can be below 0 or above 1. */
  readonly examples: Examples;
  /** How to learn from so few. */
  readonly settings: TrainingSettings;
  /** The standard deviation of the noise of a sum of votes, in votes. */
  readonly deviation: number;
}

/**
 * PATE (Papernot et al. 2017; for labels, Malek et al. 2021): teachers learn from disjoint parts of the units, and a student from their answers
 * about a few examples. Here a vote is a probability: conversions are too rare for a majority. A unit changes one teacher, who changes each of Q sums of votes by at most 1, so together by √Q in L2.
 * With Gaussian noise of deviation √Q/ε₀ the answers are ε₀²/2-concentrated; `gaussianLoss` gives the ε₀ for (ε, δ).
 * FixMatch, by which the student also learns from examples without answers, needs images that can be distorted.
 */
export function askTeachers(
  fresh: () => Model,
  examples: Examples,
  budget: UnitBudget,
  delta: number,
  settings: TrainingSettings,
  order: RandomNumbers,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Lesson {
  const ofFew = { ...settings, batch: Math.ceil(settings.batch / BATCHES) };
  accountant.spend({ what: 'votes', epsilon: budget.epsilon, delta });
  const asked = order.order(examples.count).subarray(0, QUESTIONS).sort();
  const questions = selectRows(examples, asked);
  const sums = new Float64Array(asked.length);
  for (const rows of partsOf(examples, budget)) {
    const labels = Float32Array.from(rows, (row) => accountant.readLabel(examples, row, 'labels'));
    const teacher = fresh();
    train(teacher, withLabels(selectRows(examples, rows), labels), ofFew, order);
    predict(teacher, questions).forEach((output, index) => {
      sums[index] = (sums[index] ?? 0) + Math.round(meanOf(settings.loss, output) * GRAINS);
    });
  }
  const loss = gaussianLoss(budget.epsilon, delta);
  const variance = Rational.of(BigInt(asked.length)).over(loss.times(loss));
  const noise = discreteGaussian(variance.times(Rational.of(GRAINS ** 2)));
  const labels = Float32Array.from(sums, (sum) => (sum + Number(noise(random))) / GRAINS / TEACHERS);
  return {
    examples: withLabels(questions, labels),
    settings: ofFew,
    deviation: Math.sqrt(variance.toNumber()),
  };
}

/** The rows of each teacher; those of a unit are together. */
function partsOf(examples: Examples, budget: UnitBudget): readonly (readonly number[])[] {
  const parts = Array.from({ length: TEACHERS }, (): number[] => []);
  let unit = 0;
  for (const rows of rowsByUnit(examples, budget)) {
    for (const row of rows) parts[unit % TEACHERS]?.push(row);
    unit += 1;
  }
  return parts;
}
