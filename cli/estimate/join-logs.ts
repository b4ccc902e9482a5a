import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { InputFiles } from '../io/input-files';
import { showProgress } from '../io/progress';
import { readRows } from '../io/rows';
import { joinParts, partedJoin, showRead } from './join-parts';
import { PROGRESS, type JoinSetup } from './join-workers';
import { joinProgress } from './progress';
import { accepted, readSources } from './read-sources';
import { usedThreads } from './threads';

/** What the logs are joined for, and in how many threads. */
interface JoinedFor {
  readonly likelihood: boolean;
  readonly threads: number;
}

interface JoinedLogs {
  readonly counted: Statistics;
  readonly digitsLostIn: ReturnType<LogJoin['digitsLostIn']>;
}

type Setup = Omit<JoinSetup, 'sources' | 'reports' | 'progress'>;

/** Null for logs that must be joined in order, perhaps to say what is wrong with them. */
export async function joinInParts(
  sources: InputFiles,
  reports: InputFiles,
  options: Setup,
  { likelihood, threads }: JoinedFor,
): Promise<JoinedLogs | null> {
  const parted = partedJoin(sources, reports, options, threads);
  if (parted === null) return null;
  const { progress } = parted.setup;
  // So many threads read, but a byte counts as one that a single thread reads.
  const cells = (): number =>
    (parted.threads * Atomics.load(progress, PROGRESS.cells)) /
    usedThreads(Atomics.load(progress, PROGRESS.groups), threads);
  const read = joinProgress(sources, reports, cells, likelihood);
  const stopShowing = showProgress(() => {
    showRead(sources, reports, parted);
    return `sources and reports${read()}`;
  });
  try {
    const counted = await joinParts(parted);
    return counted === null ? null : { counted, digitsLostIn: null };
  } finally {
    stopShowing();
    for (const file of [...sources.files, ...reports.files]) file.read = 0;
  }
}

/** @throws InputError */
export async function joinInOrder(
  sources: InputFiles,
  reports: InputFiles,
  { groupBy, joining, asOf }: Setup,
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
