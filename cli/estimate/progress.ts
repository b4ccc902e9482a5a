import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import { shareRead, type InputFiles } from '../io/input-files';
import { percent, showSteps, workProgress } from '../io/progress';
import { estimatesInThreads } from './threads';

/** What takes as long as to read a byte of the source log, as measured: so many bytes of the reports, and of the estimates of a group. */
const [OF_REPORTS, OF_GROUP] = [1, 1] as const;

/**
 * How much of the work is done while the logs are read, and the remaining time with that for the estimates. Nobody knows how long a likelihood takes,
 * so with it only the share that was read is shown.
 * @param groups how many the sources make so far
 */
export function joinProgress(
  sources: InputFiles,
  reports: InputFiles,
  groups: () => number,
  isLikelihood: boolean,
): () => string {
  if (isLikelihood)
    return () => {
      const share = shareRead([sources, reports]);
      return share === null ? '' : ` (${percent(share)} read)`;
    };
  return workProgress(() => {
    const shares = [shareRead([sources]), shareRead([reports])] as const;
    if (shares[0] === null || shares[1] === null) return null;
    const [ofSources, ofReports] = [sizeOf(sources), OF_REPORTS * sizeOf(reports)];
    return (shares[0] * ofSources + shares[1] * ofReports) / (ofSources + ofReports + OF_GROUP * groups());
  });
}

const sizeOf = ({ files }: InputFiles): number => files.reduce((sum, { size }) => sum + (size ?? 0), 0);

/** The estimates. Shows how many groups have theirs, and the remaining time. */
export async function shownEstimates(
  counted: Statistics,
  options: AnalysisOptions,
  threads: number,
): Promise<EstimateResult> {
  let [done, all] = [0, 0];
  const progress = workProgress(() => (all === 0 ? null : done / all));
  const { step, stop } = showSteps(() => `estimates of ${done} of ${all} groups${progress()}`);
  try {
    return await estimatesInThreads(counted, options, threads, (...found) => {
      [done, all] = found;
      step();
    });
  } finally {
    stop();
  }
}
