import { closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { moment } from '../../src/model/units';
import type { JoinSetup } from '../../analysis/estimate/result/log-join';
import { addStatistics, arrivedUntil, type Statistics } from '../../analysis/estimate/result/statistics';
import { makeNameless, targetOf } from '../../node/files';
import { answerOf, startWorker } from '../../node/worker';
import { InputError } from '../io/input';
import type { InputFiles } from '../io/input-files';
import { cutLines, filesOfLines, type SizedFile } from '../io/log-ranges';
import { limitMemory } from '../io/memory';
import type { JoinedPart, JoinTask } from './join-part';
import { PROGRESS, type PlacedRange, type ReadLog, type ReadTask } from './read-part';

/** In bytes of the log: for shorter parts, a thread starts and takes memory to save little time. */
const SHORTEST_PART = 1 << 24;
/** In bytes of the log: two threads with the tables for such parts stay within the memory limit (docs/waits.md). */
const LONGEST_PART = 1 << 27;

/** A log that is long enough to be joined in parts. */
export interface LogParts extends JoinSetup {
  readonly sources: readonly SizedFile[];
  readonly reports: readonly SizedFile[];
  readonly of: number;
  readonly threads: number;
  /** Shared by all threads: by `PROGRESS`, and from `PROGRESS.read` on the bytes that were read of each file. */
  readonly progress: BigInt64Array;
}

/**
 * @param parts given in tests
 * @returns null for a log that must be joined in order: other programs and packed files are read once.
 */
export function partsOf(
  { files: sources }: InputFiles,
  { files: reports }: InputFiles,
  setup: JoinSetup,
  threads: number,
  parts?: number,
): LogParts | null {
  const found = { sources: filesOfLines(sources), reports: filesOfLines(reports) };
  if (found.sources === null || found.reports === null) return null;
  const size = [...found.sources, ...found.reports].reduce((sum, file) => sum + file.size, 0);
  const atOnce = Math.max(1, Math.min(threads, Math.floor(size / SHORTEST_PART)));
  const of = parts ?? atOnce * Math.ceil(size / LONGEST_PART / atOnce);
  if (of < 2 && parts === undefined) return null;
  const places = PROGRESS.read + sources.length + reports.length;
  const progress = new BigInt64Array(new SharedArrayBuffer(8 * places));
  return {
    ...setup,
    sources: found.sources,
    reports: found.reports,
    of,
    threads: parts === undefined ? atOnce : threads,
    progress,
  };
}

/**
 * Joins a log in threads, as shards. First each thread reads some of the lines, and writes to a temporary file what the join needs of them. Then each
 * joins the sources of one part after the other with their reports. Sources with the same id, and their reports, are in one part, so the sum of the parts
 * is that of a join in order.
 * @returns null if the log must be joined in order.
 * @throws InputError if there is no room for the temporary files.
 */
export async function joinParts(log: LogParts): Promise<Statistics | null> {
  const before = changesOf(log);
  const descriptors: number[] = [];
  const threads = new Threads(log.threads);
  try {
    const reading = readTasks(log, () => descriptors[descriptors.push(makeNameless()) - 1] ?? 0);
    const logs = await threads.all<ReadLog>(reading);
    if (!hasColumns(logs, log.groupBy)) return null;
    const joined = await threads.all<JoinedPart>(joinTasks(log, logs));
    return changesOf(log) === before ? sumOf(joined) : null;
  } catch (error) {
    if (error instanceof InOrder) return null;
    throw isOfSystem(error) ? new InputError(`${tmpdir()}: cannot be written: ${error.message}`) : error;
  } finally {
    await threads.end();
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

const isOfSystem = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

/** Does tasks in threads, each in one of its own: its tables are gone with it, before the garbage collector would look for them. */
class Threads {
  private readonly limits: ReturnType<typeof limitMemory>;
  private readonly workers = new Set<ReturnType<typeof startWorker>>();

  constructor(private readonly atOnce: number) {
    this.limits = limitMemory(atOnce);
  }

  /** @returns the results in the order of the tasks. @throws InOrder for the first result that is null */
  async all<Result>(tasks: readonly (ReadTask | JoinTask)[]): Promise<readonly Result[]> {
    const waiting = [...tasks.entries()];
    const results: Result[] = [];
    const doSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const worker = startWorker('join-worker', this.limits);
        this.workers.add(worker);
        const result = await answerOf<Result | null>(worker, next[1]);
        await worker.terminate();
        this.workers.delete(worker);
        if (result === null) throw new InOrder();
        results[next[0]] = result;
      }
    };
    try {
      await Promise.all(Array.from({ length: this.atOnce }, doSome));
    } finally {
      waiting.length = 0;
    }
    return results;
  }

  async end(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.terminate()));
  }
}

/** Ends the other tasks. */
class InOrder extends Error {}

/** The tasks of the threads that read: each reads about as much as another, and after what the one before it reads. */
export function readTasks(log: LogParts, makeFile: () => number): readonly ReadTask[] {
  const { sources, reports, groupBy, of, threads, progress } = log;
  const ofSources = rangesOf(sources, threads, PROGRESS.read);
  const ofReports = rangesOf(reports, threads, PROGRESS.read + sources.length);
  return Array.from({ length: threads }, (_, thread) => ({
    ...{ sources: ofSources[thread] ?? [], reports: ofReports[thread] ?? [], groupBy, of, progress },
    descriptor: makeFile(),
  }));
}

function rangesOf(files: readonly SizedFile[], threads: number, place: number): readonly PlacedRange[][] {
  const ranges: PlacedRange[][] = Array.from({ length: threads }, () => []);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  let before = 0;
  for (const [index, file] of files.entries()) {
    for (const range of cutLines(file, 0, Math.ceil(size / threads)))
      ranges[Math.floor((threads * (before + range.start)) / size)]?.push({ ...range, place: place + index });
    before += file.size;
  }
  return ranges;
}

export const joinTasks = (
  { of, groupBy, joining, asOf, progress }: LogParts,
  logs: readonly ReadLog[],
): readonly JoinTask[] =>
  Array.from({ length: of }, (_, part) => ({
    ...{ groupBy, joining, asOf, progress },
    logs: logs.map((log) => ({
      ...log,
      sources: log.sources.filter((block) => block.part === part),
      reports: log.reports.filter((block) => block.part === part),
      // They are of no part.
      otherKinds: part === 0 ? log.otherKinds : new Map<string, number>(),
    })),
  }));

/** Whether each column to group by is that of a source, if there are any. */
const hasColumns = (logs: readonly ReadLog[], groupBy: readonly string[]): boolean =>
  logs.every(({ groups }) => groups.length === 0) ||
  groupBy.every((column) => logs.some(({ columns }) => columns.includes(column)));

/** When the files changed: what is read at different times can be of different logs. */
const changesOf = ({ sources, reports }: LogParts): string =>
  [...sources, ...reports].map(({ file }) => targetOf(file)?.ctimeMs).join(' ');

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
