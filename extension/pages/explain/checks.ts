import type { CheckId } from '../../../src/model/checks';
import { t } from '../../i18n';
import { checkTexts } from '../../check-texts';

/** What a check asks, what its failure means, and where it is in the specification. */
export interface CheckExplanation {
  readonly question: string;
  readonly failed: string;
  readonly section: string;
}

/** @param forced whether debug mode forced a state, so that chance decided nothing */
export const explainCheck = (id: CheckId, forced: boolean): CheckExplanation => ({
  question: checkTexts.questions[id],
  failed: forced ? t('checks_output_forced') : checkTexts.failures[id],
  section: sectionOf(id),
});

const SPECIFICATION = 'https://wicg.github.io/attribution-reporting-api/';
const FLEXIBLE = 'https://github.com/WICG/attribution-reporting-api/blob/main/flexible_event_config.md';

/** Anchors of the specification. All other checks are part of processing a source. */
const sections: Readonly<Record<string, readonly CheckId[]>> = {
  'triggering-event-level-attribution': [
    'event-trigger-data',
    'source-within-budget',
    'deduplication-key',
    'report-window-started',
    'report-window-open',
    'source-attributable',
    'reports-of-source',
    'priority-over-report',
    'pending-reports',
  ],
  'triggering-attribution': ['matching-source', 'candidates-within-budget', 'attribution', 'value-share'],
  'does-filter-data-match': ['filters', 'event-trigger-data-filters'],
  'obtaining-randomized-source-response': ['source-not-noised', 'source-not-noised-to-nothing', 'mechanism'],
  'trigger-data-matching-mode-header': ['trigger-data'],
  'should-block-attribution-for-rate-limits': ['attributions-per-pair', 'attributing-origins'],
  'creating-aggregatable-contributions': ['aggregatable-contributions'],
  'triggering-aggregatable-attribution': ['aggregatable-reports-of-source'],
  'can-source-create-aggregatable-contributions': ['aggregatable-budget', 'named-budget'],
  'obtaining-and-delivering-aggregatable-debug-report': [
    'debug-data',
    'debug-budget-of-source',
    'debug-reports-of-source',
    'debug-budget-of-site',
    'debug-budget-of-reporting-site',
  ],
  'computing-channel-capacity': ['channel-capacity'],
  'attribution-scope': ['event-states', 'scopes-channel-capacity'],
  'should-block-processing-for-reporting-origin-limit': ['origins-per-destination'],
};

const flexible: readonly CheckId[] = [
  'conversions-kept',
  'summary-buckets-left',
  'priority-over-conversions',
];

function sectionOf(id: CheckId): string {
  if (flexible.includes(id)) return FLEXIBLE;
  const found = Object.entries(sections).find(([, ids]) => ids.includes(id));
  return `${SPECIFICATION}#${found?.[0] ?? 'processing-an-attribution-source'}`;
}

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
