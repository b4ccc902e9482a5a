import { cellsOf } from '../../../analysis/learn/cells';
import { demoLog } from '../../../analysis/learn/demo-log';
import { builtIn } from '../../../analysis/learn/engine';
import { labelledExamples, selectRows } from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { lossOf } from '../../../analysis/learn/loss';
import { NetworkModel } from '../../../analysis/learn/network-model';
import { predict } from '../../../analysis/learn/new-model';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { meanSlopes, slopesOf, train } from '../../../analysis/learn/train';
import { seededRandomSource } from '../../../analysis/random/sources';

const random = (stream: number): RandomNumbers => new RandomNumbers(seededRandomSource('dropout', stream));
const rows = Int32Array.from({ length: 40 }, (_, row) => row);
const examples = selectRows(labelledExamples(demoLog('dropout', 200).examples, 'conversion'), rows);

function network(layers: readonly number[]): NetworkModel {
  const model = new NetworkModel(examples.fields, random(0), { embedding: 6, layers });
  const numbers = random(1);
  model.parameters.forEach((value, index) => (model.parameters[index] = value + 0.1 * numbers.normal()));
  return model;
}

const SHARE = 0.4;

/** Leaves out the same units in each call. */
const withSameUnits = (model: NetworkModel): void => model.drop({ share: SHARE, random: random(2) });

test('with the same units left out, the gradient agrees with finite differences', () => {
  const model = network([24, 12]);
  const gradient = new Float32Array(model.parameters.length);
  withSameUnits(model);
  model.backward(meanSlopes(model, examples, rows, 'cross-entropy'));
  model.accumulate(null, gradient);
  const before = model.parameters.slice();
  const step = 0.01 / Math.hypot(...gradient);
  const moved = (by: number): number => {
    before.forEach((value, i) => (model.parameters[i] = value + by * (gradient[i] ?? 0)));
    withSameUnits(model);
    const outputs = new Float32Array(rows.length);
    model.forward(examples, rows, outputs);
    return outputs.reduce(
      (sum, output, row) => sum + lossOf('cross-entropy', output, examples.labels[row] ?? 0) / rows.length,
      0,
    );
  };
  const slope = (moved(step) - moved(-step)) / (2 * step);
  const expected = gradient.reduce((sum, value) => sum + value * value, 0);
  expect(Math.abs(slope / expected - 1)).toBeLessThan(0.02);
});

test('norms of examples are those of their gradients, with the same units left out', () => {
  const model = network([24, 12]);
  const norms = new Float64Array(rows.length);
  withSameUnits(model);
  model.backward(slopesOf(model, examples, rows, 'cross-entropy'));
  model.squaredNorms(norms);
  const sums = rows.map((index) => {
    const gradient = new Float32Array(model.parameters.length);
    withSameUnits(model);
    model.backward(slopesOf(model, examples, rows, 'cross-entropy'));
    model.accumulate(
      Float32Array.from(rows, (row) => Number(row === index)),
      gradient,
    );
    return index < 0 ? 0 : Math.round(1e6 * gradient.reduce((sum, value) => sum + value * value, 0));
  });
  sums.forEach((expected, row) =>
    expect(Math.abs(1e6 * (norms[row] ?? 0) - expected)).toBeLessThan(1 + 1e-3 * expected),
  );
});

test('units are left out with the stated probability, and the mean of the outputs stays', () => {
  // One hidden layer: outputs are linear in what is left out.
  const model = network([30]);
  const exact = predict(model, examples);
  const DRAWS = 4000;
  const numbers = random(3);
  const sums = new Float64Array(rows.length);
  const squares = new Float64Array(rows.length);
  model.drop({ share: SHARE, random: numbers });
  const outputs = new Float32Array(rows.length);
  for (let draw = 0; draw < DRAWS; draw++) {
    model.forward(examples, rows, outputs);
    outputs.forEach((output, row) => {
      sums[row] = (sums[row] ?? 0) + output;
      squares[row] = (squares[row] ?? 0) + (output - (exact[row] ?? 0)) ** 2;
    });
  }
  exact.forEach((expected, row) => {
    const error = Math.sqrt((squares[row] ?? 0) / DRAWS / DRAWS);
    expect(error).toBeGreaterThan(0);
    // Six standard errors: below 1e-7 for all 40 together.
    expect(Math.abs((sums[row] ?? 0) / DRAWS - expected)).toBeLessThan(6 * error);
  });
});

test.each(['train', 'privateSteps'] as const)('%s leaves units out, and nothing afterwards', (phase) => {
  const settings = {
    loss: 'cross-entropy',
    optimiser: 'sgd',
    rate: 0.1,
    batch: 40,
    epochs: 3,
    clip: 1,
    sampling: 'poisson',
    threshold: 0,
  } as const;
  const trained = (dropout: number): NetworkModel => {
    const model = network([24]);
    if (phase === 'train') train(model, examples, { ...settings, dropout }, random(4));
    else
      builtIn.privateSteps(
        model,
        examples,
        { ...settings, dropout },
        { rate: 1, draws: null, steps: 3, deviation: 0, selection: null },
        random(4),
      );
    return model;
  };
  expect(trained(0.5).parameters).not.toEqual(trained(0).parameters);
  const model = trained(0.5);
  expect(predict(model, examples)).toEqual(predict(model, examples));
});

test('shares multiply trainings of networks alone', () => {
  const figure = { title: 'Dropout', methods: ['rr', 'dp-sgd'], epsilons: [1] };
  const read = (figures: readonly object[]): ReturnType<typeof parseExperiment> =>
    parseExperiment(
      JSON.parse(
        JSON.stringify({
          ...{ seeds: 1, training: { dropout: [0, 0.2, 0.5] }, private_training: { dropout: [0, 0.1] } },
          figures,
        }),
      ) as Parameters<typeof parseExperiment>[0],
    );
  const { value } = read([figure, { ...figure, model: 'network' }]);
  if (value === null) throw new Error('the experiment must parse');
  const sharesOf = (figureIndex: number, method: string): readonly number[] =>
    cellsOf(value).flatMap(({ figure: at, recipe }) =>
      at === figureIndex && recipe.method === method
        ? [method === 'rr' ? recipe.training.dropout : recipe.privateTraining.dropout]
        : [],
    );
  expect(sharesOf(0, 'rr')).toEqual([0]);
  expect(sharesOf(1, 'rr')).toEqual([0, 0.2, 0.5]);
  expect(sharesOf(0, 'dp-sgd')).toEqual([0]);
  expect(sharesOf(1, 'dp-sgd')).toEqual([0, 0.1]);
  // Without a network it would do nothing.
  expect(read([figure]).errors.map(({ path }) => path)).toEqual([
    'training.dropout',
    'private_training.dropout',
  ]);
});
