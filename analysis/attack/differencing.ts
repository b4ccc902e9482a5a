import { uniformBelow } from '../../src/privacy/uniform';
import { belief } from '../audit/belief';
import { boughtOrNot, type Attack } from './attack';
import { answerNoise } from './noisy-answer';

/** In the group without the person. An answer about five or more is allowed. */
const OTHERS = 11;

/** Two answers about groups that differ in one person. Each answer alone hides everybody in a crowd. */
export const differencing: Attack = {
  what: `subtract the answer about ${OTHERS} people from that about ${OTHERS + 1}; both are allowed, because they are about at least 5`,
  attackers: ['k_anonymity', 'noise'],
  bounds: (epsilon) => [null, epsilon === null ? 1 : belief(1 / 2, epsilon, 1)],
  exact: (epsilon) => [1, (1 + sameNoise(epsilon)) / 2],
  trial(epsilon, random) {
    const noise = answerNoise(1, epsilon, 2);
    const truth = Number(uniformBelow(random, 2n));
    const others = Number(uniformBelow(random, BigInt(OTHERS + 1)));
    const [all, rest] = [others + truth + noise.draw(random), others + noise.draw(random)];
    const guess = all - rest >= 1 ? 1 : 0;
    return {
      tables: [
        {
          title: 'answers',
          columns: ['group', 'people', 'true_buyers', 'buyers'],
          rows: [
            ['everybody', OTHERS + 1, others + truth, all],
            ['everybody_else', OTHERS, others, rest],
            ['difference', 1, truth, all - rest],
          ],
        },
        {
          title: 'guesses',
          columns: ['attacker', 'truth', 'guess'],
          rows: [
            ['k_anonymity', boughtOrNot(truth), boughtOrNot(truth)],
            ['noise', boughtOrNot(truth), boughtOrNot(guess)],
          ],
        },
      ],
      right: [1, guess === truth ? 1 : 0],
    };
  },
};

/** The probability that both answers have the same noise: then their difference is the truth. Larger differences help one of both truths. */
function sameNoise(epsilon: number | null): number {
  const { chance, reach } = answerNoise(1, epsilon, 2);
  let sum = 0;
  for (let noise = -reach; noise <= reach; noise++) sum += chance(noise) ** 2;
  return sum;
}
