import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { demoLog } from '../../analysis/learn/demo-log';
import { labelledExamples, selectRows } from '../../analysis/learn/examples';
import { metricsOf } from '../../analysis/learn/metrics';
import { newModel, predict } from '../../analysis/learn/new-model';
import { optimiser } from '../../analysis/learn/optimiser';
import { privacyLossEpsilon } from '../../analysis/learn/privacy-loss-distribution';
import { NoisySum } from '../../analysis/learn/private-train';
import { RandomNumbers } from '../../analysis/learn/random-numbers';
import { renyiEpsilon } from '../../analysis/learn/renyi';
import { meanSlopes, slopesOf } from '../../analysis/learn/train';
import { seededRandomSource } from '../../src/privacy/random-source';

/*
 * Compares with PyTorch, Opacus, dp-accounting and scikit-learn: `pip install -r test/oracles/requirements.txt`, and set
 * COINTOSS_ORACLES to that Python. Without it, these tests are left out.
 */

jest.setTimeout(300_000);

const python = process.env['COINTOSS_ORACLES'];
if (python === undefined)
  process.stderr.write('learn-oracles: left out, because COINTOSS_ORACLES names no Python with PyTorch\n');
const withOracles = python === undefined ? describe.skip : describe;

interface Answers {
  readonly trained: Readonly<Record<'adam' | 'sgd' | 'rmsprop', readonly number[]>>;
  readonly clippedSum: readonly number[];
  readonly epsilons: readonly (readonly [renyi: number, exact: number])[];
  readonly auc: number;
  readonly logLoss: number;
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
const outputs = predict(fresh(), examples);

withOracles('what other libraries compute', () => {
  let answers: Answers;

  beforeAll(() => {
    const wide = examples.fields.categories.length;
    const task = {
      network: {
        buckets: examples.fields.categories.map(({ buckets }) => buckets),
        parameters: [...fresh().parameters],
        categories: [...rows].map((row) => [...examples.categories.subarray(row * wide, (row + 1) * wide)]),
        labels: [...examples.labels],
        rate: RATE,
        steps: STEPS,
        clip: CLIP,
      },
      steps,
      metrics: { labels: [...examples.labels], outputs: [...outputs] },
    };
    const script = path.join(__dirname, '../oracles/learn.py');
    const { stdout, stderr } = spawnSync(python ?? '', [script], {
      input: JSON.stringify(task),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (stdout === '') throw new Error(stderr);
    answers = JSON.parse(stdout) as Answers;
  });

  const expectClose = (found: Float32Array, expected: readonly number[]): void => {
    expect(found).toHaveLength(expected.length);
    const furthest = expected.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (found[i] ?? NaN))),
      0,
    );
    expect(furthest).toBeLessThan(1e-4);
  };

  test.each(['adam', 'sgd', 'rmsprop'] as const)(
    'PyTorch has the same weights after ten steps of %s',
    (kind) => {
      const model = fresh();
      const step = optimiser(kind, model.parameters);
      for (let taken = 0; taken < STEPS; taken++) {
        const gradient = new Float32Array(model.parameters.length);
        model.backward(meanSlopes(model, examples, rows, 'cross-entropy'));
        model.accumulate(null, gradient);
        step(gradient, RATE);
      }
      expectClose(model.parameters, answers.trained[kind]);
    },
  );

  test('Opacus has the same sum of clipped gradients', () => {
    const model = fresh();
    const sum = new NoisySum(model, CLIP, 0, new RandomNumbers(seededRandomSource('oracles', 1)));
    model.backward(slopesOf(model, examples, rows, 'cross-entropy'));
    const clipped = sum.next(COUNT);
    expect(sum.longest).toBeGreaterThan(CLIP * 0.999);
    const difference = Math.hypot(...answers.clippedSum.map((value, i) => value - (clipped[i] ?? NaN)));
    expect(difference / Math.hypot(...answers.clippedSum)).toBeLessThan(1e-4);
  });

  test('dp-accounting has the same ε, within one percent', () => {
    steps.forEach(({ rate, deviation, steps: count, delta }, index) => {
      const [renyi = NaN, exact = NaN] = answers.epsilons[index] ?? [];
      expect(Math.abs(renyiEpsilon(rate, deviation, count, delta) / renyi - 1)).toBeLessThan(0.01);
      expect(Math.abs(privacyLossEpsilon(rate, deviation, count, delta) / exact - 1)).toBeLessThan(0.01);
    });
  });

  test('scikit-learn has the same AUC and log loss', () => {
    const { auc, logLoss } = metricsOf('cross-entropy', outputs, examples.labels, 1);
    expect(auc).toBeCloseTo(answers.auc, 10);
    expect(logLoss).toBeCloseTo(answers.logLoss, 5);
  });
});
