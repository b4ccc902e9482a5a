/** What a check of the algorithm asks, what it means when it fails, and where the specification says so. */
export interface CheckExplanation {
  readonly question: string;
  readonly failed: string;
  readonly section: string;
}

const SPECIFICATION = 'https://wicg.github.io/attribution-reporting-api/';
const FLEXIBLE = 'https://github.com/WICG/attribution-reporting-api/blob/main/flexible_event_config.md';

const at = (anchor: string): string => `${SPECIFICATION}#${anchor}`;
const trigger = at('triggering-attribution');
const eventLevel = at('triggering-event-level-attribution');
const rateLimits = at('should-block-attribution-for-rate-limits');
const source = at('processing-an-attribution-source');
const scopes = at('attribution-scope');
const filters = at('does-filter-data-match');

/** By the name that the engine's trace gives the check. */
export const checkExplanations: ReadonlyMap<string, CheckExplanation> = new Map(
  Object.entries({
    // Conversions.
    'event trigger data': {
      question: 'Does the conversion carry event-level data?',
      failed:
        'The header has no event_trigger_data, so there is nothing that an event-level report could say.',
      section: eventLevel,
    },
    'matching source': {
      question: 'Is there a source for this destination, from the same reporting origin?',
      failed:
        'No source that is still kept was registered by this reporting origin for this site. Look whether the reporting origins are the same to the letter, whether the destination names this site, and whether the source had expired.',
      section: trigger,
    },
    filters: {
      question: "Do the conversion's filters fit the source's filter data?",
      failed:
        "The top-level filters (or not_filters) of the conversion do not match the source's filter_data, or the source is older than the lookback window.",
      section: filters,
    },
    'source not noised': {
      question: "Does the source report the truth, not randomized response's fake reports?",
      failed:
        "Randomized response replaced this source's output when it was registered: its reports are invented, and conversions change nothing.",
      section: at('obtaining-randomized-source-response'),
    },
    'candidates within the privacy budget': {
      question: 'Not in ARA: can one of the candidates spend what the attribution costs?',
      failed:
        'A private attribution spends ε for every candidate, and no candidate has so much left; the budget begins anew with impressions of the next period.',
      section: trigger,
    },
    attribution: {
      question: 'Not in ARA: whom does the attribution model credit?',
      failed: 'The attribution model credited nobody.',
      section: trigger,
    },
    'share of the value': {
      question: 'Not in ARA: does something of the value fall to the source?',
      failed: 'The value was split among several sources, and the share of this one rounds to nothing.',
      section: trigger,
    },
    'event trigger data filters': {
      question: 'Does one of the event_trigger_data have filters that fit the source?',
      failed: 'None of the event_trigger_data of the conversion has filters that match the source.',
      section: filters,
    },
    'deduplication key': {
      question: 'Is the deduplication key new for the source?',
      failed: 'A conversion with the same deduplication_key has already been counted for this source.',
      section: eventLevel,
    },
    'trigger data': {
      question: "Is the trigger data among the source's?",
      failed:
        'The source does not have this trigger data, and with "exact" matching it must (with an empty list, nothing matches).',
      section: at('trigger-data-matching-mode-header'),
    },
    'report window started': {
      question: "Had the source's first report window begun?",
      failed: "The conversion came before the start_time of the source's report windows.",
      section: eventLevel,
    },
    'report window open': {
      question: 'Was a report window still open?',
      failed:
        'The last report window of the source had closed. (A conversion exactly at the end is too late.)',
      section: eventLevel,
    },
    'source still attributable': {
      question: 'Can the source still be credited?',
      failed: 'An earlier conversion found the source full with no report to replace; it takes none since.',
      section: eventLevel,
    },
    'reports of the source': {
      question: 'Is there room for another report?',
      failed:
        'The source already has max_event_level_reports, and none of them waits for the same window, where it could be replaced.',
      section: eventLevel,
    },
    'priority over the lowest pending report': {
      question: 'Is its priority higher than that of the least important waiting report?',
      failed:
        'The source is full, and the waiting reports of this window all have at least this priority; of equal ones the earlier stays.',
      section: eventLevel,
    },
    'conversions that are kept': {
      question: 'Is there room to keep another conversion of this flexible source?',
      failed: 'The source keeps as many conversions as it can.',
      section: FLEXIBLE,
    },
    'summary buckets left': {
      question: 'Is there a summary bucket that was not reported yet?',
      failed: 'Every summary bucket of this trigger data has been reported for good.',
      section: FLEXIBLE,
    },
    'priority over other conversions': {
      question: 'Does it rank high enough among the conversions of this flexible source?',
      failed: "Conversions of higher priority use up the source's max_event_level_reports.",
      section: FLEXIBLE,
    },
    'attributions per source site, destination and reporting site': {
      question: 'Are the attributions of this pair of sites within the limit?',
      failed:
        'This reporting site has reached the number of attributions that it may have for this source site and destination in 30 days.',
      section: rateLimits,
    },
    'reporting origins that attribute per source site and destination': {
      question: 'Are the reporting origins that attribute on this pair of sites within the limit?',
      failed:
        'Too many other reporting origins have had attributions for this source site and destination in 30 days.',
      section: rateLimits,
    },
    'pending reports for the destination': {
      question: 'Is there room in the storage for reports about this destination?',
      failed: 'As many reports as may be kept already wait for this destination.',
      section: eventLevel,
    },
    'source not noised to nothing': {
      question: "Did randomized response leave the source's reports to the truth?",
      failed:
        'Randomized response decided, when the source was registered, that it reports nothing, whatever happens.',
      section: at('obtaining-randomized-source-response'),
    },
    // Sources.
    'share of the privacy budget': {
      question: 'Not in ARA: how much of its ε may the source spend?',
      failed: 'The privacy budget leaves nothing for the source.',
      section: source,
    },
    mechanism: {
      question: 'Not in ARA: which mechanism randomizes the output?',
      failed: 'No mechanism fits the source.',
      section: at('obtaining-randomized-source-response'),
    },
    'trigger-state cardinality': {
      question: 'Is the number of possible outputs within the limit?',
      failed: 'The configuration allows more different outputs than a source may have.',
      section: source,
    },
    'channel capacity in bits': {
      question: 'Is what one output can tell within the limit?',
      failed:
        'An output of this configuration could tell more bits than a source may. Fewer windows, trigger data or reports, or a smaller ε, would fit; the workbench shows how.',
      section: at('computing-channel-capacity'),
    },
    'event states': {
      question: 'Are the states of the view within max_event_states?',
      failed: 'The configuration has more states than its attribution_scopes.max_event_states says.',
      section: scopes,
    },
    'scopes channel capacity in bits': {
      question: 'Is what its attribution scopes can tell within the limit?',
      failed: 'The scopes of the source, together with its states, could tell more bits than allowed.',
      section: scopes,
    },
    'unexpired sources of the source origin': {
      question: 'Is there room for another source of this page?',
      failed: 'As many sources as may be kept for this source origin have not expired yet.',
      section: source,
    },
    'reporting origins per source site and reporting site': {
      question: 'Is it the only reporting origin of its site here today?',
      failed: 'Another origin of the same reporting site has registered a source on this site within a day.',
      section: source,
    },
    'destinations per source site and reporting site in a short time': {
      question: "Are this reporting site's destinations of the last minute within the limit?",
      failed:
        'This reporting site registered sources for too many destinations on this site within a minute.',
      section: source,
    },
    'destinations per source site and reporting site in a day': {
      question: "Are this reporting site's destinations of the last day within the limit?",
      failed: 'This reporting site registered sources for too many destinations on this site within a day.',
      section: source,
    },
    'unexpired destinations': {
      question: 'Does the source fit among the unexpired destinations?',
      failed:
        'Sources of this site for other destinations, of higher destination_limit_priority, already fill the number of destinations that may be unexpired at a time.',
      section: source,
    },
    'destinations per source site in a short time': {
      question: 'Are the destinations of the last minute, of all reporting sites, within the limit?',
      failed:
        'All reporting sites together registered sources for too many destinations on this site within a minute.',
      section: source,
    },
  }),
);

const reportingOrigins: CheckExplanation = {
  question: 'Are the reporting origins with sources on this pair of sites within the limit?',
  failed:
    'Too many other reporting origins have registered sources for this source site and destination in 30 days.',
  section: at('should-block-processing-for-reporting-origin-limit'),
};

const privacyBudget: CheckExplanation = {
  question: 'Not in ARA: is it within the privacy budget?',
  failed:
    'The budget of this privacy unit has no room in this period: the person, or the trial they take part in, set how much may be told.',
  section: source,
};

/** Null for a check that a newer engine makes. */
export function explainCheck(name: string): CheckExplanation | null {
  if (name.startsWith('reporting origins with sources for ')) return reportingOrigins;
  if (name.startsWith('privacy budget of ') || name.startsWith('impressions of ')) return privacyBudget;
  return checkExplanations.get(name) ?? null;
}

/** The checks of a conversion in the order of the algorithm, for those that a failed one kept from being made. */
export const conversionChecks: readonly string[] = [
  'matching source',
  'filters',
  'source not noised',
  'event trigger data filters',
  'deduplication key',
  'trigger data',
  'report window started',
  'report window open',
  'source still attributable',
  'reports of the source',
  'attributions per source site, destination and reporting site',
  'reporting origins that attribute per source site and destination',
  'pending reports for the destination',
  'source not noised to nothing',
];

/** As `conversionChecks`, for sources. */
export const sourceChecks: readonly string[] = [
  'trigger-state cardinality',
  'channel capacity in bits',
  'unexpired sources of the source origin',
  'reporting origins per source site and reporting site',
  'destinations per source site and reporting site in a short time',
  'destinations per source site and reporting site in a day',
  'unexpired destinations',
  'destinations per source site in a short time',
];

/** What only the person at the device may know of: see `outcomeOf`. */
export const tellsTruth = (name: string): boolean => name.startsWith('source not noised');
