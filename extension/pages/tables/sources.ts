import type { Source } from '../../../src/model/records';
import { siteOf } from '../../../src/model/site';
import { t } from '../../i18n';
import { filterDataOf } from '../words/filter-data';
import type { Tone } from '../words/tone';
import { column, from, type Cell, type TableDefinition } from './table';

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
    column('time', ({ time }) => time, { title: t('tables_column_registered'), as: 'time' }),
    column('event_id', ({ registration }) => String(registration.sourceEventId), { as: 'number' }),
    column('type', ({ sourceType }) => sourceType, { facet: true }),
    column('status', statusId, {
      outcome: true,
      label: (cell) => (isStatus(cell) ? statuses[cell][0] : String(cell)),
      tone: (cell) => (isStatus(cell) ? statuses[cell][1] : undefined),
      facet: true,
      truth: true,
    }),
    column('source_origin', ({ sourceOrigin }) => sourceOrigin, { as: 'origin', facet: true }),
    column('destinations', ({ registration }) => list(registration.destinations), {
      as: 'origin',
      facet: true,
    }),
    column('reporting_origin', ({ reportingOrigin }) => reportingOrigin, { as: 'origin', facet: true }),
    column('reports', ({ reportCount }) => reportCount, { as: 'number', truth: true }),
    column('max_reports', ({ registration }) => registration.maxEventLevelReports, {
      as: 'number',
      optional: true,
    }),
    column('expiry', ({ expiryTime }) => expiryTime, { as: 'time', optional: true }),
    column('states', ({ states }) => String(states), { as: 'number', optional: true }),
    column('rate', ({ randomizedTriggerRate }) => randomizedTriggerRate, { as: 'number', optional: true }),
    column('epsilon', ({ registration }) => registration.eventLevelEpsilon, {
      as: 'number',
      facet: true,
      optional: true,
    }),
    column('priority', ({ registration }) => String(registration.priority), { as: 'number', optional: true }),
    column(
      'debug_key',
      ({ registration }) => (registration.debugKey === null ? null : String(registration.debugKey)),
      { as: 'number', optional: true },
    ),
    column('matching', ({ registration }) => registration.triggerDataMatching, {
      facet: true,
      optional: true,
    }),
    column('flexible', ({ registration }) => (registration.flexible ? 'yes' : 'no'), {
      label: (cell) => (cell === 'yes' ? t('tables_yes') : t('tables_no')),
      facet: true,
      optional: true,
    }),
    column('scopes', ({ attributionScopes }) => list(attributionScopes?.values ?? []), { optional: true }),
    column(
      'filter_data',
      (source) => list([...filterDataOf(source)].map(([key, values]) => `${key}: ${values.join(' ')}`)),
      { optional: true },
    ),
    column('dedup_keys', ({ deduplicationKeys }) => list(deduplicationKeys), { optional: true, truth: true }),
  ],
};
