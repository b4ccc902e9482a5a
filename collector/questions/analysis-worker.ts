import { analysesOf } from '../../analysis/estimate/result/analyses';
import { estimateResult } from '../../analysis/estimate/result/estimate-result';
import { countsJson } from '../../analysis/estimate/result/counts-json';
import { resultJson } from '../../analysis/estimate/result/result-json';
import { noneJoins } from '../../analysis/estimate/result/unjoined';
import { analysisWorker } from './analysis-request';

/** A thread that turns counts into estimates. Intervals take too long for the main thread, which receives reports. */

export default analysisWorker.answer(({ joined, groupBy, options }) => {
  const { completeUntil, counts, otherKinds } = joined;
  const counted = countsJson(counts, otherKinds);
  const configurations = analysesOf(joined.configurations, options, noneJoins(counted.reports));
  const asOf = completeUntil === null ? null : new Date(completeUntil).toISOString();
  return estimateResult.write(resultJson({ ...counted, asOf, options, groupBy, configurations }));
});
