import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { boughtOrNot, type Attack } from './attack';
import { bestGuess } from './best-guess';
import { answerNoise, type AnswerNoise } from './noisy-answer';

/** Runners who are asked, beside the person. */
const OTHERS = 20;
/** Runners buy with a probability of 1 or 4 in 5; nobody knows which before the study. */
const RATES = [1, 4] as const;
const OF = 5;

/** By the number of buyers among the others, for each rate. */
const buyerChances = RATES.map((rate) => binomial(OTHERS, rate / OF));

function binomial(people: number, rate: number): readonly number[] {
  let chances = [1];
  for (let person = 0; person < people; person++)
    chances = [...chances, 0].map((chance, count) => chance * (1 - rate) + (chances[count - 1] ?? 0) * rate);
  return chances;
}

/**
 * A study counts buyers among runners. Who reads it learns whether runners buy, and so something of a runner who took no part. What counts
 * against ε is only how much more they learn if the person took part.
 */
export const population: Attack = {
  what: `learn from ${OTHERS + 1} or ${OTHERS} runners whether runners buy, and guess it of one runner`,
  attackers: ['with_person', 'without_person'],
  exact: (epsilon) => [1, 0].map((part) => chanceOf(part, answerNoise(1, epsilon, 1))),
  bounds(epsilon) {
    const without = chanceOf(0, answerNoise(1, epsilon, 1));
    return [
      epsilon === null ? 1 : Math.min(Math.exp(epsilon) * without, 1 - Math.exp(-epsilon) * (1 - without)),
      null,
    ];
  },
  trial(epsilon, random) {
    const noise = answerNoise(1, epsilon, 1);
    const rate = RATES[Number(uniformBelow(random, BigInt(RATES.length)))] ?? 1;
    const truth = buys(rate, random);
    const others = Array.from({ length: OTHERS }, () => buys(rate, random)).reduce((a, b) => a + b, 0);
    const answers = [others + truth + noise.draw(random), others + noise.draw(random)];
    const guesses = answers.map((answer, index) =>
      bestGuess(
        [0, 1].map((secret) => joint(secret, answer, 1 - index, noise)),
        truth,
      ),
    );
    return {
      tables: [
        {
          title: 'answers',
          columns: ['attacker', 'people', 'buyers', 'truth', 'guess', 'belief'],
          rows: guesses.map(({ guess, belief }, index) => [
            population.attackers[index] ?? '',
            OTHERS + 1 - index,
            answers[index] ?? 0,
            boughtOrNot(truth),
            boughtOrNot(guess),
            belief,
          ]),
        },
      ],
      right: guesses.map(({ right }) => right),
    };
  },
};

const buys = (rate: number, random: RandomSource): number =>
  Number(uniformBelow(random, BigInt(OF))) < rate ? 1 : 0;

/**
 * The probability of a secret and an answer together.
 * @param part 1 if the person is among those counted, otherwise 0
 */
const joint = (secret: number, answer: number, part: number, { chance }: AnswerNoise): number =>
  RATES.reduce<number>((sum, rate, index) => {
    const ofSecret = secret === 1 ? rate / OF : 1 - rate / OF;
    const ofAnswer = (buyerChances[index] ?? []).reduce(
      (total, ofCount, count) => total + ofCount * chance(answer - count - part * secret),
      0,
    );
    return sum + (ofSecret * ofAnswer) / RATES.length;
  }, 0);

/** The chance of the best guess, over all answers. */
function chanceOf(part: number, noise: AnswerNoise): number {
  let sum = 0;
  for (let answer = -noise.reach; answer <= OTHERS + 1 + noise.reach; answer++)
    sum += Math.max(joint(0, answer, part, noise), joint(1, answer, part, noise));
  return sum;
}
