import { t } from '../../i18n';

/** By the key of the outcome: see `outcomeOf`. */
const words: ReadonlyMap<string, string> = new Map([
  ['malformed', t('explain_outcome_malformed')],
  ['ignored', t('explain_outcome_ignored')],
  // Sources.
  ['kept', t('explain_outcome_kept')],
  ['kept, noised', t('explain_outcome_kept_noised')],
  ['channel capacity limit', t('explain_outcome_channel_capacity_limit')],
  ['destination global rate limit', t('explain_outcome_destination_global_rate_limit')],
  ['destination limit', t('explain_outcome_destination_limit')],
  ['destination per day rate limit', t('explain_outcome_destination_per_day_rate_limit')],
  ['destination rate limit', t('explain_outcome_destination_rate_limit')],
  ['max event states limit', t('explain_outcome_max_event_states_limit')],
  ['reporting origin per site limit', t('explain_outcome_reporting_origin_per_site_limit')],
  ['scopes channel capacity limit', t('explain_outcome_scopes_channel_capacity_limit')],
  ['trigger state cardinality limit', t('explain_outcome_trigger_state_cardinality_limit')],
  // Sources and triggers.
  ['reporting origin limit', t('explain_outcome_reporting_origin_limit')],
  ['storage limit', t('explain_outcome_storage_limit')],
  ['privacy budget', t('explain_outcome_privacy_budget')],
  // Triggers.
  ['credited', t('explain_outcome_credited')],
  ['source over budget', t('explain_outcome_source_over_budget')],
  ['noise', t('explain_outcome_noise')],
  ['no event trigger data', t('explain_outcome_no_event_trigger_data')],
  ['no matching source', t('explain_outcome_no_matching_source')],
  ['no matching filter data', t('explain_outcome_no_matching_filter_data')],
  ['no matching configurations', t('explain_outcome_no_matching_configurations')],
  ['deduplicated', t('explain_outcome_deduplicated')],
  ['no matching trigger data', t('explain_outcome_no_matching_trigger_data')],
  ['report window not started', t('explain_outcome_report_window_not_started')],
  ['report window passed', t('explain_outcome_report_window_passed')],
  ['excessive reports', t('explain_outcome_excessive_reports')],
  ['low priority', t('explain_outcome_low_priority')],
  [
    'attributions per source destination limit',
    t('explain_outcome_attributions_per_source_destination_limit'),
  ],
  ['not credited', t('explain_outcome_not_credited')],
  ['no share', t('explain_outcome_no_share')],
]);

/** The words for an outcome's key. A file of a newer version may have an unknown key, which is returned as it is. */
export function outcomeWords(key: string): string {
  const [, n] = /^split among (\d+)$/.exec(key) ?? [];
  return n === undefined ? (words.get(key) ?? key) : t('explain_outcome_split', { n: Number(n) });
}
