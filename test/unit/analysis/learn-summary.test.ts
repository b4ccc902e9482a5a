import { cellsOf, type Cell } from '../../../analysis/learn/cells';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { demoSplit, runCell, type CellResult } from '../../../analysis/learn/run-cell';
import { baselinesOf, linesOf, rowsOf } from '../../../analysis/learn/summary';

const { value: experiment } = parseExperiment({
  seeds: 2,
  training: { rate: [0.1, 0.2] },
  private_training: { rate: [1, 2] },
  label_share: [0.6, 0.8],
  figures: [{ title: 'Rates', methods: ['rr', 'dp-sgd', 'hybrid'], epsilons: [1] }],
});
if (experiment === null) throw new Error('the experiment must parse');
const [figure] = experiment.figures;
if (figure === undefined) throw new Error('there must be a figure');
const cells = cellsOf(experiment);

/** Results where the rate 0.2, the private rate 1 and the share 0.8 look better on validation data, and worse on test data. */
const resultOf = ({ recipe, seed }: Cell): CellResult => {
  const looks =
    (recipe.training.rate === 0.2 ? 0 : 0.1) +
    (recipe.privateTraining.rate === 1 ? 0 : 0.1) +
    (recipe.method === 'hybrid' && recipe.labelShare === 0.6 ? 0.1 : 0);
  const error = 0.5 - looks - (recipe.method === 'none' ? 0.1 : 0) + seed / 100;
  return {
    error,
    squaredError: 0,
    calibration: 1,
    auc: 1 - error,
    logLoss: 0,
    normalisedEntropy: 0,
    validationError: looks,
    labelError: null,
    noisyShare: null,
    spentEpsilon: 1,
    spentDelta: 0,
  };
};

test('each method is trained with the rates and shares that matter to it', () => {
  const count = (method: string): number => cells.filter(({ recipe }) => recipe.method === method).length;
  expect(['none', 'rr', 'dp-sgd', 'hybrid'].map(count)).toEqual([4, 4, 4, 16]);
});

test('lists of optimisers, batches, epochs and clips multiply, for the phases that they matter to', () => {
  const { value } = parseExperiment({
    seeds: 1,
    training: { optimiser: ['adam', 'yogi'], batch: [64, 256], epochs: 2 },
    private_training: { optimiser: 'sgd', epochs: [4, 8], clip: [1, 3, 9] },
    figures: [{ title: 'Lists', methods: ['rr', 'dp-sgd', 'hybrid'], epsilons: [1] }],
  });
  if (value === null) throw new Error('the experiment must parse');
  const recipesOf = (method: string): readonly Cell['recipe'][] =>
    cellsOf(value).flatMap(({ recipe }) => (recipe.method === method ? [recipe] : []));
  expect(['none', 'rr', 'dp-sgd', 'hybrid'].map((method) => recipesOf(method).length)).toEqual([4, 4, 6, 24]);
  expect(
    recipesOf('rr').map(({ training: { optimiser, batch, epochs } }) => [optimiser, batch, epochs]),
  ).toEqual([
    ['adam', 64, 2],
    ['adam', 256, 2],
    ['yogi', 64, 2],
    ['yogi', 256, 2],
  ]);
  expect(recipesOf('dp-sgd').map(({ privateTraining: { epochs, clip } }) => [epochs, clip])).toEqual([
    [4, 1],
    [4, 3],
    [4, 9],
    [8, 1],
    [8, 3],
    [8, 9],
  ]);
  // The combination that looks best is the one of the baseline, too, whatever its rate is.
  const chosen = cellsOf(value);
  const rows = rowsOf(
    chosen,
    chosen.map((cell) => ({
      ...resultOf(cell),
      validationError: cell.recipe.training.optimiser === 'yogi' && cell.recipe.training.batch === 64 ? 0 : 1,
    })),
  );
  const [baseline] = baselinesOf(rows);
  expect(baseline?.recipe.training).toMatchObject({ optimiser: 'yogi', batch: 64 });
  expect(baseline?.loss.mean).toBe(0);
});

test.each([
  // ε for labels is 0, 0.6, 0.8 and 1: without a phase, its rate does not matter.
  [1, [1 * 2, 2 * 2, 2 * 2, 2 * 1]],
  // 0, and three times 3.
  [5, [1 * 2, 2 * 2]],
] as const)('at ε = %d, each hybrid is trained once', (epsilon, trainings) => {
  const shares = [0, 0.6, 0.8, 1];
  const figures = [{ ...figure, methods: ['hybrid'] as const, epsilons: [epsilon] }];
  const hybrids = cellsOf({ ...experiment, seeds: 1, labelShares: shares, figures }).filter(
    ({ recipe }) => recipe.method === 'hybrid',
  );
  const counts = shares.map((share) => hybrids.filter(({ recipe }) => recipe.labelShare === share).length);
  expect(counts.filter((count) => count > 0)).toEqual(trainings);
});

test('points and baselines take the rates that are best on validation data', () => {
  const rows = rowsOf(cells, cells.map(resultOf));
  const [baseline, ...others] = baselinesOf(rows);
  expect(others).toEqual([]);
  expect(baseline?.recipe.training.rate).toBe(0.2);
  const points = linesOf(rows, figure, 0).flatMap((line) => line.points);
  expect(points.map(({ recipe }) => recipe.privateTraining.rate)).toEqual([1, 1, 1]);
  // dp-sgd does not use the first rate, and has the first of the list.
  expect(points.map(({ recipe }) => recipe.training.rate)).toEqual([0.2, 0.1, 0.2]);
  expect(points.map(({ recipe }) => recipe.labelShare)).toEqual([0.6, 0.6, 0.8]);
  // Against errors of 0.4 and 0.41 for the two seeds.
  expect(points[0]?.loss.mean).toBeCloseTo((25 + 10 / 0.41) / 2, 9);
});

test.each(['conversion', 'value'] as const)(
  'for each %s, points are chosen by the measure that figures show',
  (label) => {
    const { value } = parseExperiment({
      ...{ seeds: 1, users: 300, training: { rate: [0.001, 0.05, 2] } },
      figures: [
        {
          title: 'Rates',
          label,
          methods: [label === 'value' ? 'unbiased' : 'rr'],
          epsilons: [3],
        },
      ],
    });
    const [shown] = value?.figures ?? [];
    if (value === null || shown === undefined) throw new Error('the experiment must parse');
    const split = demoSplit(value);
    // Where validation data are the test data, the best candidate is the one with the least loss shown.
    const same = { ...split, validation: split.test };
    const trained = cellsOf(value);
    const results = trained.map((cell) => runCell(cell, same, value));
    for (const { validationError, error } of results) expect(validationError).toBe(error);
    const rows = rowsOf(trained, results);
    const candidates = rows.filter(({ cell }) => cell.figure === 0).map(({ relativeLoss }) => relativeLoss);
    expect(new Set(candidates).size).toBeGreaterThan(1);
    const points = linesOf(rows, shown, 0).flatMap((line) => line.points);
    expect(points.map(({ loss }) => loss.mean)).toEqual([Math.min(...candidates)]);
  },
);
