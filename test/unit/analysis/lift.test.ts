import { liftOf, type LiftTest } from '../../../analysis/estimate/lift';
import { binomial, seededUniform, type Uniform } from '../../../analysis/estimate/statistical-draws';
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
    // As many as the exposed, the holdout would have had 30. The variance is 60 + 21 + 9 · (10 + 6) = 225.
    expect(caused.estimate).toBeCloseTo(30);
    expect(caused.interval[0]).toBeCloseTo(30 - 1.96 * 15, 2);
    expect(caused.interval[1]).toBeCloseTo(30 + 1.96 * 15, 2);
    expect(found).toBeCloseTo(1);
    // Ends of the interval are where the arms differ from the ratio by 1.96 standard deviations.
    for (const end of interval)
      expect(Math.abs(60 - (end + 1) * 30) / Math.sqrt(81 + (end + 1) ** 2 * 144)).toBeCloseTo(1.96, 3);
  });

  test('a holdout arm that may have had no conversions gives no upper end', () => {
    const arms = {
      exposed: { estimate: 100, variance: 0 },
      holdout: { estimate: 1, variance: 4 },
      held: 0.5,
    };
    const [low, high] = liftOf(arms, 0.95).interval;
    expect(Math.abs(100 - (low + 1)) / Math.sqrt(100 + (low + 1) ** 2 * 5)).toBeCloseTo(1.96, 3);
    expect(high).toBe(Infinity);
  });

  test.each([3, -2, -50])('arms that may both have had none say nothing: %d conversions', (estimate) => {
    const arms = { exposed: { estimate: 3, variance: 400 }, holdout: { estimate, variance: 400 }, held: 0.5 };
    expect(liftOf(arms, 0.95).interval).toEqual([-1, Infinity]);
  });

  test('no conversions of the holdout arm, no lift', () => {
    const arms = { exposed: { estimate: 3, variance: 9 }, holdout: { estimate: 0, variance: 9 }, held: 0.5 };
    expect(liftOf(arms, 0.95).lift).toBeNull();
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
    of({ groups, cells: [], sums: [], confidence: 0.95, holdout: 0.5 }),
  );
  // Estimated: 17 more; in the log: 20. The variance is 41 + 24 + 4.
  expect(numbers[0]).toBeCloseTo(3);
  expect(numbers[1]).toBeCloseTo(1.96 * Math.sqrt(69), 2);
  expect(numbers[2]).toBe(100);
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
])('generate refuses %s', async (_, options, message) => {
  expect(await main(['generate', '--users', '3', '--output', pathOf('log'), ...options])).toBe(2);
  expect(err.join('')).toContain(message);
});
