import { cellsOf } from '../../../analysis/learn/cells';
import { demoExperiment } from '../../../analysis/learn/demo-experiment';
import { demoLog } from '../../../analysis/learn/demo-log';
import { upperTail } from '../../../analysis/learn/error-function';
import { builtIn, trainPrivately } from '../../../analysis/learn/engine';
import { labelledExamples, selectRows, type Examples } from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import {
  chosenRows,
  responseFor,
  withNoisyLabels,
  type UnitBudget,
} from '../../../analysis/learn/label-noise';
import { PrivacyAccountant, lossOfMember, PrivacyError } from '../../../analysis/learn/privacy-accountant';
import { trainBy } from '../../../analysis/learn/methods';
import type { Method, Recipe } from '../../../analysis/learn/recipe';
import { newModel, predict } from '../../../analysis/learn/new-model';
import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import {
  noiseDeviation,
  NoisySum,
  type PrivateTrainingSettings,
} from '../../../analysis/learn/private-train';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { slopesOf } from '../../../analysis/learn/train';
import { type RandomSource } from '../../../src/privacy/random-source';
import { seededRandomSource } from '../../../analysis/random/sources';

const source = (stream = 0): RandomSource => seededRandomSource('learn-privacy', stream);
const log = labelledExamples(demoLog('privacy', 500).examples, 'conversion');

test('tails of the normal distribution', () => {
  // Abramowitz & Stegun, table 26.1, and scipy.stats.norm.sf.
  expect(upperTail(0)).toBe(0.5);
  expect(upperTail(1) / 0.15865525393145707).toBeCloseTo(1, 12);
  expect(upperTail(-2)).toBeCloseTo(0.9772498680518208, 12);
  expect(upperTail(3.5) / 0.00023262907903552502).toBeCloseTo(1, 12);
  expect(upperTail(8) / 6.220960574271786e-16).toBeCloseTo(1, 12);
});

// Computed with dp-accounting 0.6.0: from_gaussian_mechanism(deviation, sampling_prob=rate, neighboring_relation=REPLACE_ONE), composed.
test.each([
  [0.01, 1, 1000, 1e-6, 3.21424],
  [0.02, 0.7, 500, 1e-6, 9.49192],
  [0.1, 2, 200, 1e-5, 6.53621],
  [1, 5, 10, 1e-5, 5.75948],
  [0.3, 0.5, 1, 1e-6, 9.63984],
  [0.05, 8, 500, 1e-6, 1.19618],
])('ε of rate %d, deviation %d, %d steps, δ = %d', (rate, deviation, steps, delta, exact) => {
  const found = privacyLossEpsilon(rate, deviation, steps, delta) / exact;
  expect(Math.abs(found - 1)).toBeLessThan(0.005);
});

test('one full step is the Gaussian mechanism with twice the sensitivity, whose δ has a closed form', () => {
  // Balle & Wang 2018, theorem 8.
  const [deviation, delta] = [1.3, 1e-5];
  const epsilon = privacyLossEpsilon(1, deviation, 1, delta);
  const [half, scaled] = [1 / deviation, (epsilon * deviation) / 2];
  const exact = upperTail(scaled - half) - Math.exp(epsilon) * upperTail(scaled + half);
  expect(exact).toBeLessThanOrEqual(delta * 1.0001);
  expect(exact).toBeGreaterThan(delta * 0.99);
});

describe('many steps, of which each has little loss', () => {
  /** Of two normal distributions so many standard deviations apart (Balle & Wang 2018, theorem 8). */
  function exactEpsilon(distance: number, delta: number): number {
    let [low, high] = [0, 1000];
    while (high - low > 1e-9 * high) {
      const epsilon = (low + high) / 2;
      const [half, scaled] = [distance / 2, epsilon / distance];
      if (upperTail(scaled - half) - Math.exp(epsilon) * upperTail(scaled + half) > delta) low = epsilon;
      else high = epsilon;
    }
    return low;
  }
  /** k steps without sampling are one Gaussian mechanism with twice the sensitivity. */
  const found = (distance: number, steps: number, delta: number): number =>
    privacyLossEpsilon(1, (2 * Math.sqrt(steps)) / distance, steps, delta);

  test.each([
    [1e7, 1e-12],
    [1e8, 1e-12],
    [1e9, 1e-12],
    [1e9, 1e-6],
    [1e17, 1e-9],
    [1e20, 1e-6],
  ])('rounding makes ε of %d steps at δ = %d no smaller', (steps, delta) => {
    expect(found(1, steps, delta)).toBeGreaterThanOrEqual(exactEpsilon(1, delta));
  });

  test.each([
    [1e4, 1e-10],
    [1e7, 1e-6],
    [1e8, 1e-6],
  ])('ε of %d steps at δ = %d is known within 2 %%', (steps, delta) => {
    const ratio = found(1, steps, delta) / exactEpsilon(1, delta);
    expect(ratio).toBeGreaterThanOrEqual(1);
    expect(ratio).toBeLessThan(1.02);
  });

  test('of more steps than doubles can add up, no ε is known, and no noise is found', () => {
    expect(found(1, 1e10, 1e-6)).toBe(Infinity);
    expect(() => noiseDeviation(0.01, 1e10, { epsilon: 1, delta: 1e-6 })).toThrow(
      /^no noise keeps an example within ε = 1, δ = .*: choose a greater delta, fewer epochs/,
    );
  });
});

test('ε of what is not a number is none', () => {
  const given = [0.02, 1, 300, 1e-6] as const;
  for (let place = 0; place < given.length; place++) {
    const [rate = 0, deviation = 0, steps = 0, delta = 0] = given.map((one, i) => (i === place ? NaN : one));
    expect(() => privacyLossEpsilon(rate, deviation, steps, delta)).toThrow('is not a number');
  }
  expect(() => privacyLossEpsilon(0.02, 1, 300, 1e-6, NaN)).toThrow('is not a number');
});

test('fewer steps than none have no ε', () => {
  expect(() => privacyLossEpsilon(0.1, 1, -10, 1e-6)).toThrow('negative');
});

test('the noise for a budget just fits it', () => {
  const budget = { epsilon: 2, delta: 1e-6 };
  const deviation = noiseDeviation(0.02, 300, budget);
  expect(privacyLossEpsilon(0.02, deviation, 300, 1e-6)).toBeLessThanOrEqual(2);
  expect(privacyLossEpsilon(0.02, deviation * 0.99, 300, 1e-6)).toBeGreaterThan(2);
});

test.each([
  ['a δ below what is cut off', 0.01, { epsilon: 1, delta: 1e-14 }, null],
  ['steps that draw, each of which leaves something out', 0.01, { epsilon: 1, delta: 1e-12 }, 1000],
  ['the δ of one of ten examples', 0.01, lossOfMember(20, 1e-6, 10), null],
])('no noise gives %s, which is said at once', (_, rate, budget, draws) => {
  expect(() => noiseDeviation(rate, 100, budget, draws)).toThrow(/^no noise keeps an example within ε = /);
});

test.each([NaN, 0, -1])('no noise is sought for ε = %d', (epsilon) => {
  expect(() => noiseDeviation(0.01, 100, { epsilon, delta: 1e-6 })).toThrow('ε must be above 0');
});

test('group privacy: k members with (ε′, δ′) lose (ε, δ) together', () => {
  const { epsilon, delta } = lossOfMember(3, 1e-6, 4);
  expect(4 * epsilon).toBe(3);
  expect((delta * Math.expm1(3)) / Math.expm1(epsilon)).toBeCloseTo(1e-6, 15);
  expect(lossOfMember(3, 1e-6, 1)).toEqual({ epsilon: 3, delta: 1e-6 });
});

test('group privacy: the δ is reached, and the members lose more than each δ added up', () => {
  // Each further member makes an output as probable as (ε′, δ′) allows, from never on.
  const members = 4;
  const { epsilon, delta } = lossOfMember(3, 1e-6, members);
  let chance = 0;
  for (let member = 0; member < members; member++) chance = Math.exp(epsilon) * chance + delta;
  expect(chance).toBeCloseTo(1e-6, 15);
  expect(members * delta).toBeLessThan(chance / 2);
});

const budgetOf = (given: Partial<UnitBudget>): UnitBudget => ({
  unit: 'user',
  allocation: 'per-cap',
  cap: 2,
  epsilon: 3,
  period: 30,
  ...given,
});

const endless = (): PrivacyAccountant => new PrivacyAccountant(1000, 0);

test('the first K of a unit answer, each with ε/K', () => {
  const { rows, shares } = chosenRows(log, budgetOf({}), source(), endless());
  const counts = new Map<number, number>();
  const expected = Array.from({ length: log.count }, (_, row) => row).filter((row) => {
    const user = log.units.user[row] ?? 0;
    counts.set(user, (counts.get(user) ?? 0) + 1);
    return (counts.get(user) ?? 0) <= 2;
  });
  expect([...rows]).toEqual(expected);
  expect(new Set(shares)).toEqual(new Set([1.5]));
});

test('by count, all answer and share ε', () => {
  const { rows, shares } = chosenRows(log, budgetOf({ allocation: 'per-count' }), source(), endless());
  expect(rows).toHaveLength(log.count);
  const sums = new Map<number, number>();
  rows.forEach((row, place) => {
    const user = log.units.user[row] ?? 0;
    sums.set(user, (sums.get(user) ?? 0) + (shares[place] ?? 0));
  });
  for (const sum of sums.values()) expect(sum).toBeCloseTo(3, 9);
});

test('randomized labels are unbiased after de-biasing, and fit the rate before', () => {
  const ones = { ...log, labels: log.labels.map(() => 1) };
  const budget = budgetOf({ unit: 'impression', cap: 1, epsilon: 1 });
  const meanOf = (isDebiased: boolean): number => {
    const { labels } = withNoisyLabels(
      ones,
      budget,
      responseFor(isDebiased),
      source(isDebiased ? 1 : 2),
      endless(),
    ).examples;
    return labels.reduce((sum, label) => sum + label, 0) / labels.length;
  };
  // 5.5 standard deviations each: a false alarm has a probability below 1e-7.
  const keep = Math.E / (1 + Math.E);
  const spread = 5.5 * Math.sqrt((keep * (1 - keep)) / log.count);
  expect(Math.abs(meanOf(false) - keep)).toBeLessThan(spread);
  expect(Math.abs(meanOf(true) - 1)).toBeLessThan(spread / (2 * keep - 1));
});

describe('what would cost more than the accountant says is caught', () => {
  test('a label that is randomized twice', () => {
    const accountant = endless();
    const budget = budgetOf({});
    withNoisyLabels(log, budget, responseFor(true), source(), accountant);
    expect(() => withNoisyLabels(log, budget, responseFor(true), source(), accountant)).toThrow(
      'randomized twice',
    );
  });

  test('a unit over its budget', () => {
    expect(() => endless().spendOnLabels(1, 3, 0.5)).toThrow(PrivacyError);
    endless().spendOnLabels(1, 2, 0.5);
  });

  test('phases over the budget', () => {
    const accountant = new PrivacyAccountant(1, 1e-6);
    accountant.spend({ what: 'labels', epsilon: 0.6, delta: 0 });
    accountant.spend({ what: 'gradients', epsilon: 0.4, delta: 1e-6 });
    expect(accountant.total).toEqual({ epsilon: 1, delta: 1e-6 });
    expect(() => accountant.spend({ what: 'labels', epsilon: 0.001, delta: 0 })).toThrow(
      'add up to ε = 1.001, δ = 0.000001; the budget is ε = 1, δ = 0.000001',
    );
  });

  const steps = { rate: 0.1, steps: 100, examples: 1000, taken: 10_000, clip: 1, longest: 1 };

  test('a clip that is skipped', () => {
    expect(() => endless().check({ ...steps, longest: 1.001 })).toThrow('length 1.001 after clipping');
  });

  test('a sampling rate that is misreported', () => {
    endless().check(steps);
    expect(() => endless().check({ ...steps, taken: 20_000 })).toThrow('20000 examples were taken');
  });

  test('what is no number', () => {
    expect(() => endless().check({ ...steps, longest: NaN })).toThrow('length NaN after clipping');
    expect(() => endless().check({ ...steps, taken: NaN })).toThrow('NaN examples were taken');
    for (const loss of [
      { epsilon: NaN, delta: 0 },
      { epsilon: 0.1, delta: NaN },
    ])
      expect(() => new PrivacyAccountant(1, 1e-6).spend({ what: 'gradients', ...loss })).toThrow();
  });

  test('training that diverged', () => {
    const model = newModel('logistic', log.fields, new RandomNumbers(source()));
    const settings: PrivateTrainingSettings = {
      ...{ loss: 'squared', optimiser: 'sgd', rate: 1e39, batch: log.count, epochs: 3, dropout: 0 },
      ...{ clip: 1, sampling: 'poisson', threshold: 0 },
    };
    const budget = { epsilon: 1, delta: 1e-6, examplesPerUnit: 1 };
    const accountant = new PrivacyAccountant(budget.epsilon, budget.delta);
    expect(() =>
      trainPrivately(builtIn, model, log, settings, budget, new RandomNumbers(source()), accountant),
    ).toThrow('training diverged');
  });
});

test('gradients are clipped, and noise has the stated deviation', () => {
  const model = newModel('logistic', log.fields, new RandomNumbers(source()));
  const rows = Int32Array.from({ length: 100 }, (_, row) => row);
  const clip = 0.2;
  const sums = [0, 2].map((deviation) => {
    const sum = new NoisySum(model, clip, deviation, new RandomNumbers(source(3)));
    model.backward(slopesOf(model, log, rows, 'cross-entropy'));
    const gradient = sum.next(rows.length).slice();
    return { gradient, longest: sum.longest };
  });
  const [clean, noisy] = sums;
  // Nine categories and the constant: each gradient is 0.5·√10 long, and is cut to 0.2.
  expect(clean?.longest).toBeLessThanOrEqual(clip);
  expect(clean?.longest).toBeGreaterThan(clip * 0.9999);
  const noise = [...(noisy?.gradient ?? [])].map((value, i) => value - (clean?.gradient[i] ?? 0));
  const variance = noise.reduce((sum, value) => sum + value ** 2, 0) / noise.length;
  // The variance of a sample variance is 2σ⁴/n; 5.5 standard deviations.
  expect(Math.abs(variance / (2 * clip) ** 2 - 1)).toBeLessThan(5.5 * Math.sqrt(2 / noise.length));
});

const [baseline] = cellsOf(parseExperiment(demoExperiment).value ?? fail());
function fail(): never {
  throw new Error('the demo must parse');
}
const recipeOf = (given: Partial<Recipe>): Recipe => ({ ...(baseline ?? fail()).recipe, ...given });

test.each<Method>([
  'rr',
  'rr-with-prior',
  'laplace',
  'alibi',
  'clusters',
  'pate',
  'label-sums',
  'dp-sgd',
  'hybrid',
])('%s without noise is the baseline, bit for bit', (method) => {
  const parameters = (recipe: Recipe): Float32Array => trainBy(recipe, log, 'seed').model.parameters;
  expect(parameters(recipeOf({ method, epsilon: null }))).toEqual(parameters(recipeOf({})));
});

test.each<[string, Partial<Recipe>, Partial<Recipe>]>([
  ['gradients', { labelShare: 0 }, { method: 'dp-sgd' }],
  ['labels', { labelShare: 1 }, { method: 'rr', features: 'known' }],
])('the hybrid with all of ε for %s is that part by itself, bit for bit', (_, given, part) => {
  const [hybrid, alone] = [{ method: 'hybrid', ...given } as const, part].map((recipe) => {
    const { model, accountant } = trainBy(recipeOf({ ...recipe, epsilon: 2 }), log, 'seed');
    return { parameters: model.parameters, entries: accountant.entries };
  });
  expect(hybrid).toEqual(alone);
});

test.each<[string, Partial<Recipe>, Partial<Recipe>]>([
  ['gradients', { labelShare: 0, labelCap: 1 }, { method: 'dp-sgd' }],
  ['labels', { labelShare: 1, labelCap: 1 }, { method: 'rr', features: 'known', cap: 1 }],
  ['labels and gradients', { labelCap: 2 }, { method: 'hybrid' }],
])('the hybrid with another K for labels has the K of each phase: only %s', (_, given, part) => {
  const unit = { unit: 'user', cap: 2, epsilon: 2 } as const;
  const of = (recipe: Partial<Recipe>): object => {
    const { model, accountant } = trainBy(recipeOf({ ...unit, ...recipe }), log, 'seed');
    return { parameters: model.parameters, entries: accountant.entries };
  };
  const hybrid = of({ method: 'hybrid', ...given });
  expect(hybrid).toEqual(of(part));
  // K makes a difference.
  expect(of({ method: 'hybrid', ...given, cap: 1, labelCap: 3 })).not.toEqual(hybrid);
});

test.each([1, 5])('the hybrid with K = %i for labels loses what its recipe allows', (labelCap) => {
  const recipe = recipeOf({ method: 'hybrid', unit: 'user', cap: 2, labelCap, epsilon: 2 });
  const { total } = trainBy(recipe, log, 'seed').accountant;
  expect(total.epsilon).toBeLessThanOrEqual(2);
  expect(total.epsilon).toBeGreaterThan(2 * 0.999);
});

test('randomized response with a huge ε trains like the baseline', () => {
  const { model } = trainBy(recipeOf({ method: 'rr', epsilon: 60 }), log, 'seed');
  const { parameters } = trainBy(recipeOf({}), log, 'seed').model;
  model.parameters.forEach((value, i) => expect(Math.abs(value - (parameters[i] ?? 0))).toBeLessThan(1e-4));
});

test.each<[Method, readonly [epsilon: number, delta: number]]>([
  ['rr', [2, 0]],
  ['rr-with-prior', [2, 0]],
  ['laplace', [2, 0]],
  ['alibi', [2, 0]],
  ['clusters', [2, 0]],
  ['pate', [2, 1e-6]],
  ['label-sums', [2, 0]],
  ['dp-sgd', [2, 1e-6]],
  ['hybrid', [2, 1e-6]],
])('%s loses what its recipe allows', (method, [epsilon, delta]) => {
  const few: Examples = selectRows(
    log,
    Int32Array.from({ length: 300 }, (_, row) => row),
  );
  const { total } = trainBy(recipeOf({ method, unit: 'user', cap: 2, epsilon: 2 }), few, 'seed').accountant;
  expect(total.epsilon).toBeLessThanOrEqual(epsilon);
  expect(total.epsilon).toBeGreaterThan(epsilon * 0.999);
  expect(total.delta).toBe(delta);
});

const CAPPED: readonly Method[] = ['clusters', 'label-sums', 'dp-sgd', 'hybrid'];

describe('noise for K examples of a unit, where all may take part', () => {
  test.each(CAPPED)('%s stops', (method) => {
    const recipe = recipeOf({ method, unit: 'user', allocation: 'per-count', cap: 2, epsilon: 2 });
    const train = (): unknown => trainBy(recipe, log, 'seed');
    expect(train).toThrow(PrivacyError);
    expect(train).toThrow(/a unit has \d+ examples, and the noise hides 2 of a unit/u);
  });

  test.each([...CAPPED, 'rr', 'pate'] as const)('an experiment of %s', (method) => {
    const parsed = (given: object): readonly unknown[] => {
      const figure = { title: 'Units', methods: [method], units: ['user'], epsilons: [1] };
      return parseExperiment({ figures: [{ ...figure, ...given }] }).errors;
    };
    const refusal = { path: 'figures[0].allocation', code: 'uncapped-method' };
    expect(parsed({ allocation: 'per-count' })).toEqual(
      CAPPED.includes(method) ? [expect.objectContaining(refusal)] : [],
    );
    // An impression is alone in its unit.
    expect(parsed({ allocation: 'per-count', units: ['impression'] })).toEqual([]);
    expect(parsed({ allocation: 'random-cap' })).toEqual([]);
  });
});

test.each([
  [['hybrid'], ['user'], []],
  [['rr', 'hybrid'], ['impression', 'user'], []],
  [['rr', 'dp-sgd'], ['user'], ['rr, dp-sgd']],
  [['hybrid'], ['impression'], ['impression']],
])('a cap for labels of %j by %j does not go unused', (methods, units, others) => {
  const figure = { title: 'Caps', methods, units, epsilons: [1], label_cap: 2 };
  expect(parseExperiment({ figures: [figure] }).errors).toEqual(
    others.map((other): unknown =>
      expect.objectContaining({ path: 'figures[0].label_cap', code: 'field-beside', values: { other } }),
    ),
  );
});

test.each(['split-budget', 'split-people'] as const)(
  'rr-with-prior with a prior by %s keeps to ε',
  (prior) => {
    const recipe = recipeOf({
      method: 'rr-with-prior',
      prior,
      debiased: false,
      unit: 'user',
      cap: 2,
      epsilon: 5,
    });
    const { entries, total } = trainBy(recipe, log, 'seed').accountant;
    expect(entries.map(({ what }) => what)).toEqual(
      prior === 'split-budget' ? ['prior', 'labels'] : ['labels'],
    );
    expect(total.epsilon).toBeLessThanOrEqual(5);
    expect(total.epsilon).toBeGreaterThan(4.999);
  },
);

test('answers that are always the same cannot be de-biased, but plain ones train', () => {
  // Conversions are rare, so with a true prior and a small ε the answer is always that there was none.
  const given = { method: 'rr-with-prior', prior: 'split-budget', epsilon: 1 } as const;
  expect(() => trainBy(recipeOf(given), log, 'seed')).toThrow('cannot be de-biased');
  expect(() => trainBy(recipeOf({ ...given, debiased: false }), log, 'seed')).not.toThrow();
});

test('rr-with-prior trains on plain labels or on de-biased ones', () => {
  // Every example is the same, so the model learns the mean of the labels.
  const categories = [{ name: 'same', role: 'known', buckets: 1 }] as const;
  const same: Examples = {
    ...log,
    fields: { ...log.fields, categories },
    categories: new Int32Array(log.count),
  };
  const meanOf = (debiased: boolean): number => {
    const recipe = recipeOf({ method: 'rr-with-prior', epsilon: 2.5, debiased });
    const training = { ...recipe.training, rate: 0.3, epochs: 40 };
    const { model } = trainBy({ ...recipe, training }, same, 'seed');
    return 1 / (1 + Math.exp(-(predict(model, same)[0] ?? NaN)));
  };
  const truth = log.labels.reduce((sum, label) => sum + label, 0) / log.count;
  // One label in 13 is wrong. 0.05 are 6 standard deviations of the mean of the de-biased labels.
  expect(Math.abs(meanOf(true) - truth)).toBeLessThan(0.05);
  expect(meanOf(false)).toBeGreaterThan(truth + 0.05);
});
