import { analysesOf, type OnGroup } from '../../analysis/estimate/result/analyses';
import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import { withSlices, type SliceEstimates } from '../../analysis/estimate/result/sliced';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { Analysed } from '../../analysis/estimate/result/totals';
import { noneJoins } from '../../analysis/estimate/result/unjoined';
import { mergeConfigurations, type ConfigurationTally } from '../../analysis/estimate/unbiased/tally';
import { answerOf, startWorker } from '../../node/worker';
import type { SliceTask } from './worker';

/** For fewer groups, a thread takes as long to start as it saves. */
const LEAST_GROUPS = 100;

/** How many threads estimate so many groups, if so many may be used. */
export const usedThreads = (groups: number, threads: number): number =>
  Math.max(1, Math.min(threads, Math.floor(groups / LEAST_GROUPS)));

/** Like `estimatesOf`, in several threads. */
export async function estimatesInThreads(
  counted: Statistics,
  options: AnalysisOptions,
  threads: number,
  onGroup?: OnGroup,
): Promise<EstimateResult> {
  const tallies = mergeConfigurations(counted.configurations);
  const isWithheld = noneJoins(counted.reports);
  return {
    ...counted,
    options,
    configurations: await analysesInThreads(tallies, options, isWithheld, threads, onGroup),
  };
}

/**
 * Like `analysesOf`, to the last digit, but groups are estimated in several threads: this one and others. Each finds what groups have in common by itself,
 * because passing it on would take as long.
 * @param threads the most that may be used.
 * @param onGroup is told as if the other threads were as far as this one.
 */
export async function analysesInThreads(
  tallies: readonly ConfigurationTally[],
  options: AnalysisOptions,
  isWithheld: boolean,
  threads: number,
  onGroup?: OnGroup,
): Promise<readonly Analysed[]> {
  const groups = tallies.reduce((sum, tally) => sum + tally.groups.length, 0);
  const of = usedThreads(groups, threads);
  if (of < 2) return analysesOf(tallies, options, isWithheld, onGroup);
  const slice = (first: number): AnalysisOptions => ({ ...options, slice: { first, of } });
  const workers = Array.from({ length: of - 1 }, () => startWorker('estimate-worker'));
  try {
    const others = Promise.all(
      workers.map((worker, place) => {
        const task: SliceTask = { tallies, options: slice(place + 1), isWithheld };
        return answerOf<SliceEstimates>(worker, task);
      }),
    );
    // If this thread fails, its error is thrown.
    others.catch(() => undefined);
    // The others work meanwhile, though this thread reads no message of theirs.
    const own = analysesOf(tallies, slice(0), isWithheld, (done, all) =>
      onGroup?.(Math.min(of * done, all), all),
    );
    return withSlices(own, await others);
  } finally {
    for (const worker of workers) void worker.terminate();
  }
}
