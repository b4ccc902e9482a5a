import { cellsOf } from '../../../analysis/learn/cells';
import { demoExperiment } from '../../../analysis/learn/demo-experiment';
import { parseExperiment, type Experiment } from '../../../analysis/learn/experiment';
import { demoSplit, runCell } from '../../../analysis/learn/run-cell';
import { trainingOf } from '../../../analysis/learn/same-training';
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
