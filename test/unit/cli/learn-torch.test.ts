import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoLog } from '../../../analysis/learn/demo-log';
import { builtIn, type Engine } from '../../../analysis/learn/engine';
import { labelledExamples, selectRows, type Examples } from '../../../analysis/learn/examples';
import { slopeOfAnswer } from '../../../analysis/learn/laplace-labels';
import type { LossKind } from '../../../analysis/learn/loss';
import type { Model } from '../../../analysis/learn/model';
import { newModel, type ModelKind } from '../../../analysis/learn/new-model';
import type { OptimiserKind } from '../../../analysis/learn/optimiser';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import type { PrivateTrainingSettings } from '../../../analysis/learn/private-train';
import type { SlopeOf, TrainingSettings } from '../../../analysis/learn/train';
import { seededRandomSource } from '../../../analysis/random/sources';
import { main } from '../../../cli/main';
import { torchEngine } from '../../../cli/learn/torch-engine';
import { useCommands } from '../helpers/command';
import { python, withModule } from '../helpers/oracles';

const { err, pathOf, file } = useCommands();

const random = (stream: number): RandomNumbers =>
  new RandomNumbers(seededRandomSource('the engine torch', stream));
const COUNT = 96;
const conversions = selectRows(
  labelledExamples(demoLog('the engine torch', 300).examples, 'conversion'),
  Int32Array.from({ length: COUNT }, (_, row) => row),
);
/** Some features that a model must not see, and numbers. */
const examples: Examples = {
  ...conversions,
  categories: conversions.categories.map((bucket, place) => (place % 11 === 0 ? -1 : bucket)),
  fields: {
    ...conversions.fields,
    numbers: [
      { name: 'a', role: 'known' },
      { name: 'b', role: 'sensitive' },
    ],
  },
  numbers: Float32Array.from({ length: 2 * COUNT }, (_, place) => ((place * 7) % 5) / 5),
};
const SIZE = { embedding: 5, layers: [16, 8] };
const fresh = (kind: ModelKind): Model => newModel(kind, examples.fields, random(0), SIZE);

interface Result {
  readonly method: string;
  readonly epsilon: number | null;
  readonly seed: number;
  readonly spent_epsilon: number;
  readonly auc: number;
}

const torch = (): Engine => torchEngine(python ?? '');

withModule('torch')('the engine torch', () => {
  const furthest = (one: Model, other: Model): number =>
    one.parameters.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (other.parameters[i] ?? NaN))),
      0,
    );

  type Case = readonly [ModelKind, OptimiserKind, LossKind, SlopeOf | undefined];
  const cases: readonly Case[] = [
    ['logistic', 'adam', 'cross-entropy', undefined],
    ['logistic', 'sgd', 'squared', undefined],
    ['network', 'adam', 'cross-entropy', undefined],
    ['network', 'sgd', 'poisson', undefined],
    ['network', 'rmsprop', 'squared', undefined],
    ['network', 'yogi', 'cross-entropy', undefined],
    ['logistic', 'adam', 'cross-entropy', slopeOfAnswer],
  ];

  // All examples are in each batch, so that no order matters.
  test.each(cases)(
    'does the same steps as the built-in one: %s, %s, %s',
    (kind, optimiser, loss, slopeOf) => {
      const settings = { loss, optimiser, rate: 0.01, batch: COUNT, epochs: 20, dropout: 0 };
      const [ours, theirs] = [fresh(kind), fresh(kind)];
      builtIn.train(ours, examples, settings, random(1), slopeOf);
      torch().train(theirs, examples, settings, random(1), slopeOf);
      expect(furthest(ours, fresh(kind))).toBeGreaterThan(0.01);
      expect(furthest(ours, theirs)).toBeLessThan(1e-4);
    },
  );

  test('goes through all examples in batches, as often as there are epochs', () => {
    // With a rate so small that parameters hardly move, the sum of all steps is that of the gradients: 3 · its mean over all examples.
    const settings = {
      loss: 'squared',
      optimiser: 'sgd',
      rate: 1e-3,
      batch: 7,
      epochs: 3,
      dropout: 0,
    } as const;
    const [ours, theirs] = [fresh('logistic'), fresh('logistic')];
    builtIn.train(ours, examples, settings, random(2));
    torch().train(theirs, examples, settings, random(3));
    const moved = furthest(ours, fresh('logistic'));
    expect(furthest(ours, theirs)).toBeLessThan(0.1 * moved);
  });

  test.each(['logistic', 'network'] as const)('clips gradients as the built-in one: %s', (kind) => {
    const settings = {
      loss: 'cross-entropy',
      optimiser: 'sgd',
      rate: 0.1,
      batch: COUNT,
      epochs: 5,
      dropout: 0,
      clip: 0.3,
      sampling: 'poisson',
      threshold: 0,
    } as const;
    const noise = { rate: 1, draws: null, steps: 5, deviation: 0, selection: null };
    const [ours, theirs] = [fresh(kind), fresh(kind)];
    const one = builtIn.privateSteps(ours, examples, settings, noise, random(4));
    const other = torch().privateSteps(theirs, examples, settings, noise, random(4));
    expect(furthest(ours, theirs)).toBeLessThan(1e-4);
    expect(furthest(ours, fresh(kind))).toBeGreaterThan(0.01);
    expect(other.taken).toBe(one.taken);
    expect(other.longest).toBeCloseTo(one.longest, 5);
    expect(other.longest).toBeLessThanOrEqual(settings.clip);
  });

  test('adds noise of the stated deviation to each parameter, and takes examples with the stated probability', () => {
    const settings = {
      loss: 'cross-entropy',
      optimiser: 'sgd',
      rate: 1,
      batch: 1,
      epochs: 1,
      dropout: 0,
      clip: 2,
      sampling: 'poisson',
      threshold: 0,
    } as const;
    const deviation = 3;
    const [exact, noisy] = [fresh('network'), fresh('network')];
    builtIn.privateSteps(
      exact,
      examples,
      settings,
      { rate: 1, draws: null, steps: 1, deviation: 0, selection: null },
      random(5),
    );
    torch().privateSteps(
      noisy,
      examples,
      settings,
      { rate: 1, draws: null, steps: 1, deviation, selection: null },
      random(5),
    );
    const spread = (deviation * settings.clip) / COUNT;
    const squares = noisy.parameters.reduce(
      (sum, value, i) => sum + ((value - (exact.parameters[i] ?? NaN)) / spread) ** 2,
      0,
    );
    // Chi-squared with so many degrees of freedom: beyond 6 standard deviations with a probability below 1e-8.
    const freedom = noisy.parameters.length;
    expect(Math.abs(squares - freedom)).toBeLessThan(6 * Math.sqrt(2 * freedom));
    const { taken } = torch().privateSteps(
      fresh('logistic'),
      examples,
      settings,
      { rate: 0.25, draws: null, steps: 400, deviation, selection: null },
      random(6),
    );
    const expected = 0.25 * 400 * COUNT;
    expect(Math.abs(taken - expected)).toBeLessThan(6 * Math.sqrt(expected * 0.75));
    const drawn = torch().privateSteps(
      fresh('logistic'),
      examples,
      settings,
      { rate: 24 / COUNT, draws: 24, steps: 7, deviation, selection: null },
      random(7),
    );
    expect(drawn.taken).toBe(7 * 24);
  });

  test('training that diverges ends with an error', () => {
    const settings: PrivateTrainingSettings = {
      ...{ loss: 'squared', optimiser: 'sgd', rate: 1e39, batch: COUNT, epochs: 3, dropout: 0 },
      ...{ clip: 1, sampling: 'poisson', threshold: 0 },
    };
    const noise = { rate: 1, draws: null, steps: 3, deviation: 0, selection: null };
    expect(() => torch().privateSteps(fresh('logistic'), examples, settings, noise, random(9))).toThrow(
      'training diverged',
    );
  });

  test('leaves hidden units out with the stated probability, and counts the others for them', () => {
    const one = selectRows(examples, [1]);
    const settings = {
      loss: 'squared',
      optimiser: 'sgd',
      rate: 0.1,
      batch: 1,
      epochs: 1,
      dropout: 0.4,
    } as const;
    const units = 600;
    const made = (): Model => newModel('network', one.fields, random(0), { embedding: 5, layers: [units] });
    const start = made();
    // The output's weights follow what their units say, so those of units that were left out stay.
    const last = start.parameters.length - units - 1;
    const moves = (engine: Engine, dropout: number): readonly number[] => {
      const model = made();
      engine.train(model, one, { ...settings, dropout }, random(8));
      return Array.from({ length: units }, (_, unit) =>
        Math.abs((model.parameters[last + unit] ?? 0) - (start.parameters[last + unit] ?? 0)),
      );
    };
    const alive = moves(builtIn, 0).map((move) => move > 0);
    const all = alive.filter(Boolean).length;
    const kept = moves(torch(), settings.dropout).filter(
      (move, unit) => alive[unit] === true && move > 0,
    ).length;
    expect(all).toBeGreaterThan(200);
    // Six standard deviations of a binomial number: below 1e-8.
    expect(Math.abs(kept - 0.6 * all)).toBeLessThan(6 * Math.sqrt(0.24 * all));
  });

  test('learn gives the same table, within the noise of training', async () => {
    const [OURS, THEIRS] = [12, 2];
    const rows = async (seeds: number, ...options: readonly string[]): Promise<readonly Result[]> => {
      const experiment = file(`experiment-${seeds}.json`, {
        ...{ seed: 'torch', seeds, users: 800 },
        private_training: { rate: 0.3, batch: 512, epochs: 2 },
        figures: [{ title: 'Engines', methods: ['rr', 'dp-sgd'], epsilons: [8] }],
      });
      const output = pathOf(`results-${seeds}`);
      const given = ['--experiment', experiment, '--threads', '1', '--output', output];
      expect(await main(['learn', ...given, ...options])).toBe(0);
      const text = readFileSync(path.join(output, 'results.ndjson'), 'utf8').trimEnd();
      return text.split('\n').map((line) => JSON.parse(line) as Result);
    };
    const ours = await rows(OURS);
    const theirs = await rows(THEIRS, '--engine', 'torch', '--python', python ?? '');
    const settingsOf = ({ method, epsilon, seed, spent_epsilon: spent }: Result): unknown => [
      method,
      epsilon,
      seed,
      spent,
    ];
    expect(theirs.map(settingsOf)).toEqual(ours.filter(({ seed }) => seed < THEIRS).map(settingsOf));
    for (const method of ['none', 'rr', 'dp-sgd']) {
      const [one, other] = [ours, theirs].map((all) =>
        all.filter((row) => row.method === method).map(({ auc }) => auc),
      );
      const mean = (numbers: readonly number[] = []): number =>
        numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
      const squares = (one ?? []).reduce((sum, auc) => sum + (auc - mean(one)) ** 2, 0);
      const error = Math.sqrt((squares / (OURS - 1)) * (1 / OURS + 1 / THEIRS));
      // By Student's t with eleven degrees of freedom: beyond 10.5 with a probability below 1e-6.
      expect(Math.abs(mean(one) - mean(other))).toBeLessThan(10.5 * error);
      expect(error).toBeLessThan(0.05);
    }
  });
});

test('a Python without PyTorch is refused before anything is trained', async () => {
  const experiment = file('experiment.json', { figures: [{ title: 'T', methods: ['rr'], epsilons: [1] }] });
  const options = ['--experiment', experiment, '--output', pathOf('results'), '--engine', 'torch'];
  expect(await main(['learn', ...options, '--python', pathOf('no-python')])).toBe(2);
  expect(err.join('')).toContain('--engine torch');
  expect(err.join('')).toContain('has no PyTorch');
});

test('a threshold is refused before anything is trained', async () => {
  const experiment = file('experiment.json', {
    private_training: { threshold: [0, 5] },
    figures: [{ title: 'T', methods: ['dp-sgd'], epsilons: [1] }],
  });
  const output = pathOf('results');
  expect(await main(['learn', '--experiment', experiment, '--output', output, '--engine', 'torch'])).toBe(2);
  expect(err.join('')).toContain('--engine torch: has no threshold in private_training');
  expect(existsSync(output)).toBe(false);
});

describe('a Python that fails says why', () => {
  const settings: TrainingSettings = {
    ...{ loss: 'squared', optimiser: 'sgd', rate: 0.1, batch: COUNT, epochs: 1, dropout: 0 },
  };
  /** A program in place of Python. */
  const program = (commands: string): string => {
    const script = pathOf('python.sh');
    writeFileSync(script, `#!/bin/sh\n${commands}\n`, { mode: 0o700 });
    return script;
  };

  test.each([
    ['kill -KILL $$', 'was ended by SIGKILL, perhaps for want of memory'],
    ['kill -TERM $$', 'was ended by SIGTERM'],
    ['cat > /dev/null; echo wrong >&2; exit 3', 'failed with status 3: wrong'],
  ])('%s', (commands, message) => {
    const train = (): void =>
      torchEngine(program(commands)).train(fresh('logistic'), examples, settings, random(9));
    expect(train).toThrow(RangeError);
    expect(train).toThrow(message);
  });

  test('also when it has not read its input', () => {
    const long = { ...examples, numbers: new Float32Array(1_250_000) };
    const engine = torchEngine(program('echo wrong >&2; exit 3'));
    expect(() => engine.train(fresh('logistic'), long, settings, random(9))).toThrow(
      'failed with status 3: wrong',
    );
  });

  test('or that it cannot be started', () => {
    const engine = torchEngine(pathOf('no-python'));
    expect(() => engine.train(fresh('logistic'), examples, settings, random(9))).toThrow('ENOENT');
  });
});
