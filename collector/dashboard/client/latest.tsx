import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { PlainTable } from '../../../ui/fitting-table';
import type {
  CollectedAggregatableReport,
  CollectedReport,
  ReportLine,
} from '../../../formats/reports/report-line';
import { t } from './language';
import { bare, showCount, showNumber, showRate, showTime } from './words';

const LAST_VALUE = 2 ** 32 - 1;

const kinds: Readonly<Record<ReportLine['kind'], string>> = {
  'event-level': t('kind-event-level'),
  'event-level-debug': t('kind-event-level-debug'),
  'verbose-debug': t('kind-verbose-debug'),
  aggregatable: t('kind-aggregatable'),
  'aggregatable-debug': t('kind-aggregatable-debug'),
  'aggregate-debug': t('kind-aggregate-debug'),
};

const columns = [
  t('received-utc'),
  t('kind'),
  t('source'),
  t('source-event-id'),
  t('destination'),
  t('says'),
  t('decided-by-chance'),
  t('due-utc'),
];

const reportIdOf = (report: ReportLine): string | undefined => {
  if ('data' in report) return undefined;
  return 'sharedInfo' in report ? report.sharedInfo.info.reportId : report.reportId;
};

/** The report that the address names: Cointoss links each report that it has sent to its row here. */
const linked = (): string | null => new URLSearchParams(location.hash.slice(1)).get('report');

/** Shows the row that the address names, once. */
function useLinkedRow(): void {
  useEffect(() => {
    document.querySelector('tr.linked')?.scrollIntoView({ block: 'center' });
  }, []);
}

export function Latest({ reports }: { readonly reports: readonly ReportLine[] }): JSX.Element {
  useLinkedRow();
  // Once: an address can be long, and each row would read it again.
  const wanted = linked();
  const isThere = wanted === null || reports.some((report) => reportIdOf(report) === wanted);
  return (
    <section class="card">
      <h2 id="latest-title">{t('latest-title')}</h2>
      {!isThere && (
        <p class="soft" id="not-among-latest">
          {t('not-among-latest')}
        </p>
      )}
      {reports.length === 0 ? (
        <p class="empty">{t('none')}</p>
      ) : (
        <PlainTable
          id="latest"
          class="scroll tall"
          label={{ 'aria-labelledby': 'latest-title' }}
          head={columns}
        >
          {reports.map((report) => (
            <Row
              key={report.cursor}
              report={report}
              isLinked={wanted !== null && reportIdOf(report) === wanted}
            />
          ))}
        </PlainTable>
      )}
    </section>
  );
}

const Row = ({
  report,
  isLinked,
}: {
  readonly report: ReportLine;
  readonly isLinked: boolean;
}): JSX.Element => (
  <tr data-report={reportIdOf(report)} class={isLinked ? 'linked' : undefined}>
    <td>{report.receivedTime === null ? '–' : showTime(report.receivedTime)}</td>
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
    <td>{t(report.sourceType === 'navigation' ? 'click' : 'impression')}</td>
    <td>
      <code>{String(report.sourceEventId)}</code>
    </td>
    <td>{report.destinations.map(bare).join(', ')}</td>
    <td>{saidBy(report)}</td>
    <td>{report.randomizedTriggerRate === null ? '–' : showRate(report.randomizedTriggerRate)}</td>
    <td>{showTime(report.scheduledTime)}</td>
  </>
);

const AggregatableCells = ({ report }: { readonly report: CollectedAggregatableReport }): JSX.Element => (
  <>
    <td>–</td>
    <td>–</td>
    <td>{bare(report.sharedInfo.info.destination)}</td>
    <td>{t('sealed')}</td>
    <td>–</td>
    <td>{showTime(report.sharedInfo.info.scheduledTime)}</td>
  </>
);

/** The trigger data with its bucket, or the noisy value instead. */
function saidBy({ noisyValue: value, triggerData: data, summaryBucket: bucket }: CollectedReport): string {
  if (value !== null) return t('says-value', { value: showNumber(value) });
  const values = { data: String(data ?? '') };
  if (bucket === null) return t('says-data', values);
  const [first, last] = bucket.map(showCount);
  return bucket[1] === LAST_VALUE
    ? t('says-from', { ...values, first })
    : t('says-range', { ...values, first, last });
}
