import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import { bytesOf, shareRead, type InputFiles } from '../io/input-files';
import { percent, showSteps, workProgress } from '../io/progress';
import { estimatesInThreads } from './threads';

/** To read and join a byte of reports takes as long as so many bytes of sources, as measured: in order, and in parts, which know most lines of sources. */
export const SOURCES_OF_REPORTS = { inOrder: 1.5, inParts: 3.7 } as const;
/**
 * The same of the estimates, and of what follows them, for each trigger data and window of a group: from 10,000 in groups of a hundred sources to 25,000 in
 * groups of two thousand.
 */
const SOURCES_OF_CELL = 20_000;
/** What follows the estimates, such as ranks and the rows of the output, takes this part of their time, as measured. */
const AFTERWARDS = 0.25;

/**
 * How much of the work is done while the logs are read, and the remaining time with that for the estimates. Nobody knows how long a likelihood takes,
 * so with it only the share that was read is shown.
 * @param cells of the groups that the sources make so far, for each thread that estimates
 */
export function joinProgress(
  sources: InputFiles,
  reports: InputFiles,
  cells: () => number,
  isLikelihood: boolean,
  sourcesOfReports: number = SOURCES_OF_REPORTS.inOrder,
): () => string {
  if (isLikelihood) return shareProgress(() => shareRead([sources, reports]), ' read');
  return workProgress(() => {
    const [ofSources, ofReports] = [bytesOf([sources]), bytesOf([reports])];
    if (ofSources === null || ofReports === null) return null;
    const all = ofSources.size + sourcesOfReports * ofReports.size + SOURCES_OF_CELL * cells();
    return (ofSources.read + sourcesOfReports * ofReports.read) / all;
  });
}

/** The estimates. Shows which share of them is done and, without likelihoods, the remaining time. */
export async function shownEstimates(
  counted: Statistics,
  options: AnalysisOptions,
  threads: number,
): Promise<EstimateResult> {
  let [done, all] = [0, 0];
  const share = (): number | null => (all === 0 ? null : done / all / (1 + AFTERWARDS));
  const progress = options.likelihood ? shareProgress(share, '') : workProgress(share);
  const { step, stop } = showSteps(() => `estimates${progress()}`);
  try {
    return await estimatesInThreads(counted, options, threads, (...found) => {
      [done, all] = found;
      step();
    });
  } finally {
    stop();
  }
}

/** Which share of the work is done, without the remaining time: ` (43 % read)`. */
const shareProgress = (share: () => number | null, word: string) => (): string => {
  const done = share();
  return done === null ? '' : ` (${percent(done)}${word})`;
};
