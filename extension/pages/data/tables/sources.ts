import type { Source } from '../../../../src/model/records';
import { siteOf } from '../../../../src/registration/origin';
import { from, type Cell, type TableDefinition, type Tone } from '../table';

/** As chrome://attribution-internals called it. */
export function statusOf({ noise, attributable, reportCount, registration }: Source): string {
  if (noise.kind === 'replaced') return noise.reports === 0 ? 'noised, no reports' : 'noised, fake reports';
  if (noise.kind === 'undrawn') return 'noise to come';
  if (noise.kind === 'drawn') return 'noised at the end';
  const isFull =
    !attributable || (!registration.flexible && reportCount >= registration.maxEventLevelReports);
  return isFull ? 'limit reached' : 'attributable';
}

export const toneOfStatus = (cell: Cell): Tone | undefined =>
  cell === 'attributable' ? 'good' : cell === 'limit reached' ? 'soft' : 'warn';

const list = (values: readonly unknown[]): string | null => values.map(String).join(', ') || null;

export const sources: TableDefinition<Source> = {
  name: 'sources',
  title: 'Sources',
  noun: 'source',
  empty:
    'No impression or click is kept. Visit a page whose ads register sources; what it registers appears here at once.',
  from: [from('sources', (source) => source)],
  sites: ({ sourceSite, reportingOrigin, registration }) => [
    sourceSite,
    siteOf(reportingOrigin),
    ...registration.destinations,
  ],
  columns: [
    { key: 'time', title: 'Registered', value: ({ time }) => time, as: 'time', width: 190 },
    {
      key: 'event_id',
      title: 'Event id',
      value: ({ registration }) => String(registration.sourceEventId),
      as: 'number',
      width: 130,
    },
    { key: 'type', title: 'Type', value: ({ sourceType }) => sourceType, width: 100, facet: true },
    {
      key: 'status',
      title: 'Status',
      value: statusOf,
      tone: toneOfStatus,
      width: 150,
      facet: true,
      truth: true,
    },
    {
      key: 'source_origin',
      title: 'Source origin',
      value: ({ sourceOrigin }) => sourceOrigin,
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'destinations',
      title: 'Destinations',
      value: ({ registration }) => list(registration.destinations),
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'reporting_origin',
      title: 'Reporting origin',
      value: ({ reportingOrigin }) => reportingOrigin,
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'reports',
      title: 'Reports',
      value: ({ reportCount }) => reportCount,
      as: 'number',
      width: 80,
      truth: true,
    },
    {
      key: 'max_reports',
      title: 'At most',
      value: ({ registration }) => registration.maxEventLevelReports,
      as: 'number',
      width: 80,
      optional: true,
    },
    { key: 'expiry', title: 'Expires', value: ({ expiryTime }) => expiryTime, as: 'time', width: 190 },
    { key: 'states', title: 'States', value: ({ states }) => String(states), as: 'number', width: 100 },
    {
      key: 'rate',
      title: 'Randomized rate',
      value: ({ randomizedTriggerRate }) => randomizedTriggerRate,
      as: 'number',
      width: 130,
      optional: true,
    },
    {
      key: 'epsilon',
      title: 'ε',
      value: ({ registration }) => registration.eventLevelEpsilon,
      as: 'number',
      width: 60,
      facet: true,
      optional: true,
    },
    {
      key: 'priority',
      title: 'Priority',
      value: ({ registration }) => String(registration.priority),
      as: 'number',
      width: 90,
      optional: true,
    },
    {
      key: 'debug_key',
      title: 'Debug key',
      value: ({ registration }) => (registration.debugKey === null ? null : String(registration.debugKey)),
      as: 'number',
      width: 110,
      optional: true,
    },
    {
      key: 'matching',
      title: 'Matching',
      value: ({ registration }) => registration.triggerDataMatching,
      width: 100,
      facet: true,
      optional: true,
    },
    {
      key: 'flexible',
      title: 'Flexible',
      value: ({ registration }) => (registration.flexible ? 'yes' : 'no'),
      width: 80,
      facet: true,
      optional: true,
    },
    {
      key: 'scopes',
      title: 'Scopes',
      value: ({ attributionScopes }) => list(attributionScopes?.values ?? []),
      width: 120,
      optional: true,
    },
    {
      key: 'filter_data',
      title: 'Filter data',
      value: ({ filterData }) => list([...filterData].map(([key, values]) => `${key}: ${values.join(' ')}`)),
      width: 200,
      optional: true,
    },
    {
      key: 'dedup_keys',
      title: 'Deduplication keys',
      value: ({ deduplicationKeys }) => list(deduplicationKeys),
      width: 150,
      optional: true,
      truth: true,
    },
  ],
};
