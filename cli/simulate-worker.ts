import { workerData } from 'node:worker_threads';
import { chromiumLimits } from '../src/model/limits';
import type { Json } from '../src/model/json';
import type { RandomSource } from '../src/privacy/random-source';
import { english } from '../words/english';
import type { ScenarioEvent } from '../analysis/scenario/scenario';
import { parseLogLine } from '../analysis/simulation/log-line';
import { Tally } from '../analysis/simulation/tally';
import { LogError, simulateUser } from '../analysis/simulation/user';
import { compressor } from './compression';
import { randomFor } from './random';
import type { BatchResult, PoolSetup } from './simulate-batches';
import type { Batch, UserLines } from './simulate-users';

/** A thread that simulates one batch of users after another. */

const { settings, noise, allocation, matching, seed, withUsers, compression, sourcesCompression } =
  workerData as PoolSetup;
const simulation = { settings, noise, allocation, matching, limits: chromiumLimits };
const systemRandom = randomFor(undefined);

class LineError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

async function simulate(batch: Batch): Promise<{
  readonly output: string;
  readonly sources: string;
  readonly tally: Tally;
}> {
  const tally = new Tally();
  const lines: string[] = [];
  const sources: string[] = [];
  for (const user of batch) {
    const events = user.lines.map(({ text, line }) => parseLine(text, line, tally));
    const found = await simulateUser(events, simulation, randomOf(user.user)).catch((error: unknown) => {
      throw error instanceof LogError ? lineError(error, user) : error;
    });
    tally.addAll(found.tally);
    const whose = withUsers ? { user: user.user } : {};
    if (sourcesCompression !== null)
      for (const source of found.sources) sources.push(`${JSON.stringify({ ...whose, ...source })}\n`);
    for (const report of found.reports) lines.push(`${JSON.stringify({ ...whose, ...report })}\n`);
  }
  return { output: lines.join(''), sources: sources.join(''), tally };
}

function parseLine(text: string, line: number, tally: Tally): ScenarioEvent {
  const { value, errors, warnings } = parseLogLine(JSON.parse(text) as Json);
  for (const warning of warnings) tally.add('warnings', english.issueText(warning));
  if (value !== null) return value.event;
  throw new LineError(line, errors.slice(0, 1).map(english.issueText).join());
}

const lineError = ({ event, path, message }: LogError, { lines }: UserLines): LineError =>
  new LineError(lines[event]?.line ?? 0, `${path}: ${message}`);

/** The seed and the user's name decide the user's randomness, so results do not depend on other users. */
const randomOf = (user: string): ((stream: number) => RandomSource) =>
  seed === null ? systemRandom : randomFor(JSON.stringify([seed, user]));

const compressing = Promise.all([compressor(compression), compressor(sourcesCompression ?? 'none')]);

/** Users without lines write nothing: an empty part would still have a frame. */
const part = (text: string, compress: (bytes: Uint8Array) => Uint8Array): Uint8Array =>
  text === '' ? new Uint8Array() : compress(new TextEncoder().encode(text));

export default async function answer(batch: Batch): Promise<BatchResult> {
  const [compress, compressSources] = await compressing;
  try {
    const { output, sources, tally } = await simulate(batch);
    return {
      kind: 'done',
      bytes: part(output, compress),
      sources: part(sources, compressSources),
      tally: tally.entries(),
    };
  } catch (error) {
    if (error instanceof LineError) return { kind: 'bad-line', line: error.line, message: error.message };
    throw error;
  }
}
