import { parentPort } from 'node:worker_threads';
import { analysesOf } from '../../analysis/estimate/result/analyses';
import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import { estimatesOfSlice } from '../../analysis/estimate/result/sliced';
import type { ConfigurationTally } from '../../analysis/estimate/unbiased/tally';

/** One slice of the groups. */
export interface SliceTask {
  readonly tallies: readonly ConfigurationTally[];
  readonly options: AnalysisOptions;
  readonly isWithheld: boolean;
}

parentPort?.once('message', ({ tallies, options, isWithheld }: SliceTask) =>
  parentPort?.postMessage(estimatesOfSlice(analysesOf(tallies, options, isWithheld))),
);
