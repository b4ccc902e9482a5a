import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Engine } from '../../analysis/learn/engine';
import type { Examples } from '../../analysis/learn/examples';
import { slopeOfAnswer } from '../../analysis/learn/laplace-labels';
import { LogisticModel } from '../../analysis/learn/logistic-model';
import { embeddingWidths, NetworkModel } from '../../analysis/learn/network-model';
import type { Model } from '../../analysis/learn/model';
import type { RandomNumbers } from '../../analysis/learn/random-numbers';
import { stepsOf, type TrainingSettings } from '../../analysis/learn/train';
import type { Json, JsonObject } from '../../src/model/json';
import { isJsonObject } from '../../src/model/json';
import { root } from '../../node/root';

const PROGRAM = path.join(root, 'integrations/python/cointoss_train.py');
/** The parameters come back through a pipe. */
const MOST_BYTES = 2 ** 31 - 1;
const HEADER_BYTES = 4;
const LARGEST_SEED = 2 ** 48;

/**
 * Trains with PyTorch, on a GPU if there is one. Everything else is as with the built-in engine: labels get noise before, and the accountant gets what
 * the steps did. Each training is a Python process.
 * @param python a Python that has PyTorch.
 */
export const torchEngine = (python: string): Engine => ({
  train(model, examples, settings, random, slopeOf) {
    trained(python, model, examples, random, {
      settings: { ...settings },
      steps: stepsOf(examples.count, settings),
      answers: slopeOf === slopeOfAnswer ? 'log-odds' : 'labels',
      private: null,
    });
  },
  privateSteps(model, examples, settings, { rate, draws, deviation, steps, selection }, random) {
    // Experiments with one are refused before.
    if (selection !== null) throw new Error('PyTorch leaves out no rows');
    const done = trained(python, model, examples, random, {
      ...{ settings: { ...settings }, steps, answers: 'labels', private: { rate, draws, deviation } },
    });
    const numberOf = (name: string): number => {
      const value = isJsonObject(done) ? done[name] : undefined;
      if (typeof value === 'number') return value;
      throw new RangeError(`PyTorch failed: its answer has no number "${name}"`);
    };
    return { taken: numberOf('taken'), longest: numberOf('longest'), noisyShare: 1 };
  },
});

interface Job extends JsonObject {
  readonly settings: TrainingSettings & JsonObject;
  readonly steps: number;
  readonly answers: 'labels' | 'log-odds';
  readonly private: {
    readonly rate: number;
    readonly draws: number | null;
    readonly deviation: number;
  } | null;
}

/** Changes the parameters of the model. @throws RangeError when Python fails. */
function trained(python: string, model: Model, examples: Examples, random: RandomNumbers, job: Job): Json {
  const { categories, numbers, labels, count } = examples;
  const header = JSON.stringify({
    ...job,
    ...{ count, shape: shapeOf(model, examples), parameters: model.parameters.length },
    seed: random.below(LARGEST_SEED),
  });
  const input = Buffer.concat([
    framed(Buffer.from(header)),
    ...[categories, numbers, labels, model.parameters].map(bytesOf),
  ]);
  const { stdout, stderr, error, status, signal } = spawnSync(python, [PROGRAM], {
    ...{ input, maxBuffer: MOST_BYTES },
  });
  // Whoever ends without reading its input says why on stderr.
  const isUnread = error !== undefined && (error as NodeJS.ErrnoException).code === 'EPIPE';
  if (error !== undefined && !isUnread) throw new RangeError(`PyTorch failed: ${error.message}`);
  if (signal !== null)
    throw new RangeError(
      `PyTorch was ended by ${signal}${signal === 'SIGKILL' ? ', perhaps for want of memory' : ''}`,
    );
  const length = stdout.length > HEADER_BYTES ? stdout.readUInt32LE(0) : 0;
  const parametersAt = HEADER_BYTES + length;
  if (length === 0 || stdout.length !== parametersAt + model.parameters.byteLength)
    throw new RangeError(`PyTorch failed with status ${status}: ${lastLine(String(stderr))}`);
  bytesOf(model.parameters).set(stdout.subarray(parametersAt));
  return JSON.parse(stdout.toString('utf8', HEADER_BYTES, parametersAt)) as Json;
}

/** How the parameters of a model lie. */
function shapeOf(model: Model, { fields }: Examples): Json {
  const shape = {
    buckets: fields.categories.map(({ buckets }) => buckets),
    numbers: fields.numbers.length,
  };
  if (model instanceof LogisticModel) return { kind: 'logistic', ...shape };
  if (!(model instanceof NetworkModel)) throw new RangeError('PyTorch does not have this model');
  return {
    kind: 'network',
    ...shape,
    embeddings: embeddingWidths(fields, model.size),
    layers: model.size.layers,
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function framed(header: Buffer): Buffer {
  const length = Buffer.alloc(HEADER_BYTES);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header]);
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** Why a Python cannot train; null if it can. */
export function torchProblem(python: string): string | null {
  const { status, stderr, error } = spawnSync(python, ['-c', 'import torch'], { encoding: 'utf8' });
  if (status === 0) return null;
  return error?.message ?? lastLine(stderr);
}
