import { uniformBelow } from '../../src/privacy/uniform';
import { belief } from '../audit/belief';
import type { Attack, AttackTrial } from './attack';
import { bestGuess } from './best-guess';
import { answerNoise } from './noisy-answer';

/** What everybody knows: one person for each combination. */
const TRAITS = [
  ['town', 'village'],
  ['young', 'old'],
  ['phone', 'laptop'],
] as const;
const PEOPLE = 2 ** TRAITS.length;
/** The secret: what a person spent. */
const SPENT = [0, 20, 50] as const;
const MOST_SPENT = 50;
const TABLES = SPENT.length ** PEOPLE;

const traitOf = (person: number, trait: number): number => (person >> trait) & 1;

interface Group {
  readonly traits: readonly string[];
  /** Two, as the answers are by two traits of three. */
  readonly members: readonly [number, number];
}

/** By any two traits. Each person is in three groups, and no group is one person. */
const groups: readonly Group[] = [
  [0, 1],
  [0, 2],
  [1, 2],
].flatMap(([one = 0, other = 0]) =>
  [0, 1, 2, 3].map((values) => {
    const [a = 0, b = 0] = Array.from({ length: PEOPLE }, (_, person) => person).filter(
      (person) => traitOf(person, one) === (values & 1) && traitOf(person, other) === values >> 1,
    );
    return { traits: [wordOf(a, one), wordOf(a, other)], members: [a, b] };
  }),
);

function wordOf(person: number, trait: number): string {
  return TRAITS[trait]?.[traitOf(person, trait)] ?? '';
}

/** The answers in which a person takes part: COUNT and SUM of three groups. */
const ANSWERS = 6;

interface Sums {
  readonly buyers: number;
  readonly sum: number;
}

const answersOf = (amounts: readonly number[]): Sums => ({
  buyers: amounts.filter((amount) => amount > 0).length,
  sum: amounts.reduce((sum, amount) => sum + amount, 0),
});

/** A shop answers COUNT and SUM by group. Somebody tries all tables of who spent what. */
export const reconstruction: Attack = {
  what: `reconstruct what ${PEOPLE} people spent from COUNT and SUM answers about pairs, by trying all ${TABLES} tables`,
  attackers: ['all_tables'],
  bounds: (epsilon) => [epsilon === null ? 1 : belief(1 / SPENT.length, epsilon, 1)],
  trial(epsilon, random) {
    const secrets = Array.from({ length: PEOPLE }, () => Number(uniformBelow(random, BigInt(SPENT.length))));
    const answers = groups.map(({ members }) => {
      const { buyers, sum } = answersOf(members.map((person) => SPENT[secrets[person] ?? 0] ?? 0));
      return {
        buyers: buyers + noiseOf(1, epsilon).draw(random),
        sum: sum + noiseOf(MOST_SPENT, epsilon).draw(random),
      };
    });
    return trialOf(answers, secrets, epsilon);
  },
};

const noiseOf = (change: number, epsilon: number | null): ReturnType<typeof answerNoise> =>
  answerNoise(change, epsilon, ANSWERS);

function trialOf(answers: readonly Sums[], secrets: readonly number[], epsilon: number | null): AttackTrial {
  const guesses = marginals(answers, epsilon).map((weights, person) =>
    bestGuess(weights, secrets[person] ?? 0),
  );
  return {
    tables: [
      {
        title: 'answers',
        columns: ['group', 'buyers', 'spent'],
        rows: groups.map(({ traits }, index) => [
          traits,
          answers[index]?.buyers ?? 0,
          answers[index]?.sum ?? 0,
        ]),
      },
      {
        title: 'people',
        columns: ['person', 'spent', 'guess', 'belief'],
        rows: guesses.map(({ guess, belief: sure }, person) => [
          TRAITS.map((_, trait) => wordOf(person, trait)),
          SPENT[secrets[person] ?? 0] ?? 0,
          SPENT[guess] ?? 0,
          sure,
        ]),
      },
    ],
    right: [guesses.reduce((sum, { right }) => sum + right, 0) / PEOPLE],
  };
}

/** What each person spent in each table, as places in SPENT: the digits of the table's number. */
const tables = Uint8Array.from({ length: TABLES * PEOPLE }, (_, index) => {
  const place = index % PEOPLE;
  return Math.floor((index - place) / PEOPLE / SPENT.length ** place) % SPENT.length;
});

/** What each pair spent in each table, as a place in the list of `pairLogs`. */
const pairs = Uint8Array.from({ length: TABLES * groups.length }, (_, index) => {
  const first = Math.floor(index / groups.length) * PEOPLE;
  const [a = 0, b = 0] = groups[index % groups.length]?.members ?? [];
  return (tables[first + a] ?? 0) * SPENT.length + (tables[first + b] ?? 0);
});

/** For each person, how likely each amount is, given the answers: the sum over all tables. */
export function marginals(answers: readonly Sums[], epsilon: number | null): readonly (readonly number[])[] {
  const logs = Float64Array.from(answers.flatMap((answer) => pairLogs(answer, epsilon)));
  const perGroup = SPENT.length ** 2;
  const logChances = new Float64Array(TABLES);
  for (let index = 0, place = 0; index < TABLES; index++)
    for (let group = 0; group < groups.length; group++, place++)
      logChances[index] = (logChances[index] ?? 0) + (logs[group * perGroup + (pairs[place] ?? 0)] ?? 0);
  const most = logChances.reduce((a, b) => Math.max(a, b));
  const sums = new Float64Array(PEOPLE * SPENT.length);
  for (let index = 0, place = 0; index < TABLES; index++) {
    const weight = Math.exp((logChances[index] ?? 0) - most);
    for (let person = 0; person < PEOPLE; person++, place++) {
      const at = person * SPENT.length + (tables[place] ?? 0);
      sums[at] = (sums[at] ?? 0) + weight;
    }
  }
  return Array.from({ length: PEOPLE }, (_, person) => [
    ...sums.subarray(person * SPENT.length, (person + 1) * SPENT.length),
  ]);
}

/** How likely the answers about a pair are, for all that the two may have spent; logarithms. */
function pairLogs({ buyers, sum }: Sums, epsilon: number | null): readonly number[] {
  const [ofBuyers, ofSum] = [noiseOf(1, epsilon), noiseOf(MOST_SPENT, epsilon)];
  return SPENT.flatMap((one) =>
    SPENT.map((other) => {
      const truth = answersOf([one, other]);
      return ofBuyers.logChance(buyers - truth.buyers) + ofSum.logChance(sum - truth.sum);
    }),
  );
}
