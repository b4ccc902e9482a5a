import type { Source } from '../../../../src/model/records';
import { siteOf } from '../../../../src/parsing/site';
import { t } from '../../../i18n';
import { from, type Cell, type TableDefinition, type Tone } from '../table';

/** The status of a source, in words and as its column's key. */
export interface SourceStatus {
  readonly key: string;
  readonly words: string;
  readonly tone: Tone | undefined;
}

export function statusOf(source: Source): SourceStatus {
  const key = statusKey(source);
  return { key, words: statusWords(key), tone: toneOfStatus(key) };
}

/** Named as in chrome://attribution-internals. */
function statusKey({ noise, attributable, reportCount, registration }: Source): string {
  if (noise.kind === 'replaced' && noise.forced === true) return 'forced';
  if (noise.kind === 'replaced') return noise.reports === 0 ? 'noised, no reports' : 'noised, fake reports';
  if (noise.kind === 'undrawn') return 'noise to come';
  if (noise.kind === 'drawn') return 'noised at the end';
  const isFull =
    !attributable || (!registration.flexible && reportCount >= registration.maxEventLevelReports);
  return isFull ? 'limit reached' : 'attributable';
}

const statuses: ReadonlyMap<Cell, string> = new Map([
  ['noised, no reports', t('tables_source_noised_no_reports')],
  ['noised, fake reports', t('tables_source_noised_fake_reports')],
  ['noise to come', t('tables_source_noise_to_come')],
  ['noised at the end', t('tables_source_noised_at_the_end')],
  ['forced', t('tables_source_forced')],
  ['limit reached', t('tables_source_limit_reached')],
  ['attributable', t('tables_source_attributable')],
]);

const statusWords = (key: Cell): string => statuses.get(key) ?? String(key);

const toneOfStatus = (cell: Cell): Tone | undefined =>
  cell === 'attributable' ? 'good' : cell === 'limit reached' ? 'soft' : 'warn';

const list = (values: readonly unknown[]): string | null => values.map(String).join(', ') || null;

export const sources: TableDefinition<Source> = {
  name: 'sources',
  title: t('tables_sources_title'),
  empty: t('tables_sources_empty'),
  from: [from('sources', (source) => source)],
  sites: ({ sourceSite, reportingOrigin, registration }) => [
    sourceSite,
    siteOf(reportingOrigin),
    ...registration.destinations,
  ],
  columns: [
    { key: 'time', title: t('tables_column_registered'), value: ({ time }) => time, as: 'time', width: 190 },
    {
      key: 'event_id',
      title: t('tables_column_event_id'),
      value: ({ registration }) => String(registration.sourceEventId),
      as: 'number',
      width: 130,
    },
    {
      key: 'type',
      title: t('tables_column_type'),
      value: ({ sourceType }) => sourceType,
      width: 100,
      facet: true,
    },
    {
      key: 'status',
      title: t('tables_column_status'),
      value: statusKey,
      label: statusWords,
      tone: toneOfStatus,
      width: 150,
      facet: true,
      truth: true,
    },
    {
      key: 'source_origin',
      title: t('tables_column_source_origin'),
      value: ({ sourceOrigin }) => sourceOrigin,
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'destinations',
      title: t('tables_column_destinations'),
      value: ({ registration }) => list(registration.destinations),
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'reporting_origin',
      title: t('tables_column_reporting_origin'),
      value: ({ reportingOrigin }) => reportingOrigin,
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'reports',
      title: t('tables_column_reports'),
      value: ({ reportCount }) => reportCount,
      as: 'number',
      width: 80,
      truth: true,
    },
    {
      key: 'max_reports',
      title: t('tables_column_max_reports'),
      value: ({ registration }) => registration.maxEventLevelReports,
      as: 'number',
      width: 80,
      optional: true,
    },
    {
      key: 'expiry',
      title: t('tables_column_expires'),
      value: ({ expiryTime }) => expiryTime,
      as: 'time',
      width: 190,
    },
    {
      key: 'states',
      title: t('tables_column_states'),
      value: ({ states }) => String(states),
      as: 'number',
      width: 100,
    },
    {
      key: 'rate',
      title: t('tables_column_rate'),
      value: ({ randomizedTriggerRate }) => randomizedTriggerRate,
      as: 'number',
      width: 130,
      optional: true,
    },
    {
      key: 'epsilon',
      title: t('tables_column_epsilon'),
      value: ({ registration }) => registration.eventLevelEpsilon,
      as: 'number',
      width: 60,
      facet: true,
      optional: true,
    },
    {
      key: 'priority',
      title: t('tables_column_priority'),
      value: ({ registration }) => String(registration.priority),
      as: 'number',
      width: 90,
      optional: true,
    },
    {
      key: 'debug_key',
      title: t('tables_column_debug_key'),
      value: ({ registration }) => (registration.debugKey === null ? null : String(registration.debugKey)),
      as: 'number',
      width: 110,
      optional: true,
    },
    {
      key: 'matching',
      title: t('tables_column_matching'),
      value: ({ registration }) => registration.triggerDataMatching,
      width: 100,
      facet: true,
      optional: true,
    },
    {
      key: 'flexible',
      title: t('tables_column_flexible'),
      value: ({ registration }) => (registration.flexible ? 'yes' : 'no'),
      label: (cell) => (cell === 'yes' ? t('tables_yes') : t('tables_no')),
      width: 80,
      facet: true,
      optional: true,
    },
    {
      key: 'scopes',
      title: t('tables_column_scopes'),
      value: ({ attributionScopes }) => list(attributionScopes?.values ?? []),
      width: 120,
      optional: true,
    },
    {
      key: 'filter_data',
      title: t('tables_column_filter_data'),
      value: ({ filterData }) => list([...filterData].map(([key, values]) => `${key}: ${values.join(' ')}`)),
      width: 200,
      optional: true,
    },
    {
      key: 'dedup_keys',
      title: t('tables_column_deduplication_keys'),
      value: ({ deduplicationKeys }) => list(deduplicationKeys),
      width: 150,
      optional: true,
      truth: true,
    },
  ],
};
