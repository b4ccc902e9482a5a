import { cellsOf } from '../../../analysis/learn/cells';
import { demoLog } from '../../../analysis/learn/demo-log';
import { labelledExamples, withLabels, type Examples } from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import {
  answersTo,
  withNoisyLabels,
  type LabelRandomizer,
  type UnitBudget,
} from '../../../analysis/learn/label-noise';
import { PrivacyAccountant, PrivacyError } from '../../../analysis/learn/privacy-accountant';
import { trainBy } from '../../../analysis/learn/methods';
import type { Recipe } from '../../../analysis/learn/recipe';
import { priorFrom } from '../../../analysis/learn/prior-histogram';
import { roundedPlace, valueRandomizer, type ValueMethod } from '../../../analysis/learn/value-noise';
import type { Json } from '../../../src/model/json';
import { type RandomSource } from '../../../src/privacy/random-source';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { seededRandomSource } from '../../../analysis/random/sources';

const source = (stream = 0): RandomSource => seededRandomSource('learn-values', stream);
const log = labelledExamples(demoLog('values', 3000).examples, 'value', 'conversions');
const VALUES = [0, 10, 25, 50, 100, 200, 400];
const prior = VALUES.map(() => '1/7');
const budget: UnitBudget = { unit: 'user', allocation: 'per-cap', cap: 2, epsilon: 4, period: 30 };

const meanOf = (numbers: Float32Array): number =>
  numbers.reduce((sum, value) => sum + value, 0) / numbers.length;

test('labels are rounded to the values next to them, and keep their mean', () => {
  const random = source(1);
  const places = Float32Array.from({ length: 4000 }, () => roundedPlace(VALUES, 60, random));
  expect(new Set(places)).toEqual(new Set([3, 4]));
  // 5.5 standard deviations: a false alarm has a probability below 1e-7.
  expect(Math.abs(meanOf(places) - 3.2)).toBeLessThan(5.5 * Math.sqrt((0.2 * 0.8) / 4000));
  expect([0, 10, 400, 5000].map((label) => roundedPlace(VALUES, label, random))).toEqual([0, 1, 6, 6]);
});

test('the unbiased randomizer keeps the mean of values, bins do not, and bins have the smaller label error', () => {
  const copies: Examples = withLabels(
    log,
    log.labels.map(() => 400),
  );
  const answers = (method: ValueMethod): ReturnType<typeof withNoisyLabels> =>
    withNoisyLabels(
      copies,
      { ...budget, unit: 'impression' },
      valueRandomizer({ method, values: VALUES, prior, loss: 'squared', isDebiased: false }),
      source(2),
      new PrivacyAccountant(100, 0),
    );
  const [bins, unbiased] = [answers('rr-on-bins'), answers('unbiased')];
  // The unbiased mean is off by more than this with a probability below 1e-7.
  const spread = (5.5 * unbiased.labelError) / Math.sqrt(log.count);
  expect(Math.abs(meanOf(unbiased.examples.labels) - 400)).toBeLessThan(spread);
  expect(Math.abs(meanOf(bins.examples.labels) - 400)).toBeGreaterThan(spread);
  expect(bins.labelError).toBeLessThan(unbiased.labelError);
});

describe('de-biased bins', () => {
  const few = [0, 200, 400];
  const randomizer = (epsilon: number, isDebiased: boolean): LabelRandomizer =>
    answersTo(few, rrOnBins(few, ['1/3', '1/3', '1/3'], 'squared', epsilon), isDebiased);

  test('keep the mean of each value where each has a bin of its own, and plain ones do not', () => {
    const [random, count] = [source(7), 4000];
    const means = (isDebiased: boolean): readonly number[] => {
      const answer = randomizer(3, isDebiased);
      return few.map((_, place) => meanOf(Float32Array.from({ length: count }, () => answer(place, random))));
    };
    // Answers are off by at most 400 times 1/(1 − others); 6 standard deviations: a false alarm has a probability below 1e-7.
    const keep = Math.exp(3) / (Math.exp(3) + 2);
    const spread = (6 * 400 * Math.sqrt((keep * (1 - keep)) / count)) / (keep - (1 - keep) / 2);
    const offBy = (found: readonly number[]): number =>
      Math.max(...found.map((mean, place) => Math.abs(mean - (few[place] ?? NaN))));
    expect(offBy(means(true))).toBeLessThan(spread);
    expect(offBy(means(false))).toBeGreaterThan(spread);
  });

  test('do not exist where values share a bin', () => {
    expect(() => randomizer(1, true)).toThrow('2 answers for 3 labels cannot be de-biased');
  });
});

describe('a prior from the data', () => {
  test('split-budget pays for the histogram out of ε', () => {
    const accountant = new PrivacyAccountant(4, 0);
    const left = priorFrom('split-budget', VALUES, log, budget, source(3), accountant);
    expect(accountant.entries).toEqual([{ what: 'prior', epsilon: 0.4, delta: 0 }]);
    expect(left.examples).toBe(log);
    expect(left.budget.epsilon + 0.4).toBeLessThanOrEqual(4);
    expect(left.budget.epsilon).toBeCloseTo(3.6, 12);
    accountant.spend({ what: 'labels', epsilon: left.budget.epsilon, delta: 0 });
    expect(() => priorFrom('split-budget', VALUES, log, budget, source(3), accountant)).toThrow(PrivacyError);
  });

  test('split-people asks every tenth unit, and no other', () => {
    const accountant = new PrivacyAccountant(4, 0);
    const left = priorFrom('split-people', VALUES, log, budget, source(4), accountant);
    const users = new Set(log.units.user);
    const others = new Set(left.examples.units.user);
    expect(users.size - others.size).toBe(Math.ceil(users.size / 10));
    expect(left.budget).toEqual(budget);
    const counted = (kept: boolean): number =>
      log.units.user.filter((user) => others.has(user) === kept).length;
    expect(left.examples.count).toBe(counted(true));
    expect(counted(false)).toBeGreaterThan(0);
  });

  test('it is near the true shares, and no value has the probability 0', () => {
    const { prior: found } = priorFrom(
      'split-budget',
      VALUES,
      log,
      { ...budget, epsilon: 100 },
      source(5),
      new PrivacyAccountant(100, 0),
    );
    const firsts = new Map<number, number>();
    log.units.user.forEach((user, row) => firsts.has(user) || firsts.set(user, log.labels[row] ?? 0));
    const random = source(6);
    const counts = VALUES.map(() => 1);
    for (const label of firsts.values()) {
      const place = roundedPlace(VALUES, label, random);
      counts[place] = (counts[place] ?? 0) + 1;
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    found.forEach((share, value) => {
      const [count = NaN, of = NaN] = share.split('/').map(Number);
      expect(count).toBeGreaterThanOrEqual(1);
      // The rounding differs: 5.5 standard deviations of at most √n/2, and the noise, which is below 20 but for one time in 1e40.
      expect(Math.abs((count / of) * total - (counts[value] ?? 0))).toBeLessThan(
        5.5 * Math.sqrt(total / 2) + 20,
      );
    });
  });
});

const figure = {
  title: 'Values',
  label: 'value',
  examples: 'conversions',
  methods: ['unbiased'],
  epsilons: [3],
};
const recipeOf = (given: Partial<Recipe>): Recipe => {
  const { value } = parseExperiment({ figures: [figure] });
  const [baseline] = value === null ? [] : cellsOf(value);
  if (baseline === undefined) throw new Error('the experiment must parse');
  return { ...baseline.recipe, ...given };
};

test.each<[Partial<Recipe>, number]>([
  [{ method: 'rr-on-bins', prior: 'split-budget', debiased: false }, 0],
  [{ method: 'unbiased', prior: 'split-people' }, 0],
  [{ method: 'unbiased' }, 0],
  [{ method: 'dp-sgd' }, 1e-6],
])('%j loses what its recipe allows', (given, delta) => {
  const { total } = trainBy(recipeOf({ ...given, unit: 'user', cap: 2, epsilon: 3 }), log, 'seed').accountant;
  expect(total.epsilon).toBeLessThanOrEqual(3);
  expect(total.epsilon).toBeGreaterThan(2.999);
  expect(total.delta).toBe(delta);
});

test('each kind of label has its methods, losses and values', () => {
  const placeOf = (given: Readonly<Record<string, Json>>): string | undefined =>
    parseExperiment({ figures: [{ ...figure, ...given }] }).errors[0]?.path;
  expect(placeOf({})).toBeUndefined();
  expect(placeOf({ methods: ['rr'] })).toBe('figures[0].methods[0]');
  expect(placeOf({ label: 'conversion' })).toBe('figures[0].methods[0]');
  expect(placeOf({ loss: 'cross-entropy' })).toBe('figures[0].loss');
  expect(placeOf({ values: [0, 10, 10] })).toBe('figures[0].values');
  expect(placeOf({ prior: 'given' })).toBe('figures[0].prior');
});
