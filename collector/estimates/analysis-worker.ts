import { analyse } from '../../analysis/estimate/analysis';
import { estimateResult } from '../../analysis/estimate/estimate-result';
import { countsJson, resultJson } from '../../analysis/estimate/result-json';
import { analysisWorker } from './analysis-request';

/** A thread that turns tallies into estimates. Intervals take too long for the main thread, which receives reports. */

export default analysisWorker.answer(({ joined, groupBy, options }) => {
  const configurations = joined.configurations.map((tally) => ({ tally, analysis: analyse(tally, options) }));
  const { completeUntil, counts, otherKinds } = joined;
  const asOf = completeUntil === null ? null : new Date(completeUntil).toISOString();
  return estimateResult.write(
    resultJson({ ...countsJson(counts, otherKinds), asOf, options, groupBy, configurations }),
  );
});
