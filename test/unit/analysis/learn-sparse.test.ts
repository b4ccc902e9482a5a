import { builtIn, trainPrivately, type Engine } from '../../../analysis/learn/engine';
import { demoLog } from '../../../analysis/learn/demo-log';
import { labelledExamples, selectRows } from '../../../analysis/learn/examples';
import type { Model } from '../../../analysis/learn/model';
import { newModel, type ModelKind } from '../../../analysis/learn/new-model';
import { PrivacyAccountant } from '../../../analysis/learn/privacy-accountant';
import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import {
  noiseDeviation,
  type GradientNoise,
  type PrivateTrainingSettings,
  type StepsDone,
} from '../../../analysis/learn/private-train';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { splitNoise } from '../../../analysis/learn/row-selection';
import { stepsOf } from '../../../analysis/learn/train';
import { seededRandomSource } from '../../../analysis/random/sources';

const COUNT = 60;
const examples = selectRows(
  labelledExamples(demoLog('sparse', 300).examples, 'conversion'),
  Int32Array.from({ length: COUNT }, (_, row) => row),
);
const random = (stream: number): RandomNumbers => new RandomNumbers(seededRandomSource('sparse', stream));
const SIZE = { embedding: 4, layers: [8] };
const fresh = (kind: ModelKind): Model => newModel(kind, examples.fields, random(0), SIZE);
const settings: PrivateTrainingSettings = {
  ...{ loss: 'cross-entropy', optimiser: 'sgd', rate: 1, batch: COUNT, epochs: 1, dropout: 0 },
  ...{ clip: 2, sampling: 'poisson', threshold: 0 },
};

/** By how much each parameter moves in one step with all examples. */
function moves(
  kind: ModelKind,
  noise: Pick<GradientNoise, 'deviation' | 'selection'>,
  stream = 1,
): Float64Array {
  const model = fresh(kind);
  const before = Float64Array.from(model.parameters);
  builtIn.privateSteps(
    model,
    examples,
    settings,
    { rate: 1, draws: null, steps: 1, ...noise },
    random(stream),
  );
  return before.map((value, i) => (model.parameters[i] ?? NaN) - value);
}

/** The share of the parameters that one step with all examples gives noise. */
const noisyShare = (kind: ModelKind, selection: GradientNoise['selection']): number =>
  builtIn.privateSteps(
    fresh(kind),
    examples,
    settings,
    { ...{ rate: 1, draws: null, steps: 1, deviation: 3 }, selection },
    random(1),
  ).noisyShare;

/** How many examples use the row that each parameter is in; NaN for those of no table. */
function uses(kind: ModelKind): Float64Array {
  const { tables, parameters } = fresh(kind);
  const found = new Float64Array(parameters.length).fill(NaN);
  const wide = examples.fields.categories.length;
  let [from, bucketsBefore] = [0, 0];
  examples.fields.categories.forEach(({ buckets }, field) => {
    const width = kind === 'logistic' ? 1 : SIZE.embedding;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const count = Array.from({ length: COUNT }, (_, row) => examples.categories[row * wide + field]).filter(
        (one) => one === bucket,
      ).length;
      found.fill(count, from + bucket * width, from + (bucket + 1) * width);
    }
    from += buckets * width;
    bucketsBefore += buckets;
  });
  expect(tables.reduce((sum, { rows }) => sum + rows, 0)).toBe(bucketsBefore);
  return found;
}

describe.each(['logistic', 'network'] as const)('%s', (kind) => {
  const counts = uses(kind);
  const THRESHOLD = 10;

  test('without noise, rows that fewer examples use stay, and all others move as without a threshold', () => {
    const all = moves(kind, { deviation: 0, selection: null });
    const some = moves(kind, { deviation: 0, selection: { threshold: THRESHOLD, deviation: 0 } });
    let [left, kept] = [0, 0];
    counts.forEach((count, i) => {
      if (count < THRESHOLD) {
        expect(some[i]).toBe(0);
        left += Number(all[i] !== 0);
      } else {
        expect(some[i]).toBe(all[i]);
        kept += Number(all[i] !== 0);
      }
    });
    expect(left).toBeGreaterThan(10);
    expect(kept).toBeGreaterThan(10);
  });

  test('rows that are left out get no noise, and all others do', () => {
    const exact = moves(kind, { deviation: 0, selection: null });
    const noisy = moves(kind, { deviation: 3, selection: { threshold: THRESHOLD, deviation: 0 } });
    const spread = (3 * settings.clip) / COUNT;
    let [squares, freedom] = [0, 0];
    counts.forEach((count, i) => {
      if (count < THRESHOLD) {
        expect(noisy[i]).toBe(0);
        return;
      }
      squares += (((noisy[i] ?? NaN) - (exact[i] ?? NaN)) / spread) ** 2;
      freedom += 1;
    });
    // Chi-squared: beyond 7 standard deviations with a probability below 1e-6, also for few degrees of freedom.
    expect(Math.abs(squares - freedom)).toBeLessThan(7 * Math.sqrt(2 * freedom));
    expect(freedom).toBeGreaterThan(10);
    expect(noisyShare(kind, { threshold: THRESHOLD, deviation: 0 })).toBe(freedom / counts.length);
    expect(noisyShare(kind, null)).toBe(1);
  });

  test('counts have noise of the stated deviation', () => {
    // A row stays if count + √F·σ·Z ≥ threshold. Of rows that nobody uses, these do so with the probability of one standard deviation.
    const deviation = THRESHOLD / Math.sqrt(examples.fields.categories.length);
    const unused = [...counts].flatMap((count, i) => (count === 0 ? [i] : []));
    const width = kind === 'logistic' ? 1 : SIZE.embedding;
    let [stayed, all] = [0, 0];
    for (let run = 0; run < 20; run++) {
      const moved = moves(kind, { deviation: 1, selection: { threshold: THRESHOLD, deviation } }, 10 + run);
      stayed += unused.filter((i) => moved[i] !== 0).length / width;
      all += unused.length / width;
    }
    const expected = 0.158655;
    expect(all).toBeGreaterThan(500);
    // Six standard deviations of a binomial number: below 1e-8.
    expect(Math.abs(stayed / all - expected)).toBeLessThan(6 * Math.sqrt((expected * (1 - expected)) / all));
  });
});

describe('ε', () => {
  const normal = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

  test.each([
    [1, 2],
    [0.2, 1],
    [0.05, 0.8],
  ])(
    'of counts and gradients together is that of one mechanism: rate %d, deviation %d',
    (rate, deviation) => {
      // An example adds (1/σ₁, 1/σ₂), and its replacement the opposite, in two dimensions with noise of deviation 1.
      const { counts, gradients } = splitNoise(deviation);
      const density = (x: number, y: number, side: number): number =>
        (1 - rate) * normal(x) * normal(y) + rate * normal(x - side / counts) * normal(y - side / gradients);
      const epsilon = 0.7;
      const step = 0.02;
      let delta = 0;
      for (let x = -8; x <= 8; x += step)
        for (let y = -9; y <= 9; y += step)
          delta += Math.max(0, density(x, y, 1) - Math.exp(epsilon) * density(x, y, -1)) * step * step;
      expect(Math.abs(privacyLossEpsilon(rate, deviation, 1, delta) / epsilon - 1)).toBeLessThan(0.01);
    },
  );

  test('with a threshold, training gets both deviations, and the accountant the same ε', () => {
    const noises: GradientNoise[] = [];
    const engine: Engine = {
      ...builtIn,
      privateSteps: (model, of, given, noise, numbers) => {
        noises.push(noise);
        return builtIn.privateSteps(model, of, given, noise, numbers);
      },
    };
    for (const threshold of [0, 5]) {
      const accountant = new PrivacyAccountant(2, 1e-5);
      const budget = { epsilon: 2, delta: 1e-5, examplesPerUnit: 1 };
      const given = { ...settings, batch: 10, threshold };
      trainPrivately(engine, fresh('logistic'), examples, given, budget, random(3), accountant);
      expect(accountant.total).toEqual({ epsilon: 2, delta: 1e-5 });
    }
    const [plain, sparse] = noises;
    expect(plain?.selection).toBeNull();
    const [one, other] = [sparse?.deviation ?? NaN, sparse?.selection?.deviation ?? NaN];
    expect(one ** -2 + other ** -2).toBeCloseTo((plain?.deviation ?? NaN) ** -2, 12);
  });

  // A batch of more examples than there are draws no more than there are.
  test.each([10, COUNT + 5])(
    'with replacement, steps take exactly the draws that the noise is for: a batch of %d',
    (batch) => {
      const noises: GradientNoise[] = [];
      const done: StepsDone[] = [];
      const engine: Engine = {
        ...builtIn,
        privateSteps: (model, of, given, noise, numbers) => {
          noises.push(noise);
          const steps = builtIn.privateSteps(model, of, given, noise, numbers);
          done.push(steps);
          return steps;
        },
      };
      const loss = { epsilon: 2, delta: 1e-5 };
      const accountant = new PrivacyAccountant(loss.epsilon, loss.delta);
      const given = { ...settings, batch, epochs: 3, sampling: 'replacement' as const };
      const budget = { ...loss, examplesPerUnit: 1 };
      trainPrivately(engine, fresh('logistic'), examples, given, budget, random(4), accountant);
      const draws = Math.min(batch, COUNT);
      const steps = stepsOf(COUNT, given);
      const deviation = noiseDeviation(draws / COUNT, steps, loss, draws);
      expect(noises).toEqual([{ rate: draws / COUNT, draws, steps, deviation, selection: null }]);
      // Poisson sampling needs other noise, so this would fail if the draws were not told.
      expect(deviation).not.toBe(noiseDeviation(draws / COUNT, steps, loss));
      expect(done.map(({ taken }) => taken)).toEqual([draws * steps]);
      expect(accountant.total).toEqual(loss);
    },
  );
});
