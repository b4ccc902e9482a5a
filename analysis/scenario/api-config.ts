import type { Limits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { days, epsilon, minutes, type Duration } from '../../src/model/units';
import { as, boolean, list, choice, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';

/** The settings in a scenario's `api_config`: vendor-specific values, and a switch of Chromium's delivery. */
export interface ApiConfig {
  readonly limits: Limits;
  /** The number of the retry that waits for a navigation instead of a time; null in Chromium as shipped. */
  readonly navigationRetry: 1 | 2 | 3 | null;
}

const numeric =
  (what: 'string-with-count' | 'string-with-bits', valid: (value: number) => boolean): Parser<number> =>
  (place) => {
    const value = typeof place.value === 'string' && place.value !== '' ? Number(place.value) : NaN;
    if (valid(value)) return value;
    place.expected(what);
    return 1;
  };

const MAX_EPSILON = 1e9;
/** Longer than any clock runs. */
const MAX_WINDOW = days(100_000);

const count = numeric('string-with-count', (value) => Number.isSafeInteger(value) && value > 0);
const bits = numeric('string-with-bits', (value) => value >= 0);
// A limit in bits may be "Infinity", but with an infinite ε no state can be drawn.
const largestEpsilon = as(
  epsilon,
  numeric('string-with-bits', (value) => value >= 0 && value <= MAX_EPSILON),
);
const whole: Parser<bigint> = (place) => BigInt(count(place));
const duration = (unit: (count: number) => Duration, least = 1): Parser<Duration> =>
  as(
    unit,
    numeric(
      'string-with-count',
      (value) => value >= least && Number.isInteger(value) && unit(value) <= MAX_WINDOW,
    ),
  );

const delay = duration(minutes, 0);

const navigationRetries = ['first_retry', 'second_retry', 'third_retry'] as const;

/** Reads `api_config`; fields that it does not set keep the value of `defaults`. */
export const apiConfig =
  (defaults: Limits): Parser<ApiConfig> =>
  (place) => {
    const fields = new Fields(place);
    const limit = <T>(name: string, parser: Parser<T>, value: T): T => fields.optional(name, parser, value);
    const limits: Limits = {
      maxSourcesPerOrigin: limit('max_sources_per_origin', count, defaults.maxSourcesPerOrigin),
      maxEventLevelReportsPerDestination: limit(
        'max_event_level_reports_per_destination',
        count,
        defaults.maxEventLevelReportsPerDestination,
      ),
      maxSettableEpsilon: limit(
        'max_settable_event_level_epsilon',
        largestEpsilon,
        defaults.maxSettableEpsilon,
      ),
      maxTriggerStateCardinality: limit(
        'max_trigger_state_cardinality',
        whole,
        defaults.maxTriggerStateCardinality,
      ),
      maxChannelCapacity: {
        navigation: limit(
          'max_event_level_channel_capacity_navigation',
          bits,
          defaults.maxChannelCapacity.navigation,
        ),
        event: limit('max_event_level_channel_capacity_event', bits, defaults.maxChannelCapacity.event),
      },
      maxScopesChannelCapacity: {
        navigation: limit(
          'max_event_level_channel_capacity_scopes_navigation',
          bits,
          defaults.maxScopesChannelCapacity.navigation,
        ),
        event: limit(
          'max_event_level_channel_capacity_scopes_event',
          bits,
          defaults.maxScopesChannelCapacity.event,
        ),
      },
      maxDestinationsPerReportingSite: limit(
        'max_destinations_per_source_site_reporting_site',
        count,
        defaults.maxDestinationsPerReportingSite,
      ),
      destinationRateLimitWindow: limit(
        'destination_rate_limit_window_in_minutes',
        duration(minutes),
        defaults.destinationRateLimitWindow,
      ),
      maxDestinationsPerRateLimitWindow: limit(
        'max_destinations_per_rate_limit_window',
        count,
        defaults.maxDestinationsPerRateLimitWindow,
      ),
      maxDestinationsPerRateLimitWindowAndReportingSite: limit(
        'max_destinations_per_rate_limit_window_reporting_site',
        count,
        defaults.maxDestinationsPerRateLimitWindowAndReportingSite,
      ),
      maxDestinationsPerReportingSiteAndDay: limit(
        'max_destinations_per_reporting_site_per_day',
        count,
        defaults.maxDestinationsPerReportingSiteAndDay,
      ),
      attributionRateLimitWindow: limit(
        'rate_limit_time_window_in_days',
        duration(days),
        defaults.attributionRateLimitWindow,
      ),
      maxSourceReportingOrigins: limit(
        'rate_limit_max_source_registration_reporting_origins',
        count,
        defaults.maxSourceReportingOrigins,
      ),
      maxAttributionReportingOrigins: limit(
        'rate_limit_max_attribution_reporting_origins',
        count,
        defaults.maxAttributionReportingOrigins,
      ),
      maxAttributions: limit('rate_limit_max_attributions', count, defaults.maxAttributions),
      maxReportingOriginsPerSourceReportingSite: limit(
        'rate_limit_max_reporting_origins_per_source_reporting_site',
        count,
        defaults.maxReportingOriginsPerSourceReportingSite,
      ),
      originRateLimitWindow: limit(
        'rate_limit_origins_per_site_window_in_days',
        duration(days),
        defaults.originRateLimitWindow,
      ),
      maxAggregatableReportsPerDestination: limit(
        'max_aggregatable_reports_per_destination',
        count,
        defaults.maxAggregatableReportsPerDestination,
      ),
      maxAggregatableReportsPerSource: limit(
        'max_aggregatable_reports_per_source',
        count,
        defaults.maxAggregatableReportsPerSource,
      ),
      maxAggregatableDebugReportsPerSource: limit(
        'max_aggregatable_debug_reports_per_source',
        count,
        defaults.maxAggregatableDebugReportsPerSource,
      ),
      maxAggregatableDebugBudgetPerSite: limit(
        'max_aggregatable_debug_budget_per_context_site',
        count,
        defaults.maxAggregatableDebugBudgetPerSite,
      ),
      aggregatableReportMinDelay: limit(
        'aggregatable_report_min_delay',
        delay,
        defaults.aggregatableReportMinDelay,
      ),
      aggregatableReportDelaySpan: limit(
        'aggregatable_report_delay_span',
        delay,
        defaults.aggregatableReportDelaySpan,
      ),
      nullReportLookback: defaults.nullReportLookback,
      aggregationCoordinatorOrigins: limit(
        'aggregation_coordinator_origins',
        list(string, { min: 1 }),
        defaults.aggregationCoordinatorOrigins,
      ),
    };
    // Accepted but without effect: this is always on here, and no rate decides without noise.
    fields.optional<boolean>('needs_attribution_scopes', boolean, true);
    for (const name of rates) fields.optional<Json>(name, (at) => at.value, null);
    const retry = fields.optional<(typeof navigationRetries)[number] | null>(
      'retry_after_new_navigation',
      choice(...navigationRetries),
      null,
    );
    fields.warnUnknown();
    return {
      limits,
      navigationRetry: retry === null ? null : ((navigationRetries.indexOf(retry) + 1) as 1 | 2 | 3),
    };
  };

const rates = [
  'null_aggregatable_reports_rate_include_source_registration_time',
  'null_aggregatable_reports_rate_exclude_source_registration_time',
];

/** The inverse of `apiConfig`. */
export function apiConfigOf(limits: Limits): { readonly [name: string]: Json } {
  return {
    max_sources_per_origin: String(limits.maxSourcesPerOrigin),
    max_event_level_reports_per_destination: String(limits.maxEventLevelReportsPerDestination),
    max_settable_event_level_epsilon: String(limits.maxSettableEpsilon),
    max_trigger_state_cardinality: String(limits.maxTriggerStateCardinality),
    max_event_level_channel_capacity_navigation: String(limits.maxChannelCapacity.navigation),
    max_event_level_channel_capacity_event: String(limits.maxChannelCapacity.event),
    max_event_level_channel_capacity_scopes_navigation: String(limits.maxScopesChannelCapacity.navigation),
    max_event_level_channel_capacity_scopes_event: String(limits.maxScopesChannelCapacity.event),
    max_destinations_per_source_site_reporting_site: String(limits.maxDestinationsPerReportingSite),
    destination_rate_limit_window_in_minutes: String(limits.destinationRateLimitWindow / minutes(1)),
    max_destinations_per_rate_limit_window: String(limits.maxDestinationsPerRateLimitWindow),
    max_destinations_per_rate_limit_window_reporting_site: String(
      limits.maxDestinationsPerRateLimitWindowAndReportingSite,
    ),
    max_destinations_per_reporting_site_per_day: String(limits.maxDestinationsPerReportingSiteAndDay),
    rate_limit_time_window_in_days: String(limits.attributionRateLimitWindow / days(1)),
    rate_limit_max_source_registration_reporting_origins: String(limits.maxSourceReportingOrigins),
    rate_limit_max_attribution_reporting_origins: String(limits.maxAttributionReportingOrigins),
    rate_limit_max_attributions: String(limits.maxAttributions),
    rate_limit_max_reporting_origins_per_source_reporting_site: String(
      limits.maxReportingOriginsPerSourceReportingSite,
    ),
    rate_limit_origins_per_site_window_in_days: String(limits.originRateLimitWindow / days(1)),
    max_aggregatable_reports_per_destination: String(limits.maxAggregatableReportsPerDestination),
    max_aggregatable_reports_per_source: String(limits.maxAggregatableReportsPerSource),
    max_aggregatable_debug_reports_per_source: String(limits.maxAggregatableDebugReportsPerSource),
    max_aggregatable_debug_budget_per_context_site: String(limits.maxAggregatableDebugBudgetPerSite),
    aggregatable_report_min_delay: String(limits.aggregatableReportMinDelay / minutes(1)),
    aggregatable_report_delay_span: String(limits.aggregatableReportDelaySpan / minutes(1)),
    aggregation_coordinator_origins: limits.aggregationCoordinatorOrigins,
  };
}
