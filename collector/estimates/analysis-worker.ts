import { analyse, type AnalysisOptions } from '../../analysis/estimate/analysis';
import { estimateResult } from '../../analysis/estimate/estimate-result';
import { countsJson, resultJson } from '../../analysis/estimate/result-json';
import type { Json } from '../../src/model/json';
import type { Joined } from './join-store';

/** A thread that turns tallies into estimates. Intervals take too long for the main thread, which receives reports. */

export interface AnalysisRequest {
  readonly joined: Joined;
  readonly groupBy: readonly string[];
  readonly options: AnalysisOptions;
}

export default function answer({ joined, groupBy, options }: AnalysisRequest): Json {
  const configurations = joined.configurations.map((tally) => ({ tally, analysis: analyse(tally, options) }));
  const { completeUntil, counts, otherKinds } = joined;
  const asOf = completeUntil === null ? null : new Date(completeUntil).toISOString();
  return estimateResult.write(
    resultJson({ ...countsJson(counts, otherKinds), asOf, options, groupBy, configurations }),
  );
}
