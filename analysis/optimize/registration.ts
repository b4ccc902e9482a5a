import type { JsonObject } from '../../src/model/json';
import type { CandidateConfiguration, OptimizeRequest } from './optimize';

/** A complete source registration with this configuration; only its destination is an example. */
export function optimizedRegistration(
  { epsilon, triggerData, windowEnds }: OptimizeRequest,
  { maxReports, summaryBuckets }: CandidateConfiguration,
): JsonObject {
  return {
    destination: 'https://destination.example',
    event_level_epsilon: epsilon.toNumber(),
    max_event_level_reports: maxReports,
    trigger_specs: [
      {
        trigger_data: Array.from({ length: triggerData }, (_, index) => index),
        event_report_windows: { start_time: 0, end_times: windowEnds },
        summary_operator: 'value_sum',
        summary_buckets: summaryBuckets,
      },
    ],
  };
}
