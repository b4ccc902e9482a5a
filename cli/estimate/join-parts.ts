import { moment } from '../../src/model/units';
import { addStatistics, arrivedUntil, type Statistics } from '../../analysis/estimate/result/statistics';
import { targetOf } from '../../node/files';
import { answerOf, startWorker } from '../../node/worker';
import type { InputFiles } from '../io/input-files';
import { filesOfLines } from '../io/log-ranges';
import { limitMemory } from '../io/memory';
import { PROGRESS, type JoinedPart, type JoinSetup, type JoinTask } from './join-part';

/** In bytes of the log: for shorter parts, a thread starts and takes memory to save little time. */
const SHORTEST_PART = 1 << 24;
/** In bytes of the log: two threads with the tables for such parts stay within the memory limit (docs/waits.md). */
const LONGEST_PART = 3 << 27;

/**
 * The tasks of a log that is long enough to be joined in parts.
 * @param parts given in tests
 * @returns null for a log that must be joined in order: other programs and packed files are read once.
 */
export function tasksOf(
  { files: sources }: InputFiles,
  { files: reports }: InputFiles,
  setup: JoinSetup,
  threads: number,
  parts?: number,
): readonly JoinTask[] | null {
  const found = { sources: filesOfLines(sources), reports: filesOfLines(reports) };
  if (found.sources === null || found.reports === null) return null;
  const size = [...found.sources, ...found.reports].reduce((sum, file) => sum + file.size, 0);
  const atOnce = Math.max(1, Math.min(threads, Math.floor(size / SHORTEST_PART)));
  const of = parts ?? atOnce * Math.ceil(size / LONGEST_PART / atOnce);
  if (of < 2 && parts === undefined) return null;
  const places = PROGRESS.read + sources.length + reports.length;
  const progress = new BigInt64Array(new SharedArrayBuffer(8 * places));
  const common = { ...setup, sources: found.sources, reports: found.reports, progress };
  return Array.from({ length: of }, (_, part) => ({ ...common, part, of }));
}

/**
 * Joins the sources of each part with their reports, in threads, as shards. Sources whose ids have the same remainder, and their reports, are in one
 * part, so the sum of the parts is that of a join in order.
 * @returns null if the log must be joined in order.
 */
export async function joinParts(tasks: readonly JoinTask[], threads: number): Promise<Statistics | null> {
  const limits = limitMemory(threads);
  const workers = new Set<ReturnType<typeof startWorker>>();
  const joined: JoinedPart[] = [];
  const waiting = [...tasks];
  // A thread of its own for each part: its tables are gone with it, before the garbage collector would look for them.
  const joinSome = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const worker = startWorker('join-worker', limits);
      workers.add(worker);
      const part = await answerOf<JoinedPart | null>(worker, task);
      await worker.terminate();
      workers.delete(worker);
      if (part === null) throw new InOrder();
      joined.push(part);
    }
  };
  const before = changesOf(tasks);
  try {
    await Promise.all(Array.from({ length: threads }, joinSome));
  } catch (error) {
    if (error instanceof InOrder) return null;
    throw error;
  } finally {
    waiting.length = 0;
    await Promise.all([...workers].map((worker) => worker.terminate()));
  }
  return changesOf(tasks) === before ? sumOf(joined) : null;
}

/** Ends the other parts. */
class InOrder extends Error {}

/** When the files changed: parts that are read at different times can be of different logs. */
const changesOf = ([task]: readonly JoinTask[]): string =>
  [...(task?.sources ?? []), ...(task?.reports ?? [])].map(({ file }) => targetOf(file)?.ctimeMs).join(' ');

/** The statistics of all parts; null if they do not say enough. */
export function sumOf(joined: readonly JoinedPart[]): Statistics | null {
  const last = joined.reduce(
    (latest, { lastArrival }) => (lastArrival > latest ? lastArrival : latest),
    moment(0),
  );
  const whole = joined.map(({ statistics }) => arrivedUntil(statistics, last)).reduce(addStatistics);
  const { read, duplicate, unknown_source: unknown } = whole.reports;
  // Most ids may have lost their last digits. What they were only a join of all ids can tell.
  return 2 * unknown > read - duplicate ? null : whole;
}
