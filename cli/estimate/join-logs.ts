import { LogJoin, type JoinSetup } from '../../analysis/estimate/result/log-join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { InputFiles } from '../io/input-files';
import { showProgress } from '../io/progress';
import { readRows } from '../io/rows';
import { joinParts, partsOf, type LogParts } from './join-parts';
import { joinProgress, SOURCES_OF_REPORTS } from './progress';
import { PROGRESS } from './read-part';
import { accepted, readSources } from './read-sources';
import { usedThreads } from './threads';

/** What the estimates will be, and in how many threads. */
interface JoinedFor {
  readonly likelihood: boolean;
  readonly threads: number;
}

interface JoinedLogs {
  readonly counted: Statistics;
  readonly digitsLostIn: ReturnType<LogJoin['digitsLostIn']>;
}

/** Null for logs that must be joined in order, perhaps to say what is wrong with them. */
export async function joinInParts(
  sources: InputFiles,
  reports: InputFiles,
  setup: JoinSetup,
  { likelihood, threads }: JoinedFor,
): Promise<JoinedLogs | null> {
  const log = partsOf(sources, reports, setup, threads);
  if (log === null) return null;
  const progressAt = (place: number): number => Number(Atomics.load(log.progress, place));
  // So many threads read, but a byte counts as one that a single thread reads, in order.
  const cells = (): number =>
    (FASTER * log.threads * progressAt(PROGRESS.cells)) / usedThreads(progressAt(PROGRESS.groups), threads);
  const read = joinProgress(sources, reports, cells, likelihood, SOURCES_OF_REPORTS.inParts);
  const stopShowing = showProgress(() => {
    showRead(sources, reports, log);
    return `sources and reports${read()}`;
  });
  try {
    const counted = await joinParts(log);
    return counted === null ? null : { counted, digitsLostIn: null };
  } finally {
    stopShowing();
    for (const file of [...sources.files, ...reports.files]) file.read = 0;
  }
}

/** The part of the time for reading and joining that is reading, as measured. */
const READING = 0.7;
/** How many bytes are read and joined in parts in the time for one in order, as measured. */
const FASTER = 1.2;

/** Sets how much of each file was read and joined. */
export function showRead(sources: InputFiles, reports: InputFiles, { progress, of }: LogParts): void {
  const joined = Number(Atomics.load(progress, PROGRESS.joined)) / of;
  for (const [index, file] of [...sources.files, ...reports.files].entries())
    file.read =
      READING * Number(Atomics.load(progress, PROGRESS.read + index)) +
      (1 - READING) * joined * (file.size ?? 0);
}

/** @throws InputError */
export async function joinInOrder(
  sources: InputFiles,
  reports: InputFiles,
  { groupBy, joining, asOf }: JoinSetup,
  { likelihood, threads }: JoinedFor,
): Promise<JoinedLogs> {
  const join = new LogJoin(groupBy, joining);
  const cells = (): number => join.cells / usedThreads(join.groupCount, threads);
  const read = joinProgress(sources, reports, cells, likelihood);
  const stopShowing = showProgress(() => `sources and reports${read()}`);
  try {
    await readSources(sources, join);
    for await (const rows of readRows(reports))
      for (const row of rows) {
        const report = join.addReport(row.value);
        if (report !== null) accepted(row, report);
      }
  } finally {
    stopShowing();
  }
  return { counted: join.statistics(asOf), digitsLostIn: join.digitsLostIn() };
}
