import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type {
  CandidateConfiguration,
  OptimizeRequest,
  OptimizeResult,
} from '../../analysis/optimize/optimize';
import type { PastConversions } from '../../analysis/optimize/past-conversions';
import { optimizedRegistration } from '../../analysis/optimize/registration';
import type { WindowChoice } from '../../analysis/optimize/report-windows';
import { toJson } from '../../formats/codec/plain-json';

/** How often each value occurred, with noise. */
export interface PrivatePrior {
  readonly epsilon: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** The request and the data behind it; null if past sources or delays were not given. */
export interface OptimizeInput {
  readonly request: OptimizeRequest;
  readonly past: PastConversions | null;
  /** Null unless the past sources were counted privately. */
  readonly prior: PrivatePrior | null;
  readonly windows: WindowChoice | null;
}

export function optimizeJson({ request, past, prior, windows }: OptimizeInput, result: OptimizeResult): Json {
  const { configurations, best } = result;
  return {
    source_type: request.sourceType,
    epsilon: request.epsilon.toNumber(),
    goal: request.goal,
    loss: request.loss,
    trigger_data: request.triggerData,
    sources: request.sources,
    past_sources: past?.sources ?? null,
    late_conversions: past?.late ?? null,
    prior: prior === null ? null : describePrior(prior),
    window_ends: request.windowEnds,
    mean_wait: windows?.meanWait ?? null,
    configurations: configurations.map(describeConfiguration),
    best: best === null ? null : describeConfiguration(best),
    registration: best === null ? null : optimizedRegistration(request, best),
  };
}

/** As the mechanisms with a prior take it. */
function describePrior({ epsilon, counts }: PrivatePrior): Json {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    epsilon,
    values: [...counts.keys()],
    probabilities: [...counts.values()].map((count) => count / total),
  };
}

/** A row of a table. */
export function configurationRow(row: CandidateConfiguration): JsonObject {
  const json = describeConfiguration(row);
  return Object.fromEntries(
    Object.entries(isJsonObject(json) ? json : {}).flatMap(([name, value]) =>
      name === 'total' && isJsonObject(value)
        ? Object.entries(value).map(([part, number]) => [`total_${part}`, number])
        : [[name, value]],
    ),
  );
}

const describeConfiguration = (row: CandidateConfiguration): Json =>
  toJson({
    summary_buckets: row.summaryBuckets,
    max_event_level_reports: row.maxReports,
    outputs: row.outputs,
    means: row.means,
    states: row.states,
    randomized_trigger_rate: row.randomizedTriggerRate,
    channel_capacity_bits: row.channelCapacity,
    fits: row.fits,
    largest_epsilon: row.largestEpsilon,
    expected_loss: row.expectedLoss,
    discretisation_loss: row.discretisationLoss,
    noise_loss: row.noiseLoss,
    total: {
      mean: row.total.mean,
      standard_deviation: row.total.standardDeviation,
      relative_error: row.total.relative,
      noise_share: row.total.noiseShare,
    },
  });
