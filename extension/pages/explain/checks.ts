import type { CheckId } from '../../../src/model/checks';
import { t } from '../../i18n';

/** What a check asks, what its failure means, and where it is in the specification. */
export interface CheckExplanation {
  readonly question: string;
  readonly failed: string;
  /** The same where debug mode forced a state, and chance decided nothing. */
  readonly forced?: string;
  readonly section: string;
}

const SPECIFICATION = 'https://wicg.github.io/attribution-reporting-api/';
const FLEXIBLE = 'https://github.com/WICG/attribution-reporting-api/blob/main/flexible_event_config.md';

const at = (anchor: string): string => `${SPECIFICATION}#${anchor}`;
const trigger = at('triggering-attribution');
const eventLevel = at('triggering-event-level-attribution');
const aggregatable = at('triggering-aggregatable-attribution');
const debugReport = at('obtaining-and-delivering-aggregatable-debug-report');
const debugBudget = {
  question: t('checks_debug_budget_question'),
  failed: t('checks_debug_budget_failed'),
  section: debugReport,
};
const rateLimits = at('should-block-attribution-for-rate-limits');
const source = at('processing-an-attribution-source');
const scopes = at('attribution-scope');
const filters = at('does-filter-data-match');

const privacyBudget: CheckExplanation = {
  question: t('checks_privacy_budget_question'),
  failed: t('checks_privacy_budget_failed'),
  section: source,
};

export const checkExplanations: Readonly<Record<CheckId, CheckExplanation>> = {
  // Triggers.
  'event-trigger-data': {
    question: t('checks_event_trigger_data_question'),
    failed: t('checks_event_trigger_data_failed'),
    section: eventLevel,
  },
  'matching-source': {
    question: t('checks_matching_source_question'),
    failed: t('checks_matching_source_failed'),
    section: trigger,
  },
  filters: {
    question: t('checks_filters_question'),
    failed: t('checks_filters_failed'),
    section: filters,
  },
  'source-within-budget': {
    question: t('checks_source_within_budget_question'),
    failed: t('checks_source_within_budget_failed'),
    section: eventLevel,
  },
  'source-not-noised': {
    question: t('checks_not_noised_question'),
    failed: t('checks_not_noised_failed'),
    forced: t('checks_output_forced'),
    section: at('obtaining-randomized-source-response'),
  },
  'candidates-within-budget': {
    question: t('checks_candidates_budget_question'),
    failed: t('checks_candidates_budget_failed'),
    section: trigger,
  },
  attribution: {
    question: t('checks_attribution_question'),
    failed: t('checks_attribution_failed'),
    section: trigger,
  },
  'value-share': {
    question: t('checks_share_question'),
    failed: t('checks_share_failed'),
    section: trigger,
  },
  'event-trigger-data-filters': {
    question: t('checks_event_filters_question'),
    failed: t('checks_event_filters_failed'),
    section: filters,
  },
  'deduplication-key': {
    question: t('checks_deduplication_key_question'),
    failed: t('checks_deduplication_key_failed'),
    section: eventLevel,
  },
  'trigger-data': {
    question: t('checks_trigger_data_question'),
    failed: t('checks_trigger_data_failed'),
    section: at('trigger-data-matching-mode-header'),
  },
  'report-window-started': {
    question: t('checks_window_started_question'),
    failed: t('checks_window_started_failed'),
    section: eventLevel,
  },
  'report-window-open': {
    question: t('checks_window_open_question'),
    failed: t('checks_window_open_failed'),
    section: eventLevel,
  },
  'source-attributable': {
    question: t('checks_still_attributable_question'),
    failed: t('checks_still_attributable_failed'),
    section: eventLevel,
  },
  'reports-of-source': {
    question: t('checks_reports_of_source_question'),
    failed: t('checks_reports_of_source_failed'),
    section: eventLevel,
  },
  'priority-over-report': {
    question: t('checks_priority_over_report_question'),
    failed: t('checks_priority_over_report_failed'),
    section: eventLevel,
  },
  'conversions-kept': {
    question: t('checks_conversions_kept_question'),
    failed: t('checks_conversions_kept_failed'),
    section: FLEXIBLE,
  },
  'summary-buckets-left': {
    question: t('checks_summary_buckets_question'),
    failed: t('checks_summary_buckets_failed'),
    section: FLEXIBLE,
  },
  'priority-over-conversions': {
    question: t('checks_priority_over_conversions_question'),
    failed: t('checks_priority_over_conversions_failed'),
    section: FLEXIBLE,
  },
  'attributions-per-pair': {
    question: t('checks_attributions_per_pair_question'),
    failed: t('checks_attributions_per_pair_failed'),
    section: rateLimits,
  },
  'attributing-origins': {
    question: t('checks_attributing_origins_question'),
    failed: t('checks_attributing_origins_failed'),
    section: rateLimits,
  },
  'pending-reports': {
    question: t('checks_pending_reports_question'),
    failed: t('checks_pending_reports_failed'),
    section: eventLevel,
  },
  'source-not-noised-to-nothing': {
    question: t('checks_not_noised_to_nothing_question'),
    failed: t('checks_not_noised_to_nothing_failed'),
    forced: t('checks_output_forced'),
    section: at('obtaining-randomized-source-response'),
  },
  // Triggers, for aggregatable reports.
  'aggregatable-contributions': {
    question: t('checks_contributions_question'),
    failed: t('checks_contributions_failed'),
    section: at('creating-aggregatable-contributions'),
  },
  'aggregatable-reports-of-source': {
    question: t('checks_aggregatable_reports_question'),
    failed: t('checks_aggregatable_reports_failed'),
    section: aggregatable,
  },
  'aggregatable-budget': {
    question: t('checks_contribution_budget_question'),
    failed: t('checks_contribution_budget_failed'),
    section: at('can-source-create-aggregatable-contributions'),
  },
  'named-budget': {
    question: t('checks_named_budget_question'),
    failed: t('checks_named_budget_failed'),
    section: at('can-source-create-aggregatable-contributions'),
  },
  // Both, for aggregatable debug reports.
  'debug-data': {
    question: t('checks_debug_data_question'),
    failed: t('checks_debug_data_failed'),
    section: debugReport,
  },
  'debug-budget-of-source': debugBudget,
  'debug-reports-of-source': {
    question: t('checks_debug_reports_question'),
    failed: t('checks_debug_reports_failed'),
    section: debugReport,
  },
  'debug-budget-of-site': debugBudget,
  'debug-budget-of-reporting-site': debugBudget,
  // Sources.
  'budget-share': {
    question: t('checks_budget_share_question'),
    failed: t('checks_budget_share_failed'),
    section: source,
  },
  mechanism: {
    question: t('checks_mechanism_question'),
    failed: t('checks_mechanism_failed'),
    section: at('obtaining-randomized-source-response'),
  },
  'trigger-state-cardinality': {
    question: t('checks_cardinality_question'),
    failed: t('checks_cardinality_failed'),
    section: source,
  },
  'channel-capacity': {
    question: t('checks_capacity_question'),
    failed: t('checks_capacity_failed'),
    section: at('computing-channel-capacity'),
  },
  'event-states': {
    question: t('checks_event_states_question'),
    failed: t('checks_event_states_failed'),
    section: scopes,
  },
  'scopes-channel-capacity': {
    question: t('checks_scopes_capacity_question'),
    failed: t('checks_scopes_capacity_failed'),
    section: scopes,
  },
  'sources-of-origin': {
    question: t('checks_sources_of_origin_question'),
    failed: t('checks_sources_of_origin_failed'),
    section: source,
  },
  'origins-per-site': {
    question: t('checks_origins_per_site_question'),
    failed: t('checks_origins_per_site_failed'),
    section: source,
  },
  'destinations-per-minute': {
    question: t('checks_destinations_minute_question'),
    failed: t('checks_destinations_minute_failed'),
    section: source,
  },
  'destinations-per-day': {
    question: t('checks_destinations_day_question'),
    failed: t('checks_destinations_day_failed'),
    section: source,
  },
  'unexpired-destinations': {
    question: t('checks_unexpired_destinations_question'),
    failed: t('checks_unexpired_destinations_failed'),
    section: source,
  },
  'destinations-of-all': {
    question: t('checks_destinations_all_question'),
    failed: t('checks_destinations_all_failed'),
    section: source,
  },
  'origins-per-destination': {
    question: t('checks_origins_with_sources_question'),
    failed: t('checks_origins_with_sources_failed'),
    section: at('should-block-processing-for-reporting-origin-limit'),
  },
  'privacy-budget': privacyBudget,
  'impressions-of-unit': privacyBudget,
  'joint-budget': {
    question: t('checks_joint_budget_question'),
    failed: t('checks_joint_budget_failed'),
    section: source,
  },
};

/** The checks of a trigger in the order of the algorithm. The pages use it to list those that a failed check prevented. */
export const triggerChecks: readonly CheckId[] = [
  'matching-source',
  'filters',
  'source-within-budget',
  'source-not-noised',
  'event-trigger-data-filters',
  'deduplication-key',
  'trigger-data',
  'report-window-started',
  'report-window-open',
  'source-attributable',
  'reports-of-source',
  'attributions-per-pair',
  'attributing-origins',
  'pending-reports',
  'source-not-noised-to-nothing',
];

/** As `triggerChecks`, for sources. */
export const sourceChecks: readonly CheckId[] = [
  'trigger-state-cardinality',
  'channel-capacity',
  'sources-of-origin',
  'origins-per-site',
  'destinations-per-minute',
  'destinations-per-day',
  'unexpired-destinations',
  'destinations-of-all',
];
