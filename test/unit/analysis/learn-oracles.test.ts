import { fittedOdds } from '../../../analysis/experiment/tasks/fitted-odds';
import { fittedValues } from '../../../analysis/experiment/tasks/fitted-values';
import { demoLog } from '../../../analysis/learn/demo-log';
import { labelledExamples, selectRows, type Examples } from '../../../analysis/learn/examples';
import { metricsOf } from '../../../analysis/learn/metrics';
import { newModel, predict } from '../../../analysis/learn/new-model';
import { optimiser } from '../../../analysis/learn/optimiser';
import { PrivacyAccountant } from '../../../analysis/learn/privacy-accountant';
import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import { NoisySum } from '../../../analysis/learn/private-train';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { askTeachers } from '../../../analysis/learn/teachers';
import { meanSlopes, slopesOf, train } from '../../../analysis/learn/train';
import { gaussianLoss } from '../../../analysis/noise/gaussian-loss';
import { seededRandomSource } from '../../../analysis/random/sources';
import { cells, sumsOf } from '../helpers/feature-cells';
import { answersOf, withModule } from '../helpers/oracles';

/*
 * Compares with PyTorch, Opacus, dp-accounting and scikit-learn. scripts/oracles.mjs installs the last two for `npm test`, all four for
 * `npm run soak -- learn-oracles`, and names the Python in COINTOSS_ORACLES. What is missing is left out. One program answers all that needs
 * dp-accounting and scikit-learn, because importing them takes longest.
 */

interface TrainingAnswers {
  readonly trained: Readonly<Record<'adam' | 'sgd' | 'rmsprop', readonly number[]>>;
  readonly clippedSum: readonly number[];
}

interface AccountingAnswers {
  readonly epsilons: readonly number[];
  readonly auc: number;
  readonly logLoss: number;
  /** What logistic regression predicts. */
  readonly predictions: readonly number[];
  /** The log odds of cells of sources. */
  readonly odds: readonly number[];
  /** What a source of each cell is worth. */
  readonly values: readonly number[];
  /** ε of the sums of votes. */
  readonly votes: readonly number[];
  readonly drawnEpsilons: readonly number[];
  /** ε of discrete Gaussian noise. */
  readonly gaussians: readonly number[];
}

const COUNT = 64;
const STEPS = 10;
const RATE = 0.01;
const CLIP = 0.5;
const rows = Int32Array.from({ length: COUNT }, (_, row) => row);
const examples = selectRows(labelledExamples(demoLog('oracles', 200).examples, 'conversion'), rows);
const fresh = (): ReturnType<typeof newModel> =>
  newModel('network', examples.fields, new RandomNumbers(seededRandomSource('oracles', 0)));
const steps = [
  { rate: 0.01, deviation: 1, steps: 1000, delta: 1e-6 },
  { rate: 0.05, deviation: 0.8, steps: 200, delta: 1e-5 },
  { rate: 0.2, deviation: 4, steps: 500, delta: 1e-7 },
];
/** Draws with replacement. */
const drawn = [
  { rate: 0.01, draws: 100, deviation: 2, steps: 1, delta: 1e-6, interval: 1e-2 },
  { rate: 1, draws: 8, deviation: 6, steps: 1, delta: 1e-6, interval: 1e-2 },
  { rate: 0.01, draws: 1000, deviation: 1.742, steps: 500, delta: 1e-6, interval: 1e-3 },
];
/** Discrete Gaussian noise of a histogram, where a person changes two counts, and of a matching, where a click changes all of its edges. */
const gaussians = [0.5, 2, 8].flatMap((epsilon) =>
  [2, 5].map((changes) => {
    const deviation = Math.sqrt(changes) / gaussianLoss(epsilon, 1e-6).toNumber();
    return { epsilon, changes, deviation, delta: 1e-6 };
  }),
);
const outputs = predict(fresh(), examples);

/** Examples with two features only, of which each combination is frequent. */
const few = withFeatures(labelledExamples(demoLog('oracles', 500).examples, 'conversion'), [
  'device',
  'position',
]);

const voteEpsilons = [0.5, 2, 8];

/** How many questions teachers are asked, and the noise of the answers. */
const votes = (): readonly object[] =>
  voteEpsilons.map((epsilon, stream) => {
    const { examples: asked, deviation } = askTeachers(
      () => newModel('logistic', few.fields, new RandomNumbers(seededRandomSource('oracles', 8))),
      few,
      { unit: 'user', allocation: 'per-cap', cap: 3, epsilon, period: 30 },
      1e-6,
      { loss: 'cross-entropy', optimiser: 'adam', rate: 0.1, batch: 64, epochs: 1, dropout: 0 },
      new RandomNumbers(seededRandomSource('oracles', 9)),
      seededRandomSource('votes', stream),
      new PrivacyAccountant(1e9, 1),
    );
    return { questions: asked.count, deviation, delta: 1e-6 };
  });

function withFeatures(from: Examples, names: readonly string[]): Examples {
  const { categories } = from.fields;
  const places = names.map((name) => categories.findIndex((field) => field.name === name));
  return {
    ...from,
    fields: { ...from.fields, categories: places.flatMap((place) => categories[place] ?? []) },
    categories: Int32Array.from(categoriesOf(from).flatMap((row) => places.map((place) => row[place] ?? 0))),
  };
}

function categoriesOf({ fields, categories, count }: Examples): readonly (readonly number[])[] {
  const wide = fields.categories.length;
  return Array.from({ length: count }, (_, row) => [...categories.subarray(row * wide, (row + 1) * wide)]);
}

withModule('opacus')('PyTorch and Opacus', () => {
  let answers: TrainingAnswers;

  beforeAll(() => {
    answers = answersOf('training.py', {
      buckets: examples.fields.categories.map(({ buckets }) => buckets),
      parameters: [...fresh().parameters],
      categories: categoriesOf(examples),
      labels: [...examples.labels],
      rate: RATE,
      steps: STEPS,
      clip: CLIP,
    }) as TrainingAnswers;
  });

  const expectClose = (found: Float32Array, expected: readonly number[]): void => {
    expect(found).toHaveLength(expected.length);
    const furthest = expected.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (found[i] ?? NaN))),
      0,
    );
    expect(furthest).toBeLessThan(1e-4);
  };

  test.each(['adam', 'sgd', 'rmsprop'] as const)('have the same weights after ten steps of %s', (kind) => {
    const model = fresh();
    const step = optimiser(kind, model.parameters);
    for (let taken = 0; taken < STEPS; taken++) {
      const gradient = new Float32Array(model.parameters.length);
      model.backward(meanSlopes(model, examples, rows, 'cross-entropy'));
      model.accumulate(null, gradient);
      step(gradient, RATE);
    }
    expectClose(model.parameters, answers.trained[kind]);
  });

  test('have the same sum of clipped gradients', () => {
    const model = fresh();
    const sum = new NoisySum(model, CLIP, 0, new RandomNumbers(seededRandomSource('oracles', 1)));
    model.backward(slopesOf(model, examples, rows, 'cross-entropy'));
    const clipped = sum.next(COUNT);
    expect(sum.longest).toBeGreaterThan(CLIP * 0.999);
    const difference = Math.hypot(...answers.clippedSum.map((value, i) => value - (clipped[i] ?? NaN)));
    expect(difference / Math.hypot(...answers.clippedSum)).toBeLessThan(1e-4);
  });
});

withModule('dp_accounting')('dp-accounting and scikit-learn', () => {
  let answers: AccountingAnswers;

  beforeAll(() => {
    answers = answersOf('accounting.py', {
      steps,
      drawn,
      labels: [...examples.labels],
      outputs: [...outputs],
      regression: { categories: categoriesOf(few), labels: [...few.labels] },
      cells,
      votes: votes(),
      gaussians,
    }) as AccountingAnswers;
  });

  test('have the same ε, within one percent', () => {
    steps.forEach(({ rate, deviation, steps: count, delta }, index) => {
      const exact = answers.epsilons[index] ?? NaN;
      expect(Math.abs(privacyLossEpsilon(rate, deviation, count, delta) / exact - 1)).toBeLessThan(0.01);
    });
  });

  test('have the same ε for draws with replacement: of one step exactly, of more in both directions', () => {
    drawn.forEach(({ rate, draws, deviation, steps: count, delta }, index) => {
      const ratio =
        privacyLossEpsilon(rate, deviation, count, delta, draws) / (answers.drawnEpsilons[index] ?? NaN);
      expect(ratio).toBeGreaterThan(0.99);
      expect(ratio).toBeLessThan(count === 1 ? 1.01 : 1.1);
    });
  });

  test('have the same ε for sums of votes, or less', () => {
    expect(answers.votes).toHaveLength(voteEpsilons.length);
    answers.votes.forEach((found, index) => {
      const epsilon = voteEpsilons[index] ?? 0;
      expect(found).toBeLessThanOrEqual(epsilon);
      expect(found).toBeGreaterThan(0.6 * epsilon);
    });
  });

  test('have the same ε for discrete Gaussian noise, or less', () => {
    expect(answers.gaussians).toHaveLength(gaussians.length);
    answers.gaussians.forEach((found, index) => {
      const epsilon = gaussians[index]?.epsilon ?? 0;
      expect(found).toBeLessThanOrEqual(epsilon);
      expect(found).toBeGreaterThan(0.6 * epsilon);
    });
  });

  test('have the same logistic regression of sums of labels, with the labels themselves', () => {
    expect(answers.odds).toHaveLength(cells.length);
    fittedOdds(cells, sumsOf(cells)).forEach((found, cell) =>
      expect(found).toBeCloseTo(answers.odds[cell] ?? NaN, 4),
    );
  });

  test('have the same linear regression of sums of values, with the values themselves', () => {
    expect(answers.values).toHaveLength(cells.length);
    fittedValues(cells, sumsOf(cells), 1).forEach((found, cell) =>
      expect(found).toBeCloseTo(Math.min(Math.max(answers.values[cell] ?? NaN, 0), 1), 6),
    );
  });

  test('have the same AUC and log loss', () => {
    const { auc, logLoss } = metricsOf('cross-entropy', outputs, examples.labels, 1);
    expect(auc).toBeCloseTo(answers.auc, 10);
    expect(logLoss).toBeCloseTo(answers.logLoss, 5);
  });

  test('have the same logistic regression', () => {
    const model = newModel('logistic', few.fields, new RandomNumbers(seededRandomSource('oracles', 2)));
    const settings = { loss: 'cross-entropy', optimiser: 'adam', rate: 0.1, batch: few.count } as const;
    train(
      model,
      few,
      { ...settings, epochs: 300, dropout: 0 },
      new RandomNumbers(seededRandomSource('oracles', 3)),
    );
    expect(answers.predictions).toHaveLength(few.count);
    predict(model, few).forEach((output, row) => {
      expect(Math.abs(1 / (1 + Math.exp(-output)) - (answers.predictions[row] ?? NaN))).toBeLessThan(1e-4);
    });
  });
});
