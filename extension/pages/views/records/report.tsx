import type { JSX } from 'preact';
import { PlainTable } from '../../../../ui/fitting-table';
import { replacedBy } from '../../explain/replaced-by';
import type { AggregatableReport, FinishedReport, Report } from '../../../../src/model/records';
import { readReport } from '../../data/read-report';
import type { ReportRow } from '../../data/report-row';
import { reportStatus } from '../../words/report-status';
import { ask } from '../../state/ask';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { useChanges, useLoaded } from '../../state/use-stored';
import { columnIndex } from '../../tables/table';
import { triggers } from '../../tables/triggers';
import { useDataset } from '../../state/session';
import { Card, Chip, Definitions, Empty, Json, Moment } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { reportMarkdown } from '../../explain/item-markdown';
import { ItemPage } from './item-page';
import { ReportBody, ReportInShort } from './report-body';
import { Share } from './share';

/** `#/reports/23`. */
export function ReportPage({ id }: { readonly id: number }): JSX.Element {
  const { reader, truth } = useSession();
  const changes = useChanges(['reports', 'finished']);
  const row = useLoaded(() => readReport(reader, id, truth), [reader, id, truth, changes]);
  return (
    <ItemPage table="reports" title={t('report_title', { id })} id={id}>
      {row === null && <Empty>{t('report_gone')}</Empty>}
      {row != null && <Details row={row} />}
    </ItemPage>
  );
}

function Details({ row }: { readonly row: ReportRow }): JSX.Element {
  const { truth, overview } = useSession();
  const { report, finished } = row;
  const { event } = report;
  return (
    <>
      <ReportInShort row={row} />
      <ReportBody report={report} />
      <Share
        subject={{ sources: event === null ? [] : [event.sourceId], report: report.id }}
        name={`cointoss-report-${report.id}`}
        markdown={() => reportMarkdown(row, t('report_title', { id: report.id }))}
      />
      <Card title={t('report_result')}>
        <Definitions
          of={[
            [
              t('tables_column_status'),
              <Chip key="s" tone={finished?.end === 'delivered' ? 'good' : 'soft'}>
                {reportStatus(row)}
              </Chip>,
            ],
            [t('tables_column_report_time'), <Moment key="d" time={report.reportTime} now={overview.now} />],
            [
              t('tables_column_next_attempt'),
              finished === null ? <Moment time={report.nextAttempt} now={overview.now} /> : null,
            ],
            [
              t('tables_column_ended'),
              finished === null ? null : <Moment time={finished.time} now={overview.now} />,
            ],
            [
              t('report_replaced_by'),
              finished?.end === 'replaced' ? <ReplacedBy finished={finished} /> : null,
            ],
            [t('tables_column_kind'), report.kind],
            [t('tables_column_url'), report.url],
            [
              t('tables_column_randomized'),
              truth && event !== null ? randomizedInWords(report.noise, event.fake) : null,
            ],
            [
              t('tables_column_trigger_time'),
              truth && event !== null ? <Moment time={event.triggerTime} now={overview.now} /> : null,
            ],
            [
              t('report_contributions'),
              truth && report.aggregatable !== undefined ? contributionsInWords(report.aggregatable) : null,
            ],
            [t('tables_column_priority'), truth && event !== null ? String(event.triggerPriority) : null],
          ]}
        />
        <SendNow row={row} />
      </Card>
      <Attempts row={row} />
      <Card title={t('report_body')}>
        <Json value={report.body} label={t('report_body_label')} />
      </Card>
    </>
  );
}

function randomizedInWords(noise: Report['noise'], fake: boolean): string {
  if (noise === 'forced') return t('report_is_forced');
  return t(fake ? 'report_is_fake' : 'report_is_true');
}

const contributionsInWords = ({ contributions }: AggregatableReport): string =>
  contributions.length === 0
    ? t('report_no_contributions')
    : contributions.map(({ key, value }) => `0x${key.toString(16)}: ${value}`).join(', ');

function SendNow({ row: { report, finished } }: { readonly row: ReportRow }): JSX.Element | null {
  const { act, overview, snapshot } = useSession();
  if (finished !== null || snapshot !== null) return null;
  if (!overview.debugEnabled)
    return <p class="soft">{rich('report_leaves_by_itself', { link: linkTo('#/debug') })}</p>;
  return (
    <div class="row">
      <button
        type="button"
        class="primary"
        id="send-now"
        onClick={() => act(() => ask({ kind: 'send-report', id: report.id }))}
      >
        {t('report_send_now')}
      </button>
    </div>
  );
}

function Attempts({ row: { report } }: { readonly row: ReportRow }): JSX.Element {
  const { overview } = useSession();
  return (
    <Card title={t('report_attempts')}>
      {report.attempts.length === 0 ? (
        <p class="soft">{t('report_no_attempt')}</p>
      ) : (
        <PlainTable
          head={[t('report_attempt'), t('tables_column_time'), t('report_answer'), t('report_sent_to')]}
        >
          {report.attempts.map(({ time, outcome }, index) => (
            <tr key={index}>
              <td>{index + 1}</td>
              <td>
                <Moment time={time} now={overview.now} />
              </td>
              <td>
                {outcome.kind === 'answered'
                  ? t('report_answered', { status: outcome.status })
                  : t('report_no_answer', { error: outcome.error })}
              </td>
              <td class="break">{outcome.to ?? report.url}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}

/** The report that replaced this one, found by the trigger that made it. */
function ReplacedBy({ finished }: { readonly finished: FinishedReport }): JSX.Element {
  const { reader } = useSession();
  const dataset = useDataset(triggers);
  const timeIndex = columnIndex(triggers.columns, 'time');
  const ids = [...dataset.items.values()]
    .filter(({ cells }) => cells[timeIndex] === finished.time)
    .map(({ id }) => id);
  const by = useLoaded(async () => {
    const entries = await Promise.all(ids.map((id) => reader.get('log', id)));
    return replacedBy(
      finished,
      entries.flatMap((entry) => entry ?? []),
    );
  }, [reader, finished.id, ids.join()]);
  if (by === undefined) return <span class="soft">…</span>;
  return by === null ? (
    <span>{t('report_replaced_by_dropped')}</span>
  ) : (
    <a href={routeTo(['reports', by])}>{t('report_title', { id: by })}</a>
  );
}
