import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { TableHead } from './chart';
import type { Moment } from '../../../src/model/units';
import { isoText } from '../../../src/parsing/time';
import type { CollectedAggregatableReport, CollectedReport, ReportLine } from '../../../src/wire/report-line';
import { bare, showCount, showRate, showTime } from './words';

const LAST_VALUE = 2 ** 32 - 1;

const kinds: Readonly<Record<ReportLine['kind'], string>> = {
  'event-level': 'report',
  'event-level-debug': 'debug copy',
  'verbose-debug': 'verbose debug',
  aggregatable: 'aggregatable',
  'aggregatable-debug': 'aggregatable debug copy',
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

const reportIdOf = (report: ReportLine): string | undefined => {
  if ('data' in report) return undefined;
  return 'sharedInfo' in report ? report.sharedInfo.info.reportId : report.reportId;
};

/** The report that the address names: Cointoss links each report that it has sent to its row here. */
const linked = (): string | null => new URLSearchParams(location.hash.slice(1)).get('report');

const isLinked = (id: string | undefined): boolean => id !== undefined && id === linked();

/** Shows the row that the address names, once. */
function useLinkedRow(): void {
  useEffect(() => {
    document.querySelector('tr.linked')?.scrollIntoView({ block: 'center' });
  }, []);
}

export function Latest({ reports }: { readonly reports: readonly ReportLine[] }): JSX.Element {
  useLinkedRow();
  const isThere = linked() === null || reports.some((report) => isLinked(reportIdOf(report)));
  return (
    <section class="card">
      <h2 id="latest-title">Latest reports</h2>
      {!isThere && <p class="soft">The report of the link is not among them.</p>}
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
}

const Row = ({ report }: { readonly report: ReportLine }): JSX.Element => (
  <tr data-report={reportIdOf(report)} class={isLinked(reportIdOf(report)) ? 'linked' : undefined}>
    <td>{report.receivedTime === null ? '–' : showMoment(report.receivedTime)}</td>
    <td>{kinds[report.kind]}</td>
    {'data' in report ? (
      <td colSpan={columns.length - 2}>
        <details>
          <summary>{report.data.map(({ type }) => type).join(', ')}</summary>
          <pre>{JSON.stringify(report.data, null, 2)}</pre>
        </details>
      </td>
    ) : 'sharedInfo' in report ? (
      <AggregatableCells report={report} />
    ) : (
      <EventCells report={report} />
    )}
  </tr>
);

const EventCells = ({ report }: { readonly report: CollectedReport }): JSX.Element => (
  <>
    <td>{report.sourceType === 'navigation' ? 'click' : 'view'}</td>
    <td>
      <code>{String(report.sourceEventId)}</code>
    </td>
    <td>{report.destinations.map(bare).join(', ')}</td>
    <td>{saidBy(report)}</td>
    <td>{report.randomizedTriggerRate === null ? '–' : showRate(report.randomizedTriggerRate)}</td>
    <td>{showMoment(report.scheduledTime)}</td>
  </>
);

const AggregatableCells = ({ report }: { readonly report: CollectedAggregatableReport }): JSX.Element => (
  <>
    <td>–</td>
    <td>–</td>
    <td>{bare(report.sharedInfo.info.destination)}</td>
    <td>sealed</td>
    <td>–</td>
    <td>{showMoment(report.sharedInfo.info.scheduledTime)}</td>
  </>
);

const showMoment = (time: Moment): string => showTime(isoText(time));

/** The trigger data with its bucket, or the noisy value instead. */
function saidBy({ noisyValue: value, triggerData: data, summaryBucket: bucket }: CollectedReport): string {
  if (value !== null) return `value ${Number(value.toPrecision(6))}`;
  const what = `data ${String(data ?? '')}`;
  if (bucket === null) return what;
  const [first, last] = bucket;
  const range =
    last === LAST_VALUE ? `${showCount(first)} or more` : `${showCount(first)} to ${showCount(last)}`;
  return `${what}, ${range}`;
}
