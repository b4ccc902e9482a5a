import { cellsOf } from '../../../analysis/learn/cells';
import { demoExperiment } from '../../../analysis/learn/demo-experiment';
import { parseExperiment, type Experiment } from '../../../analysis/learn/experiment';
import { demoSplit, runCell } from '../../../analysis/learn/run-cell';
import { passesOf, trainingOf } from '../../../analysis/learn/same-training';
import type { Json } from '../../../src/model/json';

function experimentOf(json: Json): Experiment {
  const { value } = parseExperiment(json);
  if (value === null) throw new Error('the experiment is not valid');
  return value;
}

test('trainings with the same text have the same result, and others have another', () => {
  const experiment = experimentOf({
    ...{ seed: 'same', seeds: 2, users: 600, label_share: [0, 0.5] },
    ...{ training: { epochs: 1 }, private_training: { batch: 256, epochs: 1 } },
    figures: [
      { title: 'One', methods: ['rr', 'dp-sgd', 'hybrid'], epsilons: [1, 2] },
      { title: 'Another', methods: ['rr'], units: ['impression', 'user'], caps: [1], epsilons: [2] },
    ],
  });
  const split = demoSplit(experiment);
  const results = new Map<string, Set<string>>();
  const cells = cellsOf(experiment).filter(({ recipe }) => recipe.method !== 'none');
  for (const cell of cells) {
    const text = trainingOf(cell);
    const found = results.get(text) ?? new Set();
    results.set(text, found.add(JSON.stringify(runCell(cell, split, experiment))));
  }
  // `rr` at ε = 2 is in both figures, and `hybrid` without labels is `dp-sgd`, at each ε: for each of two seeds.
  expect(results.size).toBe(cells.length - 2 - 2 * 2);
  expect([...results.values()].map(({ size }) => size)).toEqual([...results.values()].map(() => 1));
  expect(new Set([...results.values()].flatMap((all) => [...all])).size).toBe(results.size);
});

test('the demo trains each of its models once', () => {
  const cells = cellsOf(experimentOf(demoExperiment));
  const distinct = [...new Map(cells.map((cell) => [trainingOf(cell), cell])).values()];
  expect([cells.length, distinct.length]).toEqual([738, 648]);
});

describe('the passes of a training', () => {
  const category = (role: 'known' | 'sensitive', buckets: number) => ({ name: role, role, buckets });
  const fields = {
    label: 'value' as const,
    categories: [category('known', 500), category('sensitive', 499)],
    numbers: [],
  };
  const passes = (method: string, more: object = {}, schedules: object = {}): readonly number[] => {
    const label = method === 'feature-sums' ? 'value' : 'conversion';
    const loss = label === 'value' ? { loss: 'squared' } : {};
    const figure = { title: 'One', label, ...loss, methods: [method], epsilons: [1], ...more };
    const experiment = experimentOf({ seed: 'passes', seeds: 1, ...schedules, figures: [figure] });
    const cells = cellsOf(experiment).filter(({ recipe }) => recipe.method === method);
    return cells.map((cell) => passesOf(cell, { count: 10_000, fields }));
  };
  const training = { steps: 1000, batch: 100 };

  test.each<[string, string, object, object, number]>([
    ['epochs', 'rr', {}, { training: { epochs: 6 } }, 6],
    ['steps', 'rr', {}, { training }, 10],
    ['steps, of a network', 'rr', { model: 'network' }, { training }, 90],
    ['private steps', 'dp-sgd', {}, { private_training: training }, 10],
    ['epochs on conversions', 'rr', { examples: 'conversions' }, { training: { epochs: 6 } }, 1.5],
    ['steps on conversions', 'rr', { examples: 'conversions' }, { training }, 10],
    ['epochs of both phases', 'hybrid', {}, {}, 12],
    ['epochs of stages', 'rr-with-prior', { stages: 3 }, {}, 8],
    ['epochs of stages with all examples', 'rr-with-prior', { stages: 3, stage_split: 'budget' }, {}, 12],
    ['steps of stages', 'rr-with-prior', { stages: 3 }, { training }, 30],
    ['epochs of teachers', 'pate', {}, {}, 4],
    ['steps of teachers and student', 'pate', {}, { training }, (10 * 51) / 16],
    ['epochs of sums', 'label-sums', {}, {}, 12],
    // 500²/2·(500 + 500/3) multiplications.
    ['sums of features', 'feature-sums', {}, {}, 3 + (125_000 * (2000 / 3)) / 125 / 10_000],
  ])('with %s', (_, method, more, schedules, expected) => {
    expect(passes(method, more, schedules)).toEqual([expect.closeTo(expected, 9)]);
  });
});
