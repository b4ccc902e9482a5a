import { parentPort } from 'node:worker_threads';
import { analyse, type AnalysisOptions } from '../../analysis/estimate/analysis';
import { resultJson } from '../../analysis/estimate/result-json';
import type { Joined } from './join-store';

/** A thread that turns tallies into estimates: intervals take longer than reports can wait. */

export interface AnalysisRequest {
  readonly joined: Joined;
  readonly groupBy: readonly string[];
  readonly options: AnalysisOptions;
}

export type AnalysisAnswer = { readonly result: unknown } | { readonly message: string };

function answer({ joined, groupBy, options }: AnalysisRequest): AnalysisAnswer {
  try {
    const configurations = joined.configurations.map((tally) => ({
      tally,
      analysis: analyse(tally, options),
    }));
    const { completeUntil } = joined;
    const asOf = completeUntil === null ? null : new Date(completeUntil).toISOString();
    return { result: resultJson({ ...joined, asOf, options, groupBy, configurations }) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: AnalysisRequest) => parentPort?.postMessage(answer(request)));
