import type { Interval } from '../../../analysis/estimate/intervals/interval';
import { liftOf, signOfLift, type LiftTest } from '../../../analysis/estimate/lift/lift';
import {
  binomial,
  seededUniform,
  type Uniform,
} from '../../../analysis/estimate/likelihood/statistical-draws';
import { seededRandomSource } from '../../../analysis/random/sources';
import { holdoutOf, parseExperiment } from '../../../analysis/experiment/experiment';
import { GroupSums } from '../../../analysis/experiment/group-sums';
import { lift } from '../../../analysis/experiment/tasks/lift';
import type { TaskGroup } from '../../../analysis/experiment/tasks/task';
import { discreteLaplace } from '../../../analysis/noise/discrete-laplace';
import { liftTestUser, mostLift } from '../../../analysis/simulation/lift-test';
import { main } from '../../../cli/main';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { laplaceDeviation } from '../../../analysis/w3c/aggregate';
import { Rational } from '../../../src/privacy/rational';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';
import { accepted, expectRefused } from '../helpers/parsing';

const { err, pathOf } = useCommands();

describe('the lift of two arms', () => {
  test('by hand: 60 of three quarters of the people, 10 of the others', () => {
    const {
      caused,
      lift: found,
      interval,
    } = liftOf(
      { exposed: { estimate: 60, variance: 21 }, holdout: { estimate: 10, variance: 6 }, held: 0.25 },
      0.95,
    );
    // As many as the exposed, the holdout would have had 30.
    expect(caused.estimate).toBeCloseTo(30);
    expect(found).toBeCloseTo(1);
    /*
     * At the lower ends the difference is 1.96 standard deviations. Where the ads caused c, the holdout arm is expected to have x with
     * 3 · 60/(3x + c) + 10/x = 4, and the variance is 3x + c + 21 + 9 · (x + 6). Where they multiply by R, x is 70/(1 + 3R).
     */
    const [low] = caused.interval;
    const x = (180 + 30 - 4 * low + Math.sqrt((4 * low - 210) ** 2 + 4 * 12 * 10 * low)) / 24;
    expect(180 / (3 * x + low) + 10 / x).toBeCloseTo(4, 9);
    expect((30 - low) / Math.sqrt(3 * x + low + 21 + 9 * (x + 6))).toBeCloseTo(1.96, 4);
    const ratio = 3 * (interval[0] + 1);
    const y = 70 / (1 + ratio);
    expect((60 - ratio * 10) / Math.sqrt(ratio * y + 21 + ratio ** 2 * (y + 6))).toBeCloseTo(1.96, 4);
  });

  test('a holdout arm that may have had no conversions gives no upper end', () => {
    const arms = {
      exposed: { estimate: 100, variance: 0 },
      holdout: { estimate: 1, variance: 4 },
      held: 0.5,
    };
    const [low, high] = liftOf(arms, 0.95).interval;
    const ratio = low + 1;
    const x = 101 / (1 + ratio);
    expect((100 - ratio) / Math.sqrt(ratio * x + ratio ** 2 * (x + 4))).toBeCloseTo(1.96, 4);
    expect(high).toBe(Infinity);
  });

  test.each([3, -2, -50])('arms that may both have had none say nothing: %d conversions', (estimate) => {
    const arms = { exposed: { estimate: 3, variance: 400 }, holdout: { estimate, variance: 400 }, held: 0.5 };
    expect(liftOf(arms, 0.95).interval).toEqual([-1, Infinity]);
  });

  test.each([2 ** 420, Number.MAX_VALUE, Infinity])('nothing is known with the variance %d', (variance) => {
    const arm = { estimate: 10, variance };
    const { caused, interval } = liftOf({ exposed: arm, holdout: arm, held: 0.5 }, 0.95);
    expect(caused.interval).toEqual([-Infinity, Infinity]);
    expect(interval).toEqual([-1, Infinity]);
  });

  test('no conversions of the holdout arm, no lift', () => {
    const arms = { exposed: { estimate: 3, variance: 9 }, holdout: { estimate: 0, variance: 9 }, held: 0.5 };
    expect(liftOf(arms, 0.95).lift).toBeNull();
  });

  const counted = (exposed: number, holdout: number, held: number): LiftTest => ({
    exposed: { estimate: exposed, variance: 0 },
    holdout: { estimate: holdout, variance: 0 },
    held,
  });

  test('a few conversions are no certainty', () => {
    const none = liftOf(counted(0, 0, 0.5), 0.95);
    // Neither arm would differ by more than 1.96 standard deviations, which are the root of what it expects.
    expect(none.caused.interval[0]).toBeCloseTo(-(1.96 ** 2), 0);
    expect(none.caused.interval[1]).toBeCloseTo(1.96 ** 2, 0);
    expect(none.interval).toEqual([-1, Infinity]);
    const [low, high] = liftOf(counted(0, 4, 0.5), 0.95).interval;
    expect(low).toBe(-1);
    // Four people are all in the holdout arm with the chance 1/16: 4 · ratio = 1.96².
    expect(high + 1).toBeGreaterThanOrEqual(1.96 ** 2 / 4 - 0.001);
    // With the chance 0.15, none of 18 conversions falls to a tenth of the people.
    expect(liftOf(counted(18, 0, 0.1), 0.95).caused.interval[0]).toBeLessThan(0);
  });

  test.each([-60, -20, 0, 20, 60, 200])('both intervals and the sign agree: %d', (holdout) => {
    for (let exposed = -60; exposed <= 200; exposed += 20)
      for (const held of [0.1, 0.5, 0.9])
        for (const variance of [0, 100]) {
          if (variance === 0 && (exposed < 0 || holdout < 0)) continue;
          const arms = {
            exposed: { estimate: exposed, variance },
            holdout: { estimate: holdout, variance },
            held,
          };
          const { caused, interval } = liftOf(arms, 0.95);
          const sign = signOfLift(arms, 0.95);
          const signOf = ([low, high]: Interval): number => Number(low > 0) - Number(high < 0);
          expect(signOf(caused.interval)).toBe(sign);
          // Where noise leaves no ratio, the interval says no more than the sign.
          expect(sign === 0 ? interval[0] <= 0 && interval[1] >= 0 : true).toBe(true);
          expect(sign > 0 ? interval[0] >= 0 : sign < 0 ? interval[1] <= 0 : true).toBe(true);
          expect(interval[0]).toBeLessThanOrEqual(interval[1]);
        }
  });

  /** Fixed seeds. With others, more than 150 of 2,000 would be found with a chance below 1e-6, at 5 %. */
  test('reports that tell of both arms with noise find no lift where there is none', () => {
    const [people, converting, replaced, runs] = [600, 60, 0.6, 2000];
    const each = replaced / 3;
    const variance = (people * each * (1 - each)) / (1 - replaced) ** 2;
    let found = 0;
    for (let run = 0; run < runs; run++) {
      const uniform = seededUniform('both arms', run);
      const exposed = binomial(uniform, converting, 0.25);
      const kept = [exposed, converting - exposed].map((count) => binomial(uniform, count, 1 - replaced));
      const noise =
        people - (kept[0] ?? 0) - (kept[1] ?? 0) - binomial(uniform, people - converting, 1 - replaced);
      const ofExposed = binomial(uniform, noise, 1 / 3);
      const ofHoldout = binomial(uniform, noise - ofExposed, 1 / 2);
      const estimate = (count: number): number => (count - people * each) / (1 - replaced);
      const test = {
        exposed: { estimate: estimate((kept[0] ?? 0) + ofExposed), variance },
        holdout: { estimate: estimate((kept[1] ?? 0) + ofHoldout), variance },
        covariance: (-people * each ** 2) / (1 - replaced) ** 2,
        held: 0.75,
      };
      found += Math.abs(signOfLift(test, 0.95));
    }
    expect(found).toBeLessThan(150);
    expect(found).toBeGreaterThan(50);
  });

  /** Every pair of counts, with its chance: nothing is drawn. What is left out has a chance below 1e-6. */
  test.each([
    [20, 0.01, 0.2],
    [20, 0.9, 0.2],
    [100, 0.05, 0.05],
    [100, 0.5, 0.2],
    [400, 0.1, 0.05],
    [400, 0.01, 0.05],
  ])('is right about all counts of %d people, %d held out, rate %d', (people, held, rate) => {
    for (const known of [0, 1, -0.5, -1]) {
      const share = (1 - held) * rate * (1 + known);
      const expected = people * (1 - held) * rate * known;
      let [above, below, inside, lifts] = [0, 0, 0, 0];
      for (const [holdout, chance] of binomialChances(people, held * rate))
        for (const [exposed, given] of binomialChances(people - holdout, share / (1 - held * rate))) {
          const arms = counted(exposed, holdout, held);
          const { caused, interval } = liftOf(arms, 0.95);
          const together = chance * given;
          above += together * Number(caused.interval[0] > expected);
          below += together * Number(caused.interval[1] < expected);
          inside += together * Number(caused.interval[0] <= expected && expected <= caused.interval[1]);
          lifts += together * Number(interval[0] <= known && known <= interval[1]);
        }
      expect(Math.max(above, below)).toBeLessThan(known === 0 ? 0.035 : 0.045);
      expect(inside).toBeGreaterThan(0.93);
      expect(lifts).toBeGreaterThan(0.93);
    }
  });

  /** In each run, people are drawn into arms, and convert; the bound is 5 standard errors, and half a point for the rounding to whole people. */
  test.each([
    [0.2, 0.5, 0],
    [0.2, 0.1, 8],
    [0, 0.5, 8],
    [-0.5, 0.3, 3],
  ])('is in 95 %% of the intervals: lift %d, %d held out, noise of scale %d', (known, held, scale) => {
    const [runs, people, rate] = [isLong ? 20_000 : 2000, 20_000, 0.05];
    const noise = scale === 0 ? null : discreteLaplace(Rational.of(BigInt(scale)));
    const random = seededRandomSource('lift', 1);
    const variance = scale === 0 ? 0 : laplaceDeviation(scale) ** 2;
    const arm = (uniform: Uniform, count: number, converting: number): LiftTest['exposed'] => ({
      estimate: binomial(uniform, count, converting) + Number(noise === null ? 0n : noise(random)),
      variance,
    });
    let [ofLift, ofCaused] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const uniform = seededUniform('lift', run);
      const heldOut = binomial(uniform, people, held);
      const holdout = arm(uniform, heldOut, rate);
      const exposed = arm(uniform, people - heldOut, rate * (1 + known));
      const { interval, caused } = liftOf({ exposed, holdout, held }, 0.95);
      const expected = people * (1 - held) * rate * known;
      ofLift += Number(interval[0] <= known && known <= interval[1]);
      ofCaused += Number(caused.interval[0] <= expected && expected <= caused.interval[1]);
    }
    const bound = 5 * Math.sqrt((0.95 * 0.05) / runs) + 0.005;
    expect(Math.abs(ofLift / runs - 0.95)).toBeLessThan(bound);
    expect(Math.abs(ofCaused / runs - 0.95)).toBeLessThan(bound);
  });
});

/** The numbers of successes with their chances, without those below 1e-9. */
function binomialChances(trials: number, chance: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  let logarithm = 0;
  for (let number = 0; number <= trials; number++) {
    if (number > 0) logarithm += Math.log((trials - number + 1) / number);
    const failures = trials - number;
    const of = Math.exp(logarithm + (failures === 0 ? 0 : failures * Math.log1p(-chance))) * chance ** number;
    if (of > 1e-9) found.push([number, of]);
  }
  return found;
}

const plan = { lift: 0.5, holdout: 0.3, rate: 0.2 };

/** The arms that a person's lines name, and how many conversions there are. */
function read(lines: readonly Json[]): { readonly arms: ReadonlySet<string>; readonly conversions: number } {
  const texts = lines.map((line) => JSON.stringify(line));
  const arms = texts.flatMap((text) => /"arm":\["(\w+)"\]/.exec(text)?.[1] ?? []);
  return {
    arms: new Set(arms),
    conversions: texts.filter((text) => text.includes('Register-Trigger')).length,
  };
}

test('a made-up lift test has the arms, the rate and the lift that it is made with', () => {
  const people = isLong ? 40_000 : 3000;
  const counts = { exposed: [0, 0], holdout: [0, 0] };
  for (let number = 0; number < people; number++) {
    const { arms, conversions } = read(liftTestUser(plan, 'lift', number));
    expect(arms.size).toBe(1);
    expect(conversions).toBeLessThanOrEqual(1);
    const of = counts[arms.has('holdout') ? 'holdout' : 'exposed'];
    of[0] = (of[0] ?? 0) + 1;
    of[1] = (of[1] ?? 0) + conversions;
  }
  // 5 standard errors.
  const expectShare = (count = 0, of = 0, expected = 0): void =>
    expect(Math.abs(count / of - expected)).toBeLessThan(5 * Math.sqrt((expected * (1 - expected)) / of));
  expectShare(counts.holdout[0], people, 0.3);
  expectShare(counts.holdout[1], counts.holdout[0], 0.2);
  expectShare(counts.exposed[1], counts.exposed[0], 0.3);
});

test('the lines of both arms differ in the name of the arm and its bucket alone', () => {
  const fieldsOf = (arm: string): readonly string[] => {
    for (let number = 0; ; number++) {
      const lines = liftTestUser(plan, 'fields', number);
      const { arms, conversions } = read(lines);
      if (arms.has(arm) && conversions > 0) return lines.map(withoutValues).sort();
    }
  };
  expect([...new Set(fieldsOf('exposed'))]).toEqual([...new Set(fieldsOf('holdout'))]);
});

/** The names of all fields. */
const withoutValues = (json: Json): string =>
  JSON.stringify(json, (_, value: Json) =>
    isJsonObject(value) || Array.isArray(value) ? value : typeof value,
  );

test('the task compares the arms of each run with those of the log', () => {
  const groups: readonly TaskGroup[] = [
    { name: 'holdout', sources: 90, truth: 20, estimate: 24, variance: 2 },
    { name: 'exposed', sources: 110, truth: 40, estimate: 41, variance: 2 },
  ];
  const numbers = Object.values(lift.numbers).map((of) =>
    of({ groups, cells: [], sums: [], confidence: 0.95, holdout: 0.5, mostValue: null }),
  );
  // Estimated: 17 more; in the log: 20. The variance is about 41 + 24 + 4.
  expect(numbers[0]).toBeCloseTo(3);
  expect(Math.abs((numbers[1] ?? 0) / (1.96 * Math.sqrt(69)) - 1)).toBeLessThan(0.03);
  expect(numbers[2]).toBe(100);
});

test('the task finds nothing if an API says nothing of an arm', () => {
  const groups: readonly TaskGroup[] = [
    { name: 'holdout', sources: 90, truth: 20, estimate: 24, variance: 2 },
    { name: 'exposed', sources: 110, truth: 40, estimate: 141, variance: null },
  ];
  const numbers = Object.values(lift.numbers).map((of) =>
    of({ groups, cells: [], sums: [], confidence: 0.95, holdout: 0.5, mostValue: null }),
  );
  expect(numbers).toEqual([NaN, Infinity, 0]);
});

test('an experiment takes the share from its data, unless it names another', () => {
  const liftTest = { lift: 1, holdout: 0.25 };
  const holdout = (json: JsonObject): number | null => holdoutOf(accepted(parseExperiment(json)));
  expect(holdout({ data: { users: 5, liftTest } })).toBe(0.25);
  expect(holdout({ data: { users: 5, liftTest }, measure: { holdout: 0.5 } })).toBe(0.5);
  expect(holdout({ data: { input: ['log'] }, measure: { holdout: 0.1 } })).toBe(0.1);
  expect(holdout({ data: { users: 5 } })).toBeNull();
});

test('an experiment refuses a lift with which more people would convert than there are', () => {
  const refused = parseExperiment({ data: { users: 5, liftTest: { lift: 3.1, rate: 0.25 } } });
  expectRefused(refused, 'data.liftTest.lift', 'must be a number from -1 to 3');
});

test('sums of buckets say the variance of their noise, in conversions', () => {
  const buckets = new Map([
    ['a', ['x']],
    ['b', ['x']],
    ['c', ['y']],
  ] as const);
  const noise = { scale: Rational.of(30n), random: seededRandomSource('variance', 1) };
  const levels = { columns: ['arm'], levels: [['arm']], confidence: 0.95 };
  const results = new GroupSums(buckets).results(levels, 10, noise);
  const one = (laplaceDeviation(30) / 10) ** 2;
  expect(results.map(({ variance }) => variance)).toEqual([2 * one, one]);
});

test.each([
  ['a lift below −1', ['--lift', '-1.1'], '--lift'],
  [
    'more conversions than people',
    ['--lift', '20'],
    `--lift: must be a number from -1 to ${mostLift({ rate: 0.05 })}`,
  ],
  ['no number', ['--lift', ' '], '--lift'],
  ['everybody held out', ['--lift', '0.1', '--holdout', '1'], '--holdout'],
  ['no rate', ['--lift', '0.1', '--rate', '0'], '--rate'],
  [
    'a holdout without a lift',
    ['--holdout', '0.1'],
    '--holdout: needs --lift, but there is none; add --lift',
  ],
  ['a rate without a lift', ['--demo', '--rate', '0.1'], '--rate: needs --lift'],
])('generate refuses %s', async (_, options, message) => {
  expect(await main(['generate', '--users', '3', '--output', pathOf('log'), ...options])).toBe(2);
  expect(err.join('')).toContain(message);
});
