import type { SourceRejection, TriggerDrop } from '../../../src/model/decision';
import { t } from '../../i18n';
import type { Tone } from './tone';

/** What became of a registration: the key by which tables are filtered, searched and exported. */
export type OutcomeId =
  | 'malformed'
  | 'ignored'
  | 'kept'
  | 'kept-noised'
  | 'kept-forced'
  | 'kept-over-budget'
  | 'credited'
  | 'split'
  | 'state-forced'
  | SourceRejection['reason']
  | TriggerDrop['reason'];

const outcomes: Readonly<Record<OutcomeId, readonly [words: string, tone: Tone]>> = {
  malformed: [t('explain_outcome_malformed'), 'bad'],
  ignored: [t('explain_outcome_ignored'), 'soft'],
  // Sources.
  kept: [t('explain_outcome_kept'), 'good'],
  'kept-noised': [t('explain_outcome_kept_noised'), 'warn'],
  'kept-forced': [t('explain_outcome_kept_forced'), 'warn'],
  'kept-over-budget': [t('explain_outcome_kept_over_budget'), 'warn'],
  'source-channel-capacity-limit': [t('explain_outcome_channel_capacity_limit'), 'bad'],
  'source-destination-global-rate-limit': [t('explain_outcome_destination_global_rate_limit'), 'bad'],
  'source-destination-limit': [t('explain_outcome_destination_limit'), 'bad'],
  'source-destination-per-day-rate-limit': [t('explain_outcome_destination_per_day_rate_limit'), 'bad'],
  'source-destination-rate-limit': [t('explain_outcome_destination_rate_limit'), 'bad'],
  'source-max-event-states-limit': [t('explain_outcome_max_event_states_limit'), 'bad'],
  'source-reporting-origin-limit': [t('explain_outcome_reporting_origin_limit'), 'bad'],
  'source-reporting-origin-per-site-limit': [t('explain_outcome_reporting_origin_per_site_limit'), 'bad'],
  'source-scopes-channel-capacity-limit': [t('explain_outcome_scopes_channel_capacity_limit'), 'bad'],
  'source-storage-limit': [t('explain_outcome_storage_limit'), 'bad'],
  'source-trigger-state-cardinality-limit': [t('explain_outcome_trigger_state_cardinality_limit'), 'bad'],
  // Triggers.
  credited: [t('explain_outcome_credited'), 'good'],
  split: [t('explain_outcome_split'), 'good'],
  'state-forced': [t('tables_source_forced'), 'warn'],
  'no-event-trigger-data': [t('explain_outcome_no_event_trigger_data'), 'warn'],
  'trigger-no-matching-source': [t('explain_outcome_no_matching_source'), 'warn'],
  'trigger-no-matching-filter-data': [t('explain_outcome_no_matching_filter_data'), 'warn'],
  'trigger-event-noise': [t('explain_outcome_noise'), 'warn'],
  'trigger-event-no-matching-configurations': [t('explain_outcome_no_matching_configurations'), 'warn'],
  'trigger-event-deduplicated': [t('explain_outcome_deduplicated'), 'warn'],
  'trigger-event-no-matching-trigger-data': [t('explain_outcome_no_matching_trigger_data'), 'warn'],
  'trigger-event-report-window-not-started': [t('explain_outcome_report_window_not_started'), 'warn'],
  'trigger-event-report-window-passed': [t('explain_outcome_report_window_passed'), 'warn'],
  'trigger-event-excessive-reports': [t('explain_outcome_excessive_reports'), 'warn'],
  'trigger-event-low-priority': [t('explain_outcome_low_priority'), 'warn'],
  'trigger-event-attributions-per-source-destination-limit': [
    t('explain_outcome_attributions_per_source_destination_limit'),
    'warn',
  ],
  'trigger-reporting-origin-limit': [t('explain_outcome_reporting_origin_limit'), 'warn'],
  'trigger-event-storage-limit': [t('explain_outcome_storage_limit'), 'warn'],
  'trigger-privacy-budget': [t('explain_outcome_privacy_budget'), 'warn'],
  'trigger-source-over-budget': [t('explain_outcome_source_over_budget'), 'warn'],
  'trigger-not-credited': [t('explain_outcome_not_credited'), 'warn'],
  'trigger-event-no-share': [t('explain_outcome_no_share'), 'warn'],
};

/** A file of a newer version may have unknown outcomes. */
const isKnown = (key: string): key is OutcomeId => Object.hasOwn(outcomes, key);

export const outcomeWords = (key: string): string => (isKnown(key) ? outcomes[key][0] : key);

export const outcomeTone = (key: string): Tone => (isKnown(key) ? outcomes[key][1] : 'warn');
