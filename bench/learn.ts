import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { demoLog } from '../analysis/learn/demo-log';
import { labelledExamples, selectRows, type Examples } from '../analysis/learn/examples';
import { newModel, type ModelKind } from '../analysis/learn/new-model';
import { optimiser } from '../analysis/learn/optimiser';
import { NoisySum } from '../analysis/learn/private-train';
import { RandomNumbers } from '../analysis/learn/random-numbers';
import { slopesOf, train } from '../analysis/learn/train';
import { seededRandomSource } from '../analysis/random/sources';

/*
 * `npm run bench -- learn`: how many examples a second we train on, next to PyTorch and Opacus on the same data and model, each in one thread
 * and one after the other. COINTOSS_ORACLES names a Python with test/oracles/training.txt. All times are of the processor.
 */

const USERS = 15_000;
const BATCH = 256;
const PRIVATE_BATCH = 1024;
const KINDS: readonly ModelKind[] = ['logistic', 'network'];

type Task = 'plain' | 'private';

export function benchLearn(): void {
  const examples = labelledExamples(demoLog('bench', USERS).examples, 'conversion');
  const theirs = theirRates(examples);
  console.log(`training on ${examples.count} examples, thousands of examples a second of processor time`);
  for (const kind of KINDS)
    for (const task of ['plain', 'private'] as const) {
      const our = (task === 'plain' ? plainRate : privateRate)(kind, examples) / 1000;
      const their = (theirs?.[kind][task] ?? NaN) / 1000;
      const other = task === 'plain' ? 'PyTorch' : 'Opacus';
      console.log(
        `  ${kind}, ${task}: cointoss ${our.toFixed(1)}, ${other} ${their.toFixed(1)}, ratio ${(our / their).toFixed(2)}`,
      );
    }
  benchMemory(examples);
}

const numbers = (stream: number): RandomNumbers => new RandomNumbers(seededRandomSource('bench', stream));

/** Examples of `work` per second of processor time. It runs once before, so that it is compiled. */
function rateOf(count: number, work: () => void): number {
  work();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (count * 1e6) / (user + system);
}

function plainRate(kind: ModelKind, examples: Examples): number {
  const model = newModel(kind, examples.fields, numbers(0));
  const settings = { loss: 'cross-entropy', optimiser: 'adam', rate: 0.01, batch: BATCH, epochs: 1 } as const;
  return rateOf(examples.count, () => train(model, examples, settings, numbers(1)));
}

/** Steps of DP-SGD with batches of one size, as Opacus does them. */
function privateRate(kind: ModelKind, examples: Examples): number {
  const model = newModel(kind, examples.fields, numbers(0));
  const noisySum = new NoisySum(model, 1, 1, numbers(1));
  const step = optimiser('sgd', model.parameters);
  return rateOf(examples.count, () => {
    for (let from = 0; from < examples.count; from += PRIVATE_BATCH) {
      const rows = Int32Array.from(
        { length: Math.min(PRIVATE_BATCH, examples.count - from) },
        (_, index) => from + index,
      );
      model.backward(slopesOf(model, examples, rows, 'cross-entropy'));
      step(
        noisySum.next(rows.length).map((sum) => sum / PRIVATE_BATCH),
        0.1,
      );
    }
  });
}

type Rates = Readonly<Record<ModelKind, Readonly<Record<Task, number>>>>;

function theirRates(examples: Examples): Rates | null {
  const python = process.env['COINTOSS_ORACLES'];
  if (python === undefined) {
    console.log('PyTorch and Opacus are left out, because COINTOSS_ORACLES names no Python with them');
    return null;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-bench-'));
  try {
    writeFileSync(path.join(folder, 'categories'), examples.categories);
    writeFileSync(path.join(folder, 'labels'), examples.labels);
    const buckets = examples.fields.categories.map((field) => field.buckets);
    const { stdout, stderr } = spawnSync(
      python,
      [path.join(__dirname, 'learn.py'), folder, JSON.stringify({ buckets, BATCH, PRIVATE_BATCH })],
      { encoding: 'utf8', env: { ...process.env, OMP_NUM_THREADS: '1' } },
    );
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Rates;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const MANY = 6_000_000;

/** Six million examples: one round of logistic regression. */
function benchMemory(examples: Examples): void {
  const many = selectRows(
    examples,
    Int32Array.from({ length: MANY }, (_, row) => row % examples.count),
  );
  const settings = { loss: 'cross-entropy', optimiser: 'adam', rate: 0.01, batch: BATCH, epochs: 1 } as const;
  train(newModel('logistic', many.fields, numbers(0)), many, settings, numbers(1));
  const gigabytes = process.resourceUsage().maxRSS / 2 ** 20;
  console.log(`  ${MANY} examples: at most ${gigabytes.toFixed(2)} GiB of memory`);
}
