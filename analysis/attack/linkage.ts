import { uniformBelow } from '../../src/privacy/uniform';
import { belief } from '../audit/belief';
import type { Attack } from './attack';
import { bestGuess } from './best-guess';
import { answerNoise, type AnswerNoise } from './noisy-answer';

/** The secret: what a person bought. */
const GOODS = ['books', 'games', 'seeds', 'shoes', 'tea', 'trips'] as const;
/** In each release, beside the person. */
const OTHERS = 4;
const RELEASES = 2;
/** Another good of one person changes two of a release's counts. */
const CHANGE = 2;

/** How often each good can be bought by the others, with the number of ways. */
const crowds = crowdsOf(OTHERS, GOODS.length, 1);

interface Crowd {
  readonly counts: readonly number[];
  readonly ways: number;
}

function crowdsOf(people: number, goods: number, ways: number): readonly Crowd[] {
  if (goods === 1) return [{ counts: [people], ways }];
  return Array.from({ length: people + 1 }, (_, some) => some).flatMap((some) =>
    crowdsOf(people - some, goods - 1, ways * choose(people, some)).map((crowd) => ({
      ...crowd,
      counts: [some, ...crowd.counts],
    })),
  );
}

/** The number of ways to choose some of n. */
function choose(n: number, some: number): number {
  let ways = 1;
  for (let index = 1; index <= some; index++) ways = (ways * (n - some + index)) / index;
  return ways;
}

/** Two publishers release what groups of five bought. A person is in both groups; the others in them differ. */
export const linkage: Attack = {
  what: `link two releases of what ${OTHERS + 1} people bought, which have one person in common`,
  attackers: ['one_release', 'both_releases'],
  bounds: (epsilon) =>
    [RELEASES, 1].map((share) => (epsilon === null ? 1 : belief(1 / GOODS.length, epsilon / share, 1))),
  trial(epsilon, random) {
    const noise = answerNoise(CHANGE, epsilon, RELEASES);
    const draw = (): number => Number(uniformBelow(random, BigInt(GOODS.length)));
    const truth = draw();
    const releases = Array.from({ length: RELEASES }, () => {
      const bought = [truth, ...Array.from({ length: OTHERS }, draw)];
      return GOODS.map((_, good) => bought.filter((one) => one === good).length + noise.draw(random));
    });
    const [one = [], other = []] = releases.map((release) => likelihoods(release, noise));
    const both = one.map((weight, good) => weight * (other[good] ?? 0));
    const total = both.reduce((sum, weight) => sum + weight, 0);
    const guesses = [one, both].map((weights) => bestGuess(weights, truth));
    return {
      tables: [
        {
          title: 'releases',
          columns: ['good', 'first', 'second', 'belief'],
          rows: GOODS.map((good, index) => [
            good,
            releases[0]?.[index] ?? 0,
            releases[1]?.[index] ?? 0,
            (both[index] ?? 0) / total,
          ]),
        },
        {
          title: 'guesses',
          columns: ['attacker', 'truth', 'guess'],
          rows: guesses.map(({ guess }, index) => [
            linkage.attackers[index] ?? '',
            GOODS[truth] ?? '',
            GOODS[guess] ?? '',
          ]),
        },
      ],
      right: guesses.map(({ right }) => right),
    };
  },
};

/** How likely a release is if the person bought each good. */
const likelihoods = (release: readonly number[], noise: AnswerNoise): readonly number[] =>
  GOODS.map((_, own) =>
    crowds.reduce((sum, { counts, ways }) => {
      const chances = release.map((told, good) =>
        noise.chance(told - (counts[good] ?? 0) - (good === own ? 1 : 0)),
      );
      return sum + chances.reduce((product, chance) => product * chance, ways);
    }, 0),
  );
