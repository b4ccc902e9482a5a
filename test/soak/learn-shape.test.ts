import { cellsOf } from '../../analysis/learn/cells';
import { demoExperiment } from '../../analysis/learn/demo-experiment';
import type { Split } from '../../analysis/learn/examples';
import { parseExperiment } from '../../analysis/learn/experiment';
import type { Recipe } from '../../analysis/learn/recipe';
import { relativeLoss } from '../../analysis/learn/metrics';
import { meanWithError } from '../../analysis/report/mean-with-error';
import { demoSplit, runCell, type CellResult } from '../../analysis/learn/run-cell';

/*
 * What the literature found (Ghazi's slides on label privacy; Chua et al. 2024; Badanidiyuru et al. 2023) comes out on the made-up log.
 * Each claim is that a mean difference between two trainings with the same seed is above 0. It holds if the mean is SIGMAS standard errors
 * above 0. With 24 seeds, Student's t with 23 degrees of freedom is above 7.62 with a probability of 4.9e-8, and with 128 logs it is above 6
 * with one of 1e-8; for all 23 claims together, a false one passes with a probability below 1e-6. Other seeds would refute a claim that these
 * confirm so clearly no more often.
 */

jest.setTimeout(3_600_000);

const SEEDS = 24;
const SIGMAS = 7.62;
const LOGS = 128;
const LOG_SIGMAS = 6;

const { value } = parseExperiment(demoExperiment);
if (value === null) throw new Error('the demo must parse');
const demo = value;
const recipes = cellsOf(demo).map(({ recipe }) => recipe);
const [baseline] = recipes;
const valueBaseline = recipes.find(({ label }) => label === 'value');
if (baseline === undefined || valueBaseline === undefined) throw new Error('the demo must have baselines');

const known = new Map<string, CellResult>();

function resultOf(recipe: Recipe, seed: number, split: Split): CellResult {
  const key = JSON.stringify([recipe, seed]);
  const result = known.get(key) ?? runCell({ figure: 0, recipe, seed }, split, demo);
  known.set(key, result);
  return result;
}

/** A figure of a recipe for each seed. */
type Measure = (recipe: Partial<Recipe>) => readonly number[];

const measureOn =
  (split: Split, base: Recipe) =>
  (of: (result: CellResult, withoutNoise: CellResult) => number): Measure =>
  (given) =>
    Array.from({ length: SEEDS }, (_, seed) =>
      of(resultOf({ ...base, ...given }, seed, split), resultOf(base, seed, split)),
    );

function expectBelow(lower: readonly number[], higher: readonly number[] | number): void {
  const differences = lower.map(
    (low, seed) => (typeof higher === 'number' ? higher : (higher[seed] ?? NaN)) - low,
  );
  const { mean, error } = meanWithError(differences);
  expect(mean).toBeGreaterThan(SIGMAS * error);
}

describe('conversions', () => {
  const measured = measureOn(demoSplit(demo), {
    ...baseline,
    training: { ...baseline.training, rate: 0.01 },
  });
  const lossOf = measured((result, { error }) => relativeLoss(result.error, error));
  const calibrationOf = measured(({ calibration }) => calibration);

  test('the larger the unit, the more it costs', () => {
    // Each unit with its best cap.
    const at = (unit: Recipe['unit'], cap: number): readonly number[] =>
      lossOf({ method: 'rr', unit, cap, epsilon: 8 });
    const [advertiser, publisher] = [at('user-advertiser', 1), at('user-publisher', 2)];
    expectBelow(at('impression', 1), advertiser);
    expectBelow(advertiser, publisher);
    expectBelow(publisher, at('user', 2));
  });

  test('the best cap grows with ε', () => {
    const at = (cap: number, epsilon: number): readonly number[] =>
      lossOf({ method: 'rr', unit: 'user', cap, epsilon });
    expectBelow(at(1, 4), at(4, 4));
    expectBelow(at(10, 50), at(1, 50));
  });

  test('without the sensitive features, less noise stops helping, and the hybrid is better than both of its parts', () => {
    const rr = (epsilon: number): readonly number[] => lossOf({ method: 'rr', features: 'known', epsilon });
    const [some, least] = [rr(10), rr(50)];
    expectBelow(
      least.map((loss) => -loss),
      -8,
    );
    expectBelow(
      some.map((loss, seed) => loss - (least[seed] ?? NaN)),
      1.5,
    );
    const at = (method: 'hybrid' | 'dp-sgd', epsilon: number, rate: number): readonly number[] =>
      lossOf({ method, epsilon, labelShare: 0.6, privateTraining: { ...baseline.privateTraining, rate } });
    // The hybrid has the rate that validation data choose from 0.3 and 1, DP-SGD the better of two.
    for (const [epsilon, rate] of [
      [5, 0.3],
      [10, 1],
    ] as const) {
      const hybrid = at('hybrid', epsilon, rate);
      expectBelow(hybrid, rr(epsilon));
      for (const other of [1, 3]) expectBelow(hybrid, at('dp-sgd', epsilon, other));
    }
    expectBelow(at('hybrid', 3, 0.3), rr(3));
  });

  test('labels alone are easier to protect than examples: DP-SGD at its better rate loses more than noisy labels do', () => {
    const labels = lossOf({ method: 'rr', epsilon: 5 });
    for (const rate of [1, 3])
      expectBelow(
        labels,
        lossOf({ method: 'dp-sgd', epsilon: 5, privateTraining: { ...baseline.privateTraining, rate } }),
      );
  });

  test('at ε = 3 the hybrid is better than DP-SGD, too, on the average of logs', () => {
    // There logs differ more than methods do, so each training is on a log of its own. Validation data choose these shares and rates.
    const base = { ...baseline, training: { ...baseline.training, rate: 0.01 } };
    const leads = Array.from({ length: LOGS }, (_, seed) => {
      const split = demoSplit({ ...demo, seed: `log ${seed}` });
      const errorOf = (recipe: Partial<Recipe>): number =>
        runCell({ figure: 0, recipe: { ...base, ...recipe }, seed }, split, demo).error;
      const at = (rate: number): Partial<Recipe> => ({
        epsilon: 3,
        privateTraining: { ...baseline.privateTraining, rate },
      });
      const gradients = errorOf({ ...at(3), method: 'dp-sgd' });
      const hybrid = errorOf({ ...at(0.15), method: 'hybrid', labelShare: 0.8 });
      return (100 * (gradients - hybrid)) / errorOf({});
    });
    const { mean, error } = meanWithError(leads);
    expect(mean).toBeGreaterThan(LOG_SIGMAS * error);
  });

  test('de-biased labels are calibrated, plain ones are not', () => {
    const at = (debiased: boolean): readonly number[] =>
      calibrationOf({ method: 'rr', debiased, epsilon: 2 });
    expectBelow(at(true), 1.25);
    expectBelow(
      at(true).map((calibration) => -calibration),
      -0.75,
    );
    expectBelow(
      at(false).map((calibration) => -calibration),
      -2,
    );
  });

  test('noisy sums are worse than randomized response', () => {
    // The sums need a larger rate.
    const sums: Partial<Recipe> = { method: 'label-sums', training: { ...baseline.training, rate: 0.05 } };
    expectBelow(lossOf({ method: 'rr', epsilon: 3 }), lossOf({ ...sums, epsilon: 3 }));
  });
});

describe('values, of three times as many users', () => {
  const base = {
    ...valueBaseline,
    training: { ...valueBaseline.training, rate: 0.02 },
    examples: 'conversions',
  } as const;
  const measured = measureOn(demoSplit({ ...demo, users: 3 * demo.users }), base);
  const lossOf = measured(({ error }, withoutNoise) => relativeLoss(error, withoutNoise.error));
  const labelErrorOf = measured(({ labelError }) => labelError ?? NaN);

  test('the unbiased randomizer has the smaller test loss, and bins the smaller label error', () => {
    const at = (method: Recipe['method']): Partial<Recipe> => ({
      method,
      prior: 'split-budget',
      debiased: false,
      epsilon: 4,
    });
    expectBelow(lossOf(at('unbiased')), lossOf(at('rr-on-bins')));
    expectBelow(labelErrorOf(at('rr-on-bins')), labelErrorOf(at('unbiased')));
  });
});
