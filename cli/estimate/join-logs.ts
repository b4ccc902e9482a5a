import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { InputFiles } from '../io/input-files';
import { showProgress } from '../io/progress';
import { readRows } from '../io/rows';
import { PROGRESS, type JoinSetup, type JoinTask } from './join-part';
import { joinParts, tasksOf } from './join-parts';
import { joinProgress } from './progress';
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
  const tasks = tasksOf(sources, reports, setup, threads);
  const [task] = tasks ?? [];
  if (tasks === null || task === undefined) return null;
  const progressAt = (place: number): number => Number(Atomics.load(task.progress, place));
  // So many threads read, but a byte counts as one that a single thread reads.
  const cells = (): number =>
    (Math.min(threads, task.of) * progressAt(PROGRESS.cells)) /
    usedThreads(progressAt(PROGRESS.groups), threads);
  const read = joinProgress(sources, reports, cells, likelihood);
  const stopShowing = showProgress(() => {
    showRead(sources, reports, task);
    return `sources and reports${read()}`;
  });
  try {
    const counted = await joinParts(tasks, threads);
    return counted === null ? null : { counted, digitsLostIn: null };
  } finally {
    stopShowing();
    for (const file of [...sources.files, ...reports.files]) file.read = 0;
  }
}

/** Sets how much of each file the parts have read on average. */
export function showRead(sources: InputFiles, reports: InputFiles, { progress, of }: JoinTask): void {
  for (const [index, file] of [...sources.files, ...reports.files].entries())
    file.read = Number(Atomics.load(progress, PROGRESS.read + index)) / of;
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
