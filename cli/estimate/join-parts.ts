import { moment } from '../../src/model/units';
import { addStatistics, arrivedUntil, type Statistics } from '../../analysis/estimate/result/statistics';
import { workerPool } from '../../node/worker-pool';
import type { InputFiles } from '../io/input-files';
import { inOrder } from '../io/in-order';
import { filesOfLines } from '../io/log-ranges';
import { limitMemory } from '../io/memory';
import { joinWorker, PROGRESS, type JoinedPart, type JoinSetup } from './join-workers';
import type { LogPart } from './log-part';

/** In bytes. Shorter logs are read before threads have started. */
const SHORTEST = 1 << 25;
/** In bytes of the log: two threads with the tables for such parts stay within the memory limit (docs/waits.md). */
const LONGEST_PART = 3 << 27;

/** How a log is joined in parts. */
export interface PartedJoin {
  readonly setup: JoinSetup;
  readonly parts: readonly LogPart[];
  readonly threads: number;
}

/**
 * @param parts given in tests
 * @returns null for a log that must be joined in order: other programs and packed files are read once.
 */
export function partedJoin(
  { files: sources }: InputFiles,
  { files: reports }: InputFiles,
  options: Omit<JoinSetup, 'sources' | 'reports' | 'progress'>,
  threads: number,
  parts?: number,
): PartedJoin | null {
  const found = { sources: filesOfLines(sources), reports: filesOfLines(reports) };
  if (found.sources === null || found.reports === null) return null;
  const size = [...found.sources, ...found.reports].reduce((sum, file) => sum + file.size, 0);
  // Rows of one part can make the configuration that those of another one name.
  const isNamed = sources.some(({ beginning }) => beginning.includes('"configuration"'));
  const of = parts ?? (size < SHORTEST || isNamed ? 1 : threads * Math.ceil(size / LONGEST_PART / threads));
  if (of === 1 && parts === undefined) return null;
  const progress = new Int32Array(new SharedArrayBuffer(4 * Object.keys(PROGRESS).length));
  return {
    setup: { ...options, sources: found.sources, reports: found.reports, progress },
    parts: Array.from({ length: of }, (_, part) => ({ part, of })),
    threads: Math.min(threads, of),
  };
}

/** Sets how much of the files all parts have read. */
export function showRead(
  { files: sources }: InputFiles,
  { files: reports }: InputFiles,
  { setup, parts }: PartedJoin,
): void {
  for (const [files, place] of [
    [sources, PROGRESS.sources],
    [reports, PROGRESS.reports],
  ] as const) {
    const size = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
    const share = size === 0 ? 0 : (1024 * Atomics.load(setup.progress, place)) / (parts.length * size);
    for (const file of files) file.read = Math.min(share, 1) * (file.size ?? 0);
  }
}

/**
 * Joins the sources of each part with their reports, in threads, as shards. Sources whose ids have the same remainder, and their reports, are in one
 * part, so the sum of the parts is that of a join in order.
 * @returns null if the log must be joined in order.
 */
export async function joinParts({ setup, parts, threads }: PartedJoin): Promise<Statistics | null> {
  const limits = limitMemory(threads);
  const pools = new Set<ReturnType<typeof workerPool<JoinSetup, LogPart, JoinedPart | null>>>();
  // A thread of its own for each part: its tables are gone with it, before the garbage collector would look for them.
  const join = async (part: LogPart): Promise<JoinedPart | null> => {
    const pool = workerPool(joinWorker, 1, setup, limits);
    pools.add(pool);
    const found = await pool.run(part);
    await pool.destroy();
    return found;
  };
  const joined: JoinedPart[] = [];
  try {
    for await (const [, found] of inOrder(parts, join, threads)) {
      if (found === null) return null;
      joined.push(found);
    }
  } finally {
    await Promise.all([...pools].map((pool) => pool.destroy()));
  }
  return sumOf(joined);
}

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
