import type { Source } from '../../../src/model/records';
import { siteOf } from '../../../src/model/site';
import { t } from '../../i18n';
import { filterDataOf } from '../words/filter-data';
import type { Tone } from '../words/tone';
import { from, type Cell, type TableDefinition } from './table';

/** What a source still does. In debug mode only, because it tells what noise did. */
type StatusId =
  | 'forced'
  | 'noised-no-reports'
  | 'noised-fake-reports'
  | 'noise-to-come'
  | 'noised-at-the-end'
  | 'over-budget'
  | 'forgotten'
  | 'limit-reached'
  | 'attributable';

const statuses: Readonly<Record<StatusId, readonly [words: string, tone: Tone]>> = {
  forced: [t('tables_source_forced'), 'warn'],
  'noised-no-reports': [t('tables_source_noised_no_reports'), 'warn'],
  'noised-fake-reports': [t('tables_source_noised_fake_reports'), 'warn'],
  'noise-to-come': [t('tables_source_noise_to_come'), 'warn'],
  'noised-at-the-end': [t('tables_source_noised_at_the_end'), 'warn'],
  'over-budget': [t('tables_source_over_budget'), 'warn'],
  forgotten: [t('tables_source_forgotten'), 'soft'],
  'limit-reached': [t('tables_source_limit_reached'), 'soft'],
  attributable: [t('tables_source_attributable'), 'good'],
};

function statusId(source: Source): StatusId {
  const { noise, attributable, reportCount, registration, overBudget, forgotten } = source;
  if (noise.kind === 'replaced' && noise.forced === true) return 'forced';
  if (noise.kind === 'replaced') return noise.reports === 0 ? 'noised-no-reports' : 'noised-fake-reports';
  if (noise.kind === 'undrawn') return 'noise-to-come';
  if (noise.kind === 'drawn') return 'noised-at-the-end';
  if (overBudget === true) return 'over-budget';
  if (forgotten === true) return 'forgotten';
  const isFull =
    !attributable || (!registration.flexible && reportCount >= registration.maxEventLevelReports);
  return isFull ? 'limit-reached' : 'attributable';
}

export function statusOf(source: Source): { readonly words: string; readonly tone: Tone } {
  const [words, tone] = statuses[statusId(source)];
  return { words, tone };
}

const isStatus = (cell: Cell): cell is StatusId => Object.hasOwn(statuses, String(cell));

const list = (values: readonly unknown[]): string | null => values.map(String).join(', ') || null;

export const sources: TableDefinition<Source> = {
  name: 'sources',
  title: t('tables_column_sources'),
  empty: t('tables_sources_empty'),
  from: [from('sources', (source) => source)],
  sites: ({ sourceSite, reportingOrigin, registration }) => [
    sourceSite,
    siteOf(reportingOrigin),
    ...registration.destinations,
  ],
  columns: [
    { key: 'time', title: t('tables_column_registered'), value: ({ time }) => time, as: 'time' },
    {
      key: 'event_id',
      title: t('tables_column_event_id'),
      value: ({ registration }) => String(registration.sourceEventId),
      as: 'number',
    },
    {
      key: 'type',
      title: t('tables_column_type'),
      value: ({ sourceType }) => sourceType,
      facet: true,
    },
    {
      key: 'status',
      outcome: true,
      title: t('tables_column_status'),
      value: statusId,
      label: (cell) => (isStatus(cell) ? statuses[cell][0] : String(cell)),
      tone: (cell) => (isStatus(cell) ? statuses[cell][1] : undefined),
      facet: true,
      truth: true,
    },
    {
      key: 'source_origin',
      title: t('tables_column_source_origin'),
      value: ({ sourceOrigin }) => sourceOrigin,
      as: 'origin',
      facet: true,
    },
    {
      key: 'destinations',
      title: t('tables_column_destinations'),
      value: ({ registration }) => list(registration.destinations),
      as: 'origin',
      facet: true,
    },
    {
      key: 'reporting_origin',
      title: t('tables_column_reporting_origin'),
      value: ({ reportingOrigin }) => reportingOrigin,
      as: 'origin',
      facet: true,
    },
    {
      key: 'reports',
      title: t('tables_column_reports'),
      value: ({ reportCount }) => reportCount,
      as: 'number',
      truth: true,
    },
    {
      key: 'max_reports',
      title: t('tables_column_max_reports'),
      value: ({ registration }) => registration.maxEventLevelReports,
      as: 'number',
      optional: true,
    },
    {
      key: 'expiry',
      title: t('tables_column_expires'),
      value: ({ expiryTime }) => expiryTime,
      as: 'time',
      optional: true,
    },
    {
      key: 'states',
      title: t('tables_column_states'),
      value: ({ states }) => String(states),
      as: 'number',
      optional: true,
    },
    {
      key: 'rate',
      title: t('tables_column_rate'),
      value: ({ randomizedTriggerRate }) => randomizedTriggerRate,
      as: 'number',
      optional: true,
    },
    {
      key: 'epsilon',
      title: t('tables_column_epsilon'),
      value: ({ registration }) => registration.eventLevelEpsilon,
      as: 'number',
      facet: true,
      optional: true,
    },
    {
      key: 'priority',
      title: t('tables_column_priority'),
      value: ({ registration }) => String(registration.priority),
      as: 'number',
      optional: true,
    },
    {
      key: 'debug_key',
      title: t('tables_column_debug_key'),
      value: ({ registration }) => (registration.debugKey === null ? null : String(registration.debugKey)),
      as: 'number',
      optional: true,
    },
    {
      key: 'matching',
      title: t('tables_column_matching'),
      value: ({ registration }) => registration.triggerDataMatching,
      facet: true,
      optional: true,
    },
    {
      key: 'flexible',
      title: t('tables_column_flexible'),
      value: ({ registration }) => (registration.flexible ? 'yes' : 'no'),
      label: (cell) => (cell === 'yes' ? t('tables_yes') : t('tables_no')),
      facet: true,
      optional: true,
    },
    {
      key: 'scopes',
      title: t('tables_column_scopes'),
      value: ({ attributionScopes }) => list(attributionScopes?.values ?? []),
      optional: true,
    },
    {
      key: 'filter_data',
      title: t('tables_column_filter_data'),
      value: (source) =>
        list([...filterDataOf(source)].map(([key, values]) => `${key}: ${values.join(' ')}`)),
      optional: true,
    },
    {
      key: 'dedup_keys',
      title: t('tables_column_deduplication_keys'),
      value: ({ deduplicationKeys }) => list(deduplicationKeys),
      optional: true,
      truth: true,
    },
  ],
};
