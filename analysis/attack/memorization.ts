import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { logistic } from '../estimate/intervals/logistic';
import { fittedOdds } from '../experiment/tasks/fitted-odds';
import { boughtOrNot, type Attack } from './attack';
import { bestGuess } from './best-guess';
import { answer, truthful } from './collusion';

/** Each campaign has as many people. The first person is the canary, whose label is drawn by a fair coin. */
const CAMPAIGNS = 2;
const PEOPLE = 6;
const CANARY = 0;
/** The others buy with a probability of 1 in 4. */
const OF = 4;

const everybody = Array.from({ length: CAMPAIGNS * PEOPLE }, (_, person) => person);
const campaignOf = (person: number): number => Math.floor(person / PEOPLE);

/** A small model has a weight for each campaign; a large one has another for each person. */
type Size = 'small' | 'large';

/** The log odds that a logistic regression predicts for each person, after it was trained on these labels. */
export function trainedOn(labels: readonly number[], size: Size): readonly number[] {
  const valuesOf = (person: number): readonly string[] =>
    [campaignOf(person), person].slice(0, size === 'small' ? 1 : 2).map(String);
  const cells = everybody.map((person) => ({
    values: valuesOf(person),
    sources: 1,
    truth: labels[person] ?? 0,
  }));
  const sums = valuesOf(CANARY).map((_, column) => {
    const ofValues = new Map<string, number>();
    for (const { values, truth } of cells) {
      const value = values[column] ?? '';
      ofValues.set(value, (ofValues.get(value) ?? 0) + truth);
    }
    return ofValues;
  });
  return fittedOdds(cells, sums);
}

/**
 * What the canary's weights were fitted to, from the predictions alone: how many people of its campaign have the label 1 (small), or its own label
 * (large). Where training ends, a sum of labels is that of the predicted rates plus the weight, because weights have a standard normal prior.
 */
function readBack(odds: readonly number[], size: Size): number {
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  const intercept = mean(odds);
  const own = odds[CANARY] ?? 0;
  const rate = logistic(own);
  if (size === 'small') return Math.round(PEOPLE * rate + own - intercept);
  const above = mean(odds.filter((_, person) => campaignOf(person) === campaignOf(CANARY))) - intercept;
  // The weights of a campaign's people add up to the campaign's weight.
  const weight = own - intercept - (above * PEOPLE) / (PEOPLE + 1);
  return Math.round(rate + weight);
}

/** The probabilities of what is read back from a small model, if the canary's label is 0 or 1: by the number of people with the label 1. */
function countChances(secret: number, epsilon: number | null): readonly number[] {
  const truth = truthful(epsilon);
  const othersRate = truth / OF + (1 - truth) * (1 - 1 / OF);
  let chances = [1];
  for (let person = 0; person < PEOPLE; person++) {
    const rate = person === CANARY ? (secret === 1 ? truth : 1 - truth) : othersRate;
    chances = [...chances, 0].map((chance, count) => chance * (1 - rate) + (chances[count - 1] ?? 0) * rate);
  }
  return chances;
}

/**
 * Models are trained on labels with randomized response. Who reads the predictions guesses the true label of one example, a canary. ε is the same
 * for both models, but a model with a weight for each person keeps every label that it was given (Malek et al. 2021).
 */
export const memorization: Attack = {
  what: `read the predictions of two models, which were trained on the noisy labels of ${CAMPAIGNS * PEOPLE} people, and guess the label of one of them`,
  attackers: ['small_model', 'large_model'],
  exact(epsilon) {
    const [without, having] = [0, 1].map((secret) => countChances(secret, epsilon));
    const ofCount = without?.map((chance, count) => Math.max(chance, having?.[count] ?? 0)) ?? [];
    return [ofCount.reduce((sum, one) => sum + one, 0) / 2, truthful(epsilon)];
  },
  bounds: (epsilon) => memorization.attackers.map(() => truthful(epsilon)),
  trial(epsilon, random) {
    const truths = everybody.map((person) => labelOf(person, random));
    const labels = truths.map((truth) => answer(truth, epsilon, random));
    const [small, large] = [trainedOn(labels, 'small'), trainedOn(labels, 'large')];
    const truth = truths[CANARY] ?? 0;
    const count = readBack(small, 'small');
    const told = readBack(large, 'large') === 1 ? truthful(epsilon) : 1 - truthful(epsilon);
    const guesses = [[0, 1].map((secret) => countChances(secret, epsilon)[count] ?? 0), [1 - told, told]].map(
      (weights) => bestGuess(weights, truth),
    );
    return {
      tables: [
        {
          title: 'models',
          columns: ['person', 'truth', 'label', 'small_model', 'large_model'],
          rows: everybody.map((person) => [
            person + 1,
            boughtOrNot(truths[person] ?? 0),
            boughtOrNot(labels[person] ?? 0),
            ...[small, large].map((odds) => logistic(odds[person] ?? 0)),
          ]),
        },
        {
          title: 'guesses',
          columns: ['attacker', 'truth', 'guess', 'belief'],
          rows: guesses.map(({ guess, belief: sure }, index) => [
            memorization.attackers[index] ?? '',
            boughtOrNot(truth),
            boughtOrNot(guess),
            sure,
          ]),
        },
      ],
      right: guesses.map(({ right }) => right),
    };
  },
};

const labelOf = (person: number, random: RandomSource): number =>
  Number(uniformBelow(random, BigInt(person === CANARY ? 2 : OF)) === 0n);
