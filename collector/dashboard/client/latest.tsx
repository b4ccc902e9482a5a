import type { JSX } from 'preact';
import { TableHead } from './chart';
import type { ReportLine } from './answers';
import { bare, showCount, showRate, showTime } from './words';

const LAST_VALUE = 2 ** 32 - 1;

const kinds: Readonly<Record<ReportLine['kind'], string>> = {
  'event-level': 'report',
  'event-level-debug': 'debug copy',
  'verbose-debug': 'verbose debug',
};

const columns = [
  'Received (UTC)',
  'Kind',
  'Source',
  'Source event id',
  'Destination',
  'Says',
  'Noise rate',
  'Due (UTC)',
];

export const Latest = ({ reports }: { readonly reports: readonly ReportLine[] }): JSX.Element => (
  <section class="card">
    <h2 id="latest-title">Latest reports</h2>
    {reports.length === 0 ? (
      <p class="empty">None</p>
    ) : (
      <div class="scroll tall" tabIndex={0} role="region" aria-labelledby="latest-title">
        <table class="plain-table" id="latest">
          <TableHead columns={columns} />
          <tbody>
            {reports.map((report) => (
              <Row key={report.cursor} report={report} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);

function Row({ report }: { readonly report: ReportLine }): JSX.Element {
  const { kind, received_time: received, data } = report;
  return (
    <tr data-report={report.report_id}>
      <td>{showTime(received)}</td>
      <td>{kinds[kind]}</td>
      {data === undefined ? (
        <EventCells report={report} />
      ) : (
        <td colSpan={columns.length - 2}>
          <details>
            <summary>{data.map(({ type }) => type).join(', ')}</summary>
            <pre>{JSON.stringify(data, null, 2)}</pre>
          </details>
        </td>
      )}
    </tr>
  );
}

const EventCells = ({ report }: { readonly report: ReportLine }): JSX.Element => (
  <>
    <td>{report.source_type === 'navigation' ? 'click' : 'view'}</td>
    <td>
      <code>{report.source_event_id}</code>
    </td>
    <td>{[report.attribution_destination ?? []].flat().map(bare).join(', ')}</td>
    <td>{saidBy(report)}</td>
    <td>{report.randomized_trigger_rate === undefined ? '–' : showRate(report.randomized_trigger_rate)}</td>
    <td>{showTime(new Date(Number(report.scheduled_report_time ?? 0) * 1000).toISOString())}</td>
  </>
);

/** The trigger data with its bucket, or the noisy value instead. */
function saidBy({
  noisy_value: value,
  trigger_data: data,
  trigger_summary_bucket: bucket,
}: ReportLine): string {
  if (value !== undefined) return `value ${Number(value.toPrecision(6))}`;
  if (bucket === undefined) return `data ${data ?? ''}`;
  const [first, last] = bucket;
  const range =
    last === LAST_VALUE ? `${showCount(first)} or more` : `${showCount(first)} to ${showCount(last)}`;
  return `data ${data ?? ''}, ${range}`;
}
