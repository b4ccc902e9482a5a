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
