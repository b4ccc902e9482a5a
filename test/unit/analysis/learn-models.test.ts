import { cellsOf } from '../../../analysis/learn/cells';
import { demoLog } from '../../../analysis/learn/demo-log';
import {
  labelledExamples,
  selectRows,
  splitByTime,
  withLabels,
  withoutSensitive,
  type Examples,
} from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { lossOf, type LossKind } from '../../../analysis/learn/loss';
import { metricsOf, relativeLoss } from '../../../analysis/learn/metrics';
import { meanWithError } from '../../../analysis/report/mean-with-error';
import type { Model } from '../../../analysis/learn/model';
import { DEFAULT_SIZE, NetworkModel, type NetworkSize } from '../../../analysis/learn/network-model';
import { newModel, predict, type ModelKind } from '../../../analysis/learn/new-model';
import { cosineDecay, optimiser, type OptimiserKind } from '../../../analysis/learn/optimiser';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { meanSlopes, slopesOf, stepsOf, train } from '../../../analysis/learn/train';
import { lossWeights, responseLossWeights } from '../../../analysis/estimate/likelihood/training-weights';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { accepted } from '../helpers/parsing';
import { isLong } from '../helpers/is-long';

const random = (stream = 0): RandomNumbers => new RandomNumbers(seededRandomSource('learn', stream));
const log = labelledExamples(demoLog('models', 400).examples, 'conversion');
const rows = Int32Array.from({ length: 40 }, (_, row) => row * 7);
const small: NetworkSize = { embedding: 'fourth-root', layers: [12, 9] };
const kinds: readonly (readonly [string, ModelKind, NetworkSize])[] = [
  ['logistic', 'logistic', DEFAULT_SIZE],
  ['network', 'network', DEFAULT_SIZE],
  ...(isLong ? [['network of another size', 'network', small] as const] : []),
];
const PARTS = 5;
const losses: readonly LossKind[] = ['cross-entropy', 'squared', 'poisson'];

/** The log with two numeric features, of which the demo has none. */
const withNumbers: Examples = {
  ...log,
  fields: {
    ...log.fields,
    numbers: [
      { name: 'price', role: 'known' },
      { name: 'recency', role: 'sensitive' },
    ],
  },
  numbers: Float32Array.from({ length: 2 * log.count }, (_, index) => Math.sin(index)),
};

function shaken(kind: ModelKind, size: NetworkSize, examples: Examples): Model {
  const model = newModel(kind, examples.fields, random(1), size);
  const numbers = random(2);
  model.parameters.forEach((value, index) => (model.parameters[index] = value + 0.1 * numbers.normal()));
  return model;
}

function meanLoss(model: Model, examples: Examples, loss: LossKind): number {
  const outputs = new Float32Array(rows.length);
  model.forward(examples, rows, outputs);
  return (
    outputs.reduce(
      (sum, output, index) => sum + lossOf(loss, output, examples.labels[rows[index] ?? 0] ?? 0),
      0,
    ) / rows.length
  );
}

describe.each(kinds)('%s', (_, kind, size) => {
  test.each(losses)('the gradient of the %s loss agrees with finite differences', (loss) => {
    const examples = withLabels(
      withNumbers,
      withNumbers.labels.map((_, row) => (row % 3) - 0.4),
    );
    const model = shaken(kind, size, examples);
    const gradient = new Float32Array(model.parameters.length);
    model.backward(meanSlopes(model, examples, rows, loss));
    model.accumulate(null, gradient);
    const numbers = random(3);
    // Some parameters at a time, along about their gradient: single precision is too coarse for single ones.
    for (let part = 0; part < PARTS; part++) {
      const direction = gradient.map((value, i) =>
        i % PARTS === part ? value * (1 + 0.5 * numbers.normal()) : 0,
      );
      const before = model.parameters.slice();
      const step = 0.01 / Math.hypot(...direction);
      const moved = (by: number): number => {
        before.forEach((value, i) => (model.parameters[i] = value + by * (direction[i] ?? 0)));
        return meanLoss(model, examples, loss);
      };
      const slope = (moved(step) - moved(-step)) / (2 * step);
      model.parameters.set(before);
      const expected = gradient.reduce((sum, value, i) => sum + value * (direction[i] ?? 0), 0);
      expect(Math.abs(slope / expected - 1)).toBeLessThan(0.02);
    }
  });

  test('norms of examples are those of their gradients, taken one at a time', () => {
    const model = shaken(kind, size, withNumbers);
    const norms = new Float64Array(rows.length);
    model.backward(slopesOf(model, withNumbers, rows, 'cross-entropy'));
    model.squaredNorms(norms);
    rows.forEach((row, index) => {
      const gradient = new Float32Array(model.parameters.length);
      model.backward(slopesOf(model, withNumbers, Int32Array.of(row), 'cross-entropy'));
      model.accumulate(null, gradient);
      const expected = gradient.reduce((sum, value) => sum + value * value, 0);
      expect(Math.abs((norms[index] ?? 0) / expected - 1)).toBeLessThan(1e-4);
    });
  });

  test('factors scale the gradient of each example', () => {
    const model = shaken(kind, size, withNumbers);
    const factors = Float32Array.from(rows, (_, index) => index / 10);
    const together = new Float32Array(model.parameters.length);
    model.backward(slopesOf(model, withNumbers, rows, 'cross-entropy'));
    model.accumulate(factors, together);
    const apart = new Float32Array(model.parameters.length);
    rows.forEach((row, index) => {
      model.backward(slopesOf(model, withNumbers, Int32Array.of(row), 'cross-entropy'));
      model.accumulate(Float32Array.of(factors[index] ?? 0), apart);
    });
    together.forEach((value, i) => expect(Math.abs(value - (apart[i] ?? 0))).toBeLessThan(1e-3));
  });

  test('what is hidden has no influence', () => {
    const hidden = withoutSensitive(withNumbers);
    const other: Examples = {
      ...withNumbers,
      categories: withNumbers.categories.map((bucket, index) => (index % 9 >= 7 ? 0 : bucket)),
      numbers: withNumbers.numbers.map((value, index) => (index % 2 === 1 ? 7 : value)),
    };
    const model = shaken(kind, size, withNumbers);
    expect(predict(model, withoutSensitive(other))).toEqual(predict(model, hidden));
    expect(predict(model, other)).not.toEqual(predict(model, withNumbers));
  });

  test('columns without what is hidden are not copied, and the others do not change', () => {
    const { fields } = withNumbers;
    const known = fields.categories.map((field) => ({ ...field, role: 'known' as const }));
    const examples: Examples = { ...withNumbers, fields: { ...fields, categories: known } };
    const before = [...examples.numbers];
    const hidden = withoutSensitive(examples);
    expect(hidden.categories).toBe(examples.categories);
    expect([...hidden.numbers]).not.toEqual(before);
    expect([...examples.numbers]).toEqual(before);
  });

  test.each<OptimiserKind>(['sgd', 'rmsprop', 'adam', 'yogi'])(
    '%s trains, and the same for a seed',
    (kindOfStep) => {
      const settings = {
        loss: 'cross-entropy',
        optimiser: kindOfStep,
        rate: 0.02,
        batch: 64,
        epochs: 3,
        dropout: 0,
      } as const;
      const trained = (): Model => {
        const model = newModel(kind, log.fields, random(4), size);
        train(model, log, settings, random(5));
        return model;
      };
      const model = trained();
      expect(model.parameters).toEqual(trained().parameters);
      const untrained = newModel(kind, log.fields, random(4), size);
      const before = metricsOf('cross-entropy', predict(untrained, log), log.labels, 1);
      const after = metricsOf('cross-entropy', predict(model, log), log.labels, 1);
      expect(after.logLoss ?? NaN).toBeLessThan(before.logLoss ?? NaN);
      expect(after.auc).toBeGreaterThan(0.6);
    },
  );
});

test('embeddings have 2·∜V numbers for V values, and layers the sizes that are given', () => {
  const fields = {
    label: 'conversion' as const,
    categories: [1, 16, 81, 100_000].map((buckets) => ({ name: '', role: 'known' as const, buckets })),
    numbers: [{ name: '', role: 'known' as const }],
  };
  const { parameters } = new NetworkModel(fields, random(1), { embedding: 'fourth-root', layers: [5, 3] });
  const [inputs, embeddings] = [2 + 4 + 6 + 35 + 1, 2 * 1 + 4 * 16 + 6 * 81 + 35 * 100_000];
  expect(parameters).toHaveLength(embeddings + (inputs + 1) * 5 + (5 + 1) * 3 + (3 + 1));
});

describe('the made-up log of interactions', () => {
  const { training, test: measured } = splitByTime(
    labelledExamples(demoLog('interactions', 4000, 'interactions').examples, 'conversion'),
    { training: 0.8, validation: 0.1 },
  );
  const aucOf = (kind: ModelKind, rate: number): number => {
    const model = newModel(kind, training.fields, random(6), { embedding: 8, layers: [32] });
    train(
      model,
      training,
      { loss: 'cross-entropy', optimiser: 'adam', rate, batch: 128, epochs: 8, dropout: 0 },
      random(7),
    );
    return metricsOf('cross-entropy', predict(model, measured), measured.labels, 1).auc ?? NaN;
  };

  test('has no pairs of values, and is learnt by a network far better than by logistic regression', () => {
    expect(training.fields.categories.map(({ name }) => name)).toEqual([
      ...['campaign', 'publisher', 'device', 'position', 'hour', 'visits', 'basket'],
    ]);
    const logistic = Math.max(...[0.003, 0.01, 0.03].map((rate) => aucOf('logistic', rate)));
    expect(aucOf('network', 0.03)).toBeGreaterThan(logistic + 0.05);
  });
});

test('the loss of a de-biased label is the weighted sum of the losses of all labels', () => {
  const { own, other } = responseLossWeights(2, epsilonOf(1));
  const weights = [own, other];
  // Observed 0: label 0 has the weight `own`.
  const label = weights.reduce((sum, weight, value) => sum + weight * value, 0);
  for (const loss of ['cross-entropy', 'poisson'] as const)
    for (const output of [-3, -0.5, 0, 2]) {
      const weighted = weights.reduce((sum, weight, value) => sum + weight * lossOf(loss, output, value), 0);
      expect(lossOf(loss, output, label)).toBeCloseTo(weighted, 10);
    }
  const keep = Math.exp(1) / (1 + Math.exp(1));
  expect(
    lossWeights([
      [keep, 1 - keep],
      [1 - keep, keep],
    ])[0]?.[0],
  ).toBeCloseTo(own, 10);
});

test('Adam takes its first step by the rate in every direction', () => {
  const parameters = Float32Array.of(1, 1, 1);
  optimiser('adam', parameters)(Float32Array.of(5, -0.1, 0), 0.25);
  [0.75, 1.25, 1].forEach((expected, i) => expect(parameters[i]).toBeCloseTo(expected, 5));
  expect(cosineDecay(2, 0, 10)).toBe(2);
  expect(cosineDecay(2, 5, 10)).toBeCloseTo(1, 12);
  expect(cosineDecay(2, 10, 10)).toBeCloseTo(0, 12);
});

test('metrics of a small case, by hand', () => {
  const outputs = Float32Array.of(0, 0, Math.log(3), -Math.log(3));
  const labels = Float32Array.of(1, 0, 1, 0);
  const metrics = metricsOf('cross-entropy', outputs, labels, 1);
  const { logLoss } = metrics;
  expect(metrics).toMatchObject({ auc: 0.875, error: 0.125 });
  expect(logLoss).toBeCloseTo((2 * Math.log(2) + 2 * Math.log(4 / 3)) / 4, 6);
  expect(metrics.normalisedEntropy).toBeCloseTo((logLoss ?? NaN) / Math.log(2), 6);
  expect(metrics.calibration).toBeCloseTo(1, 6);
  // Errors of 1/2, 1/2, 1/4 and 1/4.
  expect(metrics.squaredError).toBeCloseTo(0.15625, 6);
  expect(relativeLoss(0.3, 0.2)).toBeCloseTo(50, 10);
  expect(meanWithError([1, 3])).toEqual({ mean: 2, error: 1 });
  expect(() => metricsOf('cross-entropy', outputs, new Float32Array(4), 1)).toThrow('both kinds, 0 of 4');
});

test('the split is by time, and a label that was not known in time is 0', () => {
  const examples = selectRows(log, Int32Array.of(3, 0, 2, 1));
  const late: Examples = {
    ...examples,
    labels: Float32Array.of(1, 1, 1, 1),
    times: Float64Array.of(30, 0, 20, 10),
    delays: Float64Array.of(5, 5, 5, 50),
  };
  const { training, validation, test } = splitByTime(late, { training: 0.5, validation: 0.25 });
  expect([...training.times]).toEqual([0, 10]);
  expect([...training.labels]).toEqual([1, 0]);
  expect([...validation.labels]).toEqual([0]);
  expect([...test.labels]).toEqual([1]);
});

test('a schedule has epochs, or as many steps for any number of examples', () => {
  const figures = [{ title: 'Steps', methods: ['rr', 'dp-sgd'], epsilons: [1] }];
  const schedule = { steps: [7, 9], batch: 10 };
  const parsed = parseExperiment({ training: schedule, private_training: schedule, figures });
  const found = cellsOf(accepted(parsed)).map(({ recipe: { method, training, privateTraining } }) => {
    const settings = method === 'dp-sgd' ? privateTraining : training;
    return [method, stepsOf(10, settings), stepsOf(1000, settings)].join(' ');
  });
  expect([...new Set(found)].sort()).toEqual([
    ...['dp-sgd 7 7', 'dp-sgd 9 9', 'none 7 7', 'none 9 9', 'rr 7 7', 'rr 9 9'],
  ]);
  expect(parseExperiment({ training: { ...schedule, epochs: 3 }, figures }).errors).toEqual([
    expect.objectContaining({ path: 'training.steps', code: 'field-beside' }),
  ]);
});

test('metrics of values are in the units of the labels', () => {
  const [outputs, labels] = [Float32Array.of(1, 2, 0), Float32Array.of(10, 30, 5)];
  // Predictions of 10, 20 and 0.
  expect(metricsOf('squared', outputs, labels, 10)).toMatchObject({
    squaredError: 125 / 3,
    error: 125 / 3,
    calibration: 30 / 45,
    auc: null,
  });
  expect(() => metricsOf('squared', outputs, new Float32Array(3), 10)).toThrow(
    'must not all be 0, as these 3',
  );
});

test('the made-up log has its stated rate of conversions and values, and the same for a seed', () => {
  for (const seed of ['rate', 'other']) {
    const { examples, truth } = demoLog(seed, 4000);
    const conversions = labelledExamples(examples, 'conversion').labels.reduce(
      (sum, label) => sum + label,
      0,
    );
    const expected = truth.reduce((sum, chance) => sum + chance, 0);
    // Five and a half standard deviations: a false alarm has a probability below 1e-7.
    expect(Math.abs(conversions - expected)).toBeLessThan(5.5 * Math.sqrt(expected));
    // The constant is set by a sample, and users with many impressions differ in their interests.
    expect(Math.abs(expected / examples.count - 0.067)).toBeLessThan(0.005);
    const values = labelledExamples(examples, 'value', 'conversions').labels;
    expect(values).toHaveLength(conversions);
    expect(values.every((value) => value >= 1 && value <= 400)).toBe(true);
  }
  expect(demoLog('rate', 50).examples).toEqual(demoLog('rate', 50).examples);
  expect(() => labelledExamples(demoLog('rate', 50).examples, 'number')).toThrow(
    'a figure has the label number, but the labels of the data are of the kind value',
  );
});
