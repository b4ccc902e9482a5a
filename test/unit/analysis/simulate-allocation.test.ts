import fc from 'fast-check';
import { accountsOf } from '../../../src/limits/privacy-budget';
import type { Allowance } from '../../../src/model/decision';
import { defaultMeasurement, type BudgetSettings } from '../../../src/model/mechanisms';
import { budgetKey } from '../../../src/model/spend';
import { days, epsilon as epsilonOf, moment, type Origin, type Site } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { seededRandomSource } from '../../../analysis/random/sources';
import {
  allocate,
  policyProblem,
  type AllocationPolicy,
  type Impression,
} from '../../../analysis/simulation/allocation';
import { chiSquare, chiSquareThreshold } from '../helpers/random';

const impression = (
  day: number,
  sourceSite = 'blog',
  destinations: readonly string[] = ['shop'],
  eventLevelEpsilon = 14,
): Impression => ({
  sourceSite: `https://${sourceSite}.example` as Site,
  reportingOrigin: 'https://adtech.example' as Origin,
  time: moment(day * days(1)),
  registration: {
    destinations: destinations.map((name) => `https://${name}.example` as Site),
    eventLevelEpsilon: epsilonOf(eventLevelEpsilon),
  },
});

const budget = (fields: Partial<BudgetSettings>): BudgetSettings => ({
  ...defaultMeasurement.budget,
  ...fields,
});

const random = (stream = 0): ReturnType<typeof seededRandomSource> =>
  seededRandomSource('allocation', stream);

/** ε of each, null where refused. */
const epsilons = (allowances: readonly Allowance[] | null): (number | null)[] | null =>
  allowances?.map((allowance) => (allowance.kind === 'granted' ? allowance.epsilon : null)) ?? null;

test('per-cap leaves it to the budget', () => {
  const settings = budget({ unit: 'user', epsilon: epsilonOf(1), cap: 2 });
  expect(allocate('per-cap', settings, [impression(0)], random())).toBeNull();
});

test.each<[string, Partial<BudgetSettings>, readonly Impression[], (number | null)[]]>([
  ['none', { unit: 'user', epsilon: epsilonOf(6), cap: 1 }, [], []],
  ['an impression has all', { epsilon: epsilonOf(6) }, [impression(0), impression(0)], [6, 6]],
  [
    'a person shares among all, whatever K',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1 },
    [impression(0), impression(6)],
    [3, 3],
  ],
  [
    'each period by itself',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1 },
    [impression(0), impression(6), impression(7)],
    [3, 3, 6],
  ],
  [
    'each publisher by itself',
    { unit: 'user-publisher', epsilon: epsilonOf(6), cap: 1 },
    [impression(0, 'a'), impression(0, 'b'), impression(1, 'a'), impression(1, 'a')],
    [2, 6, 2, 2],
  ],
  [
    'the least of several advertisers',
    { unit: 'user-advertiser', epsilon: epsilonOf(6), cap: 1 },
    [
      impression(0, 'a', ['x', 'y']),
      impression(0, 'a', ['y']),
      impression(0, 'a', ['y', 'z']),
      impression(0, 'a', ['x']),
    ],
    [2, 2, 2, 3],
  ],
  [
    'no more than registered',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1 },
    [impression(0, 'a', ['x'], 1), impression(0)],
    [1, 3],
  ],
  [
    'a heartbeat takes no place',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1 },
    [impression(0, 'a', ['x'], 0), impression(0), impression(0, 'a', ['x'], 0)],
    [0, 6, 0],
  ],
  [
    'what is kept for attribution is not shared',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1, attributionEpsilon: epsilonOf(2) },
    [impression(0), impression(0)],
    [2, 2],
  ],
])('per-count: %s', (_, settings, impressions, expected) => {
  expect(epsilons(allocate('per-count', budget(settings), impressions, random()))).toEqual(expected);
});

test.each<[string, Partial<BudgetSettings>, readonly Impression[], number, number]>([
  [
    'as many as there are, up to K',
    { unit: 'user', epsilon: epsilonOf(6), cap: 3 },
    [impression(0), impression(1)],
    2,
    2,
  ],
  [
    'K of more',
    { unit: 'user', epsilon: epsilonOf(6), cap: 3 },
    [0, 1, 2, 3, 4].map((day) => impression(day)),
    3,
    2,
  ],
  [
    'K of each period',
    { unit: 'user', epsilon: epsilonOf(6), cap: 2 },
    [0, 1, 2, 7, 8, 9].map((day) => impression(day)),
    4,
    3,
  ],
  ['without an ε, what they registered', { unit: 'user', cap: 1 }, [impression(0), impression(1)], 1, 14],
  ['the unit impression', { epsilon: epsilonOf(6) }, [impression(0), impression(1)], 2, 6],
])('random-cap: %s', (_, settings, impressions, count, epsilon) => {
  const given = epsilons(allocate('random-cap', budget(settings), impressions, random())) ?? [];
  expect(given.filter((one) => one !== null)).toEqual(Array.from({ length: count }, () => epsilon));
  expect(given).toHaveLength(impressions.length);
});

test('random-cap: who is not chosen for one of several advertisers is refused, and told by which', () => {
  const impressions = [impression(0, 'a', ['x', 'y']), impression(0, 'a', ['y'])];
  const settings = budget({ unit: 'user-advertiser', epsilon: epsilonOf(6), cap: 1 });
  const given = [0, 1, 2, 3, 4, 5].map((stream) =>
    allocate('random-cap', settings, impressions, random(stream)),
  );
  const refused: Allowance = {
    kind: 'refused',
    epsilon: epsilonOf(6),
    refusal: {
      id: 'not-drawn',
      unit: 'user-advertiser',
      of: 'https://y.example',
      reportingSite: 'https://adtech.example' as Site,
      cap: 1,
      from: 2,
    },
  };
  const granted: Allowance = { kind: 'granted', epsilon: epsilonOf(6) };
  expect(given).toContainEqual([granted, refused]);
  expect(given).toContainEqual([refused, granted]);
  expect(new Set(given.map((one) => JSON.stringify(one))).size).toBe(2);
});

test('random-cap draws every set of K equally often', () => {
  const impressions = [0, 1, 2, 3, 4].map((day) => impression(day));
  const counts = new Map<string, number>();
  const draws = 5500;
  const source = random(7);
  for (let draw = 0; draw < draws; draw++) {
    const given = epsilons(
      allocate('random-cap', budget({ unit: 'user', epsilon: epsilonOf(1), cap: 2 }), impressions, source),
    );
    const chosen = (given ?? []).flatMap((one, index) => (one === null ? [] : [index])).join('');
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
  }
  expect(counts.size).toBe(10);
  // Ten sets, nine degrees of freedom; the threshold is for ten, which makes a false alarm rarer than one in a million.
  const expected = Array.from({ length: 10 }, () => draws / 10);
  expect(chiSquare([...counts.values()], expected)).toBeLessThan(chiSquareThreshold(10, 1e-6));
});

test('the first K of the log fail that test', () => {
  const expected = Array.from({ length: 10 }, () => 550);
  const firstTwo = [5500, ...Array.from({ length: 9 }, () => 0)];
  expect(chiSquare(firstTwo, expected)).toBeGreaterThan(chiSquareThreshold(10, 1e-6));
});

const anyImpression = fc
  .record({
    day: fc.nat(20),
    site: fc.constantFrom('a', 'b'),
    destinations: fc.subarray(['x', 'y', 'z'], { minLength: 1 }),
    epsilon: fc.double({ min: 0, max: 14, noNaN: true }),
  })
  .map(({ day, site, destinations, epsilon }) => impression(day, site, destinations, epsilon));

const anyBudget = fc
  .record({
    unit: fc.constantFrom('impression', 'user-publisher', 'user-advertiser', 'user'),
    period: fc.integer({ min: 1, max: 10 }),
    epsilon: fc.double({ min: 0.001, max: 20, noNaN: true }),
    part: fc.constantFrom(0, 0.25),
    cap: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ part, cap, ...fields }) =>
    budget({
      ...fields,
      epsilon: epsilonOf(fields.epsilon),
      attributionEpsilon: epsilonOf(fields.epsilon * part),
      cap: fields.unit === 'impression' ? null : cap,
    }),
  );

test.each<AllocationPolicy>(['per-count', 'random-cap'])(
  '%s never grants a unit more than its ε',
  (policy) => {
    fc.assert(
      fc.property(
        anyBudget,
        fc.array(anyImpression, { maxLength: 30 }),
        fc.nat(),
        (settings, impressions, stream) => {
          const allowances = allocate(policy, settings, impressions, random(stream)) ?? [];
          const spent = new Map<string, Rational>();
          impressions.forEach((one, index) => {
            const allowance = allowances[index];
            if (allowance?.kind !== 'granted') return;
            for (const account of accountsOf(settings, { ...one, id: index })) {
              const before = spent.get(budgetKey(account)) ?? Rational.ZERO;
              spent.set(budgetKey(account), before.plus(Rational.of(allowance.epsilon)));
            }
          });
          const total = Rational.of(settings.epsilon ?? 0).minus(Rational.of(settings.attributionEpsilon));
          for (const sum of spent.values()) expect(sum.compare(total) <= 0n).toBe(true);
        },
      ),
      { seed: 1 },
    );
  },
);

test.each<[AllocationPolicy, Partial<BudgetSettings>, string | null]>([
  ['per-cap', {}, null],
  ['per-count', {}, 'must have a budget.epsilon, which per-count divides'],
  ['per-count', { epsilon: epsilonOf(1) }, null],
  ['random-cap', {}, null],
  ['random-cap', { unit: 'user' }, 'must have a budget.cap, which is how many random-cap chooses'],
  ['random-cap', { unit: 'user', cap: 3 }, null],
])('%s with %p', (policy, settings, problem) => {
  expect(policyProblem(policy, budget(settings))).toBe(problem);
});
