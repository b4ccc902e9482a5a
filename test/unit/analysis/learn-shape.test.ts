import { cellsOf } from '../../../analysis/learn/cells';
import { demoExperiment } from '../../../analysis/learn/demo-experiment';
import { parseExperiment } from '../../../analysis/learn/experiment';
import type { Recipe } from '../../../analysis/learn/recipe';
import { relativeLoss } from '../../../analysis/learn/metrics';
import { demoSplit, runCell, type CellResult } from '../../../analysis/learn/run-cell';

/* Two of the findings of test/soak/learn-shape.test.ts, which takes minutes. The seed is fixed. */

const { value: experiment } = parseExperiment(demoExperiment);
if (experiment === null) throw new Error('the demo must parse');
const demo = experiment;
const split = demoSplit(demo);
const [baseline] = cellsOf(demo);
if (baseline === undefined) throw new Error('the demo must have a baseline');
const { recipe } = baseline;

const results = new Map<string, CellResult>();

function resultOf(given: Partial<Recipe>): CellResult {
  const key = JSON.stringify(given);
  const result =
    results.get(key) ?? runCell({ figure: 0, recipe: { ...recipe, ...given }, seed: 0 }, split, demo);
  results.set(key, result);
  return result;
}

const lossOf = (given: Partial<Recipe>): number => relativeLoss(resultOf(given).error, resultOf({}).error);

test('without the sensitive features, less noise stops helping', () => {
  const known = (epsilon: number): number => lossOf({ method: 'rr', features: 'known', epsilon });
  expect(known(50)).toBeGreaterThan(8);
  expect(known(10) - known(50)).toBeLessThan(2);
});

test('de-biased labels are calibrated, plain ones are not', () => {
  const calibration = (debiased: boolean): number =>
    resultOf({ method: 'rr', debiased, epsilon: 2 }).calibration;
  expect(Math.abs(calibration(true) - 1)).toBeLessThan(0.25);
  expect(calibration(false)).toBeGreaterThan(2);
});
