import type { CheckId } from '../../src/model/checks';

const WITHIN = '{count} of at most {limit}';
const WINDOW = '{window, select, before {before it} within {within it} other {after it}}';

/** The numbers that each check compared. */
export const checks = {
  'event-trigger-data': 'the trigger has none',
  'matching-source': '{eligible} of {all} unexpired sources for {destination} with matching scopes',
  filters: '{all, plural, =1 {source {sources}} other {{count} of {all} sources}}',
  'candidates-within-budget': '{count} of {all, plural, one {{all} candidate} other {{all} candidates}}',
  attribution:
    '{how, select, split {{model}: split among sources {sources}} drawn {{model}: drew source {source} of {sources}} untaken {{model}: drew source {source} of {sources}, because no source can take a share of the value} last {{model}, noise is off: the last: source {source} of {sources}} other {{model}, ε = {epsilon}: source {source} of {sources}}}',
  'value-share': '{count, plural, =0 {nothing} other {{values}}} for source {source}',
  'source-within-budget': 'the source is within its budget',
  'source-not-noised':
    '{noise, select, fake {its reports are fake} forced {a state was forced in debug mode} drawn {its output was drawn when its window closed} other {{noise}}}',
  'event-trigger-data-filters': '{count, plural, one {# configuration} other {# configurations}}',
  'deduplication-key': '{key}',
  'trigger-data': '{triggerData}, {matching}',
  'report-window-started': WINDOW,
  'report-window-open': WINDOW,
  'source-attributable': '{count, plural, one {# report} other {# reports}} so far',
  'reports-of-source':
    '{room, select, free {{count} of at most {limit}} full {has its {limit}, {replaceable} can be replaced} other {{final} of {limit} are final}}',
  'priority-over-report': '{priority} against {lowest}',
  'conversions-kept': WITHIN,
  'summary-buckets-left': '{count} of {all}',
  'priority-over-conversions':
    '{reports, plural, one {# report} other {# reports}} from {conversions, plural, one {# conversion} other {# conversions}}',
  'attributions-per-pair': WITHIN,
  'attributing-origins': WITHIN,
  'pending-reports': WITHIN,
  'source-not-noised-to-nothing':
    '{noise, select, replaced {replaced by chance} forced {forced in debug mode} other {{noise}}}',
  'aggregatable-contributions': '{count, plural, one {# contribution} other {# contributions}}',
  'aggregatable-reports-of-source': WITHIN,
  'aggregatable-budget': WITHIN,
  'named-budget': '“{name}”: {count} of at most {limit}',
  'debug-data': '{count, plural, one {# contribution} other {# contributions}}',
  'debug-budget-of-source': WITHIN,
  'debug-reports-of-source': WITHIN,
  'debug-budget-of-site': WITHIN,
  'debug-budget-of-reporting-site': WITHIN,
  'privacy-budget':
    '{unit}: ε = {loss} after {spent} of {budget}{effect, select, excluded {: left out} other {}}',
  'impressions-of-unit': '{unit}: {count} of at most {limit}',
  'joint-budget':
    '{share, select, epsilon {everyone together} reportingSite {quota of the reporting site {site}} sourceSite {quota of impressions on {site}} other {quota of impressions for {site}}}: ε = {loss} after {spent} of {budget}',
  'budget-share': 'ε = {epsilon} of {registered}',
  mechanism:
    '{applies, select, yes {{mechanism}} epsilon {rr instead: ε is 0} windows {rr instead: it has more than one report window} states {rr instead: it has {states, plural, one {{states} state} other {{states} states}}, the prior {wanted}} values {rr instead: its values are {values}, not {wanted}} other {rr instead: its values are of several trigger data, not {wanted}}}',
  'trigger-state-cardinality': WITHIN,
  'channel-capacity': '{bits} of at most {limit}{fitting, select, same {} other {; ε up to {fitting} fits}}',
  'event-states': WITHIN,
  'scopes-channel-capacity': WITHIN,
  'sources-of-origin': WITHIN,
  'origins-per-site': WITHIN,
  'destinations-per-minute': WITHIN,
  'destinations-per-day': WITHIN,
  'unexpired-destinations': 'at most {limit}, {beyond, plural, one {# source} other {# sources}} beyond',
  'destinations-of-all': WITHIN,
  'origins-per-destination': '{count} of at most {limit} for {destination}',
} as const satisfies Record<CheckId, string>;

const ASKS_DEBUG_BUDGET = 'Are the values of the debug report within its budget?';
const ASKS_PRIVACY_BUDGET = 'Not in ARA: is it within the privacy budget?';

/** What each check asks. */
export const questions: Readonly<Record<CheckId, string>> = {
  'event-trigger-data': 'Does the conversion have event-level data?',
  'matching-source': 'Is there a source for this destination from the same reporting origin?',
  filters: 'Do the conversion’s filters match the source’s filter data?',
  'source-within-budget':
    'Not in ARA: do conversions count for this source, or was its privacy budget used up?',
  'source-not-noised': 'Does the source report the truth, with no fake reports from randomized response?',
  'candidates-within-budget':
    'Not in ARA: does any candidate have enough budget left to pay for the attribution?',
  attribution: 'Not in ARA: which source does the attribution model credit?',
  'value-share': 'Not in ARA: does the source get a share of the conversion’s value?',
  'event-trigger-data-filters': 'Does any event_trigger_data have filters that match the source?',
  'deduplication-key': 'Is the deduplication key new to the source?',
  'trigger-data': 'Is the trigger data one of the source’s?',
  'report-window-started': 'Had the source’s first report window started?',
  'report-window-open': 'Was a report window still open?',
  'source-attributable': 'Does the source still take conversions?',
  'reports-of-source': 'Can the source make another report?',
  'priority-over-report': 'Is its priority higher than the lowest priority of the waiting reports?',
  'conversions-kept': 'Can this flexible source keep another conversion?',
  'summary-buckets-left': 'Is there a summary bucket that has not been reported yet?',
  'priority-over-conversions': 'Is its priority high enough among the conversions of this flexible source?',
  'attributions-per-pair': 'Is the number of attributions for these two sites within the limit?',
  'attributing-origins':
    'Is the number of reporting origins with attributions for these two sites within the limit?',
  'pending-reports': 'Is there room for another waiting report for this destination?',
  'source-not-noised-to-nothing': 'Did randomized response leave the source free to report?',
  'aggregatable-contributions': 'Does it contribute to an aggregatable report?',
  'aggregatable-reports-of-source': 'May the source make another aggregatable report?',
  'aggregatable-budget': "Are the values within the source's contribution budget?",
  'named-budget': 'Are the values within the named budget?',
  'debug-data': 'Does the header ask for reports about this event?',
  'debug-budget-of-source': ASKS_DEBUG_BUDGET,
  'debug-reports-of-source': 'May the source make another debug report with values?',
  'debug-budget-of-site': ASKS_DEBUG_BUDGET,
  'debug-budget-of-reporting-site': ASKS_DEBUG_BUDGET,
  'budget-share': 'Not in ARA: how much of its ε may the source spend?',
  mechanism: 'Not in ARA: which mechanism randomizes the output?',
  'trigger-state-cardinality': 'Is the number of possible outputs within the limit?',
  'channel-capacity': 'Is the information in one output within the limit?',
  'event-states': 'Is the number of states of this impression within max_event_states?',
  'scopes-channel-capacity': 'Is the information in its attribution scopes within the limit?',
  'sources-of-origin': 'Is there room for another source from this page’s origin?',
  'origins-per-site':
    'Is this the only origin of its reporting site that registered sources here in the last day?',
  'destinations-per-minute':
    'Is this reporting site’s number of destinations in the last minute within the limit?',
  'destinations-per-day': 'Is this reporting site’s number of destinations in the last day within the limit?',
  'unexpired-destinations': 'Is there room for the source’s destinations among the unexpired ones?',
  'destinations-of-all':
    'Is the number of destinations in the last minute, over all reporting sites, within the limit?',
  'origins-per-destination':
    'Is the number of reporting origins with sources for these two sites within the limit?',
  'privacy-budget': ASKS_PRIVACY_BUDGET,
  'impressions-of-unit': ASKS_PRIVACY_BUDGET,
  'joint-budget': 'Not in ARA: is it within the budget that all reporting sites share?',
};

const NO_DEBUG_BUDGET =
  'These values would exceed what debug reports may add: in all for the source, or in a day on this site. The report is empty.';
const NO_PRIVACY_BUDGET =
  'This privacy unit has no budget left in this period. The source answers with noise as every source does, but no conversion counts for it. The person at this device, or their trial, sets the budget.';

/** What it means that a check failed, and what to change. */
export const failures: Readonly<Record<CheckId, string>> = {
  'event-trigger-data':
    'The header has no event_trigger_data, so an event-level report would have nothing to say.',
  'matching-source':
    'This reporting origin has no source for this site that is still kept. Check three things: the two reporting origins must be exactly the same, the source’s destination must name this site, and the source must not have expired.',
  filters:
    'The conversion’s top-level filters (or not_filters) do not match the source’s filter_data, or the source is older than the lookback window.',
  'source-within-budget':
    'The privacy budget of this unit was used up when the source came. The source answers with noise as every source does, but no conversion counts for it.',
  'source-not-noised':
    'Randomized response replaced this source’s output when the source was registered. Its reports are fake, and conversions do not change them.',
  'candidates-within-budget':
    'A private attribution spends ε for every candidate, and no candidate has enough left. The budget starts afresh for impressions of the next period.',
  attribution: 'The attribution model credited no source.',
  'value-share':
    'The conversion’s value was split among several sources, and this source’s share is 0 after rounding.',
  'event-trigger-data-filters': 'The conversion has no event_trigger_data whose filters match the source.',
  'deduplication-key': 'This source has already counted a conversion with the same deduplication_key.',
  'trigger-data':
    'The source does not list this trigger data. With “exact” matching it must. (With an empty list, nothing matches.)',
  'report-window-started': "The conversion came before the start_time of the source's report windows.",
  'report-window-open':
    'The source’s last report window had already closed. (A conversion at the exact end is too late.)',
  'source-attributable':
    'An earlier conversion found the source full, with no report to replace. Since then, the source takes no conversions.',
  'reports-of-source':
    'The source already has max_event_level_reports reports, and none of them is waiting in the same window. Only a report of the same window can be replaced.',
  'priority-over-report':
    'The source has all the reports it may make, and every waiting report of this window has the same or a higher priority. If priorities are equal, the earlier report stays.',
  'conversions-kept': 'The source already keeps the maximum number of conversions.',
  'summary-buckets-left':
    'Every summary bucket of this trigger data has already been reported, and that can no longer change.',
  'priority-over-conversions':
    'Conversions with a higher priority have used up the source’s max_event_level_reports.',
  'attributions-per-pair':
    'This reporting site has reached its limit of attributions for this source site and destination in 30 days.',
  'attributing-origins':
    'In 30 days, too many other reporting origins were credited with attributions for this source site and destination.',
  'pending-reports': 'The maximum number of reports is already waiting for this destination.',
  'source-not-noised-to-nothing':
    'When the source was registered, randomized response decided that it never makes a report. Conversions do not change that.',
  'aggregatable-contributions':
    "None of the source's aggregation keys gets a value from this conversion, so there is nothing to add up.",
  'aggregatable-reports-of-source': 'The source has made its maximum number of aggregatable reports.',
  'aggregatable-budget':
    'With these values, all contributions of the source would add up to more than 65,536.',
  'named-budget': "With these values, the source's contributions to the named budget would exceed it.",
  'debug-data': 'The header does not ask for reports about this event. The report is empty.',
  'debug-budget-of-source': NO_DEBUG_BUDGET,
  'debug-reports-of-source':
    'The source has made its maximum number of debug reports with values. The report is empty.',
  'debug-budget-of-site': NO_DEBUG_BUDGET,
  'debug-budget-of-reporting-site': NO_DEBUG_BUDGET,
  'budget-share': 'The privacy budget has nothing left for this source.',
  mechanism: 'No mechanism fits the source.',
  'trigger-state-cardinality': 'This configuration has more possible outputs than the limit allows.',
  'channel-capacity':
    'One output of this configuration could reveal more bits than the limit allows. Use fewer windows, trigger data or reports, or a smaller ε. The workbench shows what fits.',
  'event-states': 'The configuration has more states than attribution_scopes.max_event_states allows.',
  'scopes-channel-capacity':
    'The attribution scopes and the states of this source could together reveal more bits than the limit allows.',
  'sources-of-origin': 'This source origin already has the maximum number of unexpired sources.',
  'origins-per-site':
    'Another origin of the same reporting site registered a source on this site within one day.',
  'destinations-per-minute':
    'This reporting site registered sources for too many destinations on this site within one minute.',
  'destinations-per-day':
    'This reporting site registered sources for too many destinations on this site within one day.',
  'unexpired-destinations':
    'This site has reached its limit of unexpired destinations, and the sources for the others have a higher destination_limit_priority.',
  'destinations-of-all':
    'All reporting sites together registered sources for too many destinations on this site within one minute.',
  'origins-per-destination':
    'In 30 days, too many other reporting origins registered sources for this source site and destination.',
  'privacy-budget': NO_PRIVACY_BUDGET,
  'impressions-of-unit': NO_PRIVACY_BUDGET,
  'joint-budget':
    'What all reporting sites may learn together in this period is spent, or the quota of a site. The source answers with noise as every source does, but no conversion counts for it.',
};
