import { count, showDuration, showTime } from './words';

/** A row of one of the tables, as JSON; see src/model/records.ts and decision.ts. */
export type Row = Readonly<Record<string, unknown>>;

/** How one table is shown. */
export interface TableView {
  readonly table: 'log' | 'sources' | 'reports' | 'finished';
  readonly empty: string;
  readonly columns: readonly { readonly title: string; readonly cell: (row: Row, now: number) => string }[];
}

const text = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : `${value as string | number}`;
const time = (value: unknown): string => (typeof value === 'number' ? showTime(value) : '');
const part = (row: Row, name: string): Row => (row[name] ?? {}) as Row;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const kinds = new Map([
  ['source', 'impression'],
  ['trigger', 'conversion'],
]);

/** What became of a registration, in a few words. */
function outcome(row: Row): string {
  if (row['kind'] === 'refused') {
    return `refused: ${list(row['errors'])
      .map((issue) => `${text((issue as Row)['path'])} ${text((issue as Row)['message'])}`.trim())
      .join('; ')}`;
  }
  if (row['kind'] === 'ignored') return `ignored: ${text(row['reason'])}`;
  const decision = part(row, 'decision');
  const noise = part(decision, 'noise');
  if (decision['kind'] === 'stored') {
    return noise['kind'] === 'replaced'
      ? `kept, noised with ${count(Number(noise['reports']), 'fake report')}`
      : 'kept';
  }
  if (decision['kind'] === 'attributed') {
    return `attributed to impression ${text(decision['sourceId'])}: ${count(list(decision['reports']).length, 'report')}`;
  }
  return text(decision['reason']);
}

const body = (row: Row): Row => part(row, 'body');

const attempts = (row: Row): string =>
  list(row['attempts'])
    .map((attempt) => part(attempt as Row, 'outcome'))
    .map((result) => text(result['status'] ?? result['error']))
    .join(', ');

export const views: readonly TableView[] = [
  {
    table: 'log',
    empty: 'Nothing yet. Impressions and conversions appear here as you browse.',
    columns: [
      { title: 'Time', cell: (row) => time(row['time']) },
      { title: 'What', cell: (row) => kinds.get(text(row['kind'])) ?? 'header' },
      { title: 'Page', cell: (row) => text(row['contextOrigin']) },
      { title: 'Reporting origin', cell: (row) => text(row['reportingOrigin']) },
      { title: 'Recorded by', cell: (row) => text(row['via']) },
      { title: 'Outcome', cell: outcome },
      { title: 'Not as in production', cell: (row) => list(row['debug']).map(text).join(', ') },
    ],
  },
  {
    table: 'sources',
    empty: 'No impressions are kept.',
    columns: [
      { title: 'Number', cell: (row) => text(row['id']) },
      { title: 'Time', cell: (row) => time(row['time']) },
      { title: 'Event id', cell: (row) => text(part(row, 'registration')['sourceEventId']) },
      { title: 'Type', cell: (row) => text(row['sourceType']) },
      { title: 'Site', cell: (row) => text(row['sourceSite']) },
      {
        title: 'Destinations',
        cell: (row) => list(part(row, 'registration')['destinations']).map(text).join(', '),
      },
      {
        title: 'Reports',
        cell: (row) =>
          `${text(row['reportCount'])} of ${text(part(row, 'registration')['maxEventLevelReports'])}`,
      },
      { title: 'States', cell: (row) => text(row['states']) },
      { title: 'Noise', cell: (row) => text(part(row, 'noise')['kind']) },
      { title: 'Expires', cell: (row) => time(row['expiryTime']) },
    ],
  },
  {
    table: 'reports',
    empty: 'No reports are waiting.',
    columns: [
      { title: 'Leaves', cell: (row) => time(row['nextAttempt']) },
      { title: 'In', cell: (row, now) => showDuration(Number(row['nextAttempt']) - now) },
      { title: 'Kind', cell: (row) => text(row['kind']) },
      { title: 'Event id', cell: (row) => text(body(row)['source_event_id']) },
      { title: 'Trigger data', cell: (row) => text(body(row)['trigger_data']) },
      { title: 'Destination', cell: (row) => text(body(row)['attribution_destination']) },
      { title: 'To', cell: (row) => text(row['url']) },
      { title: 'Tries', cell: attempts },
    ],
  },
  {
    table: 'finished',
    empty: 'No report has left this device.',
    columns: [
      { title: 'Time', cell: (row) => time(row['time']) },
      { title: 'What became of it', cell: (row) => text(row['end']) },
      { title: 'Kind', cell: (row) => text(part(row, 'report')['kind']) },
      { title: 'Event id', cell: (row) => text(body(part(row, 'report'))['source_event_id']) },
      { title: 'Trigger data', cell: (row) => text(body(part(row, 'report'))['trigger_data']) },
      { title: 'Destination', cell: (row) => text(body(part(row, 'report'))['attribution_destination']) },
      { title: 'To', cell: (row) => text(part(row, 'report')['url']) },
      { title: 'Tries', cell: (row) => attempts(part(row, 'report')) },
    ],
  },
];
