import { days, epsilon, minutes, type Duration, type Epsilon } from './units';

/** A click or other navigation to the advertiser, or an impression. */
export type SourceType = 'navigation' | 'event';

/**
 * The specification's vendor-specific values, with Chromium's numbers (WICG/attribution-reporting-api params/chromium-params.md).
 */
export interface Limits {
  readonly maxSourcesPerOrigin: number;
  readonly maxEventLevelReportsPerDestination: number;
  readonly maxSettableEpsilon: Epsilon;
  readonly maxTriggerStateCardinality: bigint;
  /** In bits. */
  readonly maxChannelCapacity: Readonly<Record<SourceType, number>>;
  /** In bits. */
  readonly maxScopesChannelCapacity: Readonly<Record<SourceType, number>>;
  readonly maxDestinationsPerReportingSite: number;
  readonly destinationRateLimitWindow: Duration;
  readonly maxDestinationsPerRateLimitWindow: number;
  readonly maxDestinationsPerRateLimitWindowAndReportingSite: number;
  readonly maxDestinationsPerReportingSiteAndDay: number;
  readonly attributionRateLimitWindow: Duration;
  readonly maxSourceReportingOrigins: number;
  readonly maxAttributionReportingOrigins: number;
  readonly maxAttributions: number;
  readonly maxReportingOriginsPerSourceReportingSite: number;
  readonly originRateLimitWindow: Duration;
  readonly maxAggregatableReportsPerDestination: number;
  readonly maxAggregatableReportsPerSource: number;
  readonly maxAggregatableDebugReportsPerSource: number;
  /** The most that values in aggregatable debug reports about one page's site may add up to in a day. */
  readonly maxAggregatableDebugBudgetPerSite: number;
  /** How long after its trigger an aggregatable report is due, at least. */
  readonly aggregatableReportMinDelay: Duration;
  /** How long a uniformly random time is added to that, at most. */
  readonly aggregatableReportDelaySpan: Duration;
  /** How long before its trigger a null report may say that its source was registered. */
  readonly nullReportLookback: Duration;
  /** The origins that a trigger may name for its aggregatable reports. The first is the default. */
  readonly aggregationCoordinatorOrigins: readonly string[];
}

/** Chromium's values of what the specification leaves open. */
export const chromiumLimits: Limits = {
  maxSourcesPerOrigin: 4096,
  maxEventLevelReportsPerDestination: 1024,
  maxSettableEpsilon: epsilon(14),
  maxTriggerStateCardinality: 2n ** 32n - 1n,
  maxChannelCapacity: { navigation: 11.5, event: 6.5 },
  maxScopesChannelCapacity: { navigation: 11.55, event: 6.5 },
  maxDestinationsPerReportingSite: 100,
  destinationRateLimitWindow: minutes(1),
  maxDestinationsPerRateLimitWindow: 200,
  maxDestinationsPerRateLimitWindowAndReportingSite: 50,
  maxDestinationsPerReportingSiteAndDay: 100,
  attributionRateLimitWindow: days(30),
  maxSourceReportingOrigins: 100,
  maxAttributionReportingOrigins: 10,
  maxAttributions: 100,
  maxReportingOriginsPerSourceReportingSite: 1,
  originRateLimitWindow: days(1),
  maxAggregatableReportsPerDestination: 1024,
  maxAggregatableReportsPerSource: 20,
  maxAggregatableDebugReportsPerSource: 5,
  maxAggregatableDebugBudgetPerSite: 2 ** 20,
  aggregatableReportMinDelay: minutes(0),
  aggregatableReportDelaySpan: minutes(10),
  nullReportLookback: days(30),
  aggregationCoordinatorOrigins: [
    'https://publickeyservice.msmt.aws.privacysandboxservices.com',
    'https://publickeyservice.msmt.gcp.privacysandboxservices.com',
  ],
};
