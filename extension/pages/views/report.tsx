import type { JSX } from 'preact';
import { replacedBy } from '../../../src/reports/replaced-by';
import type { FinishedReport } from '../../../src/model/records';
import { reportStatus, type ReportRow } from '../data/tables/reports';
import { ask } from '../lib/ask';
import { readReport } from '../lib/related';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { useChanges, useLoaded } from '../lib/use-stored';
import { columnIndex } from '../data/table';
import { triggers } from '../data/tables/triggers';
import { useDataset } from '../lib/session';
import { Card, Chip, Definitions, Empty, Json, Moment } from '../ui/basics';
import { ItemPage } from './item-page';

/** `#/reports/23`. */
export function ReportPage({ id }: { readonly id: number }): JSX.Element {
  const { reader } = useSession();
  const changes = useChanges(['reports', 'finished']);
  const row = useLoaded(() => readReport(reader, id), [reader, id, changes]);
  return (
    <ItemPage table="reports" title={`Report ${id}`} id={id}>
      {row === null && <Empty>There is no such report; it may have been erased.</Empty>}
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
      <Card title="What became of it">
        <Definitions
          of={[
            [
              'Status',
              <Chip key="s" tone={finished?.end === 'delivered' ? 'good' : 'soft'}>
                {reportStatus(row)}
              </Chip>,
            ],
            ['Due', <Moment key="d" time={report.reportTime} now={overview.now} />],
            [
              'Next attempt',
              finished === null ? <Moment time={report.nextAttempt} now={overview.now} /> : null,
            ],
            ['Ended', finished === null ? null : <Moment time={finished.time} now={overview.now} />],
            ['Replaced by', finished?.end === 'replaced' ? <ReplacedBy finished={finished} /> : null],
            ['Kind', report.kind],
            ['URL', report.url],
            [
              'Source',
              event === null ? null : (
                <a href={routeTo(['sources', event.sourceId])}>Source {event.sourceId}</a>
              ),
            ],
            [
              'Randomized',
              truth && event !== null ? (event.fake ? 'yes, it is fake' : 'no, it is true') : null,
            ],
            [
              'Trigger time',
              truth && event !== null ? <Moment time={event.triggerTime} now={overview.now} /> : null,
            ],
            ['Priority', truth && event !== null ? String(event.triggerPriority) : null],
          ]}
        />
        <SendNow row={row} />
      </Card>
      <Attempts row={row} />
      <Card title="The body, as it is sent">
        <Json value={report.body} label="Report body" />
      </Card>
    </>
  );
}

function SendNow({ row: { report, finished } }: { readonly row: ReportRow }): JSX.Element | null {
  const { act, overview, snapshot } = useSession();
  if (finished !== null || snapshot !== null) return null;
  if (!overview.debugEnabled)
    return (
      <p class="soft">
        It leaves by itself. In <a href="#/debug">debug mode</a> it can be sent now.
      </p>
    );
  return (
    <div class="row">
      <button
        type="button"
        class="primary"
        id="send-now"
        onClick={() => act(() => ask({ kind: 'send-report', id: report.id }))}
      >
        Send now
      </button>
    </div>
  );
}

function Attempts({ row: { report } }: { readonly row: ReportRow }): JSX.Element {
  const { overview } = useSession();
  return (
    <Card title="Attempts to send it">
      {report.attempts.length === 0 ? (
        <p class="soft">None so far.</p>
      ) : (
        <div class="scroll-x">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Attempt</th>
                <th scope="col">Time</th>
                <th scope="col">Answer</th>
                <th scope="col">Sent to</th>
              </tr>
            </thead>
            <tbody>
              {report.attempts.map(({ time, outcome }, index) => (
                <tr key={index}>
                  <td>{index + 1}</td>
                  <td>
                    <Moment time={time} now={overview.now} />
                  </td>
                  <td>
                    {outcome.kind === 'answered' ? `HTTP ${outcome.status}` : `no answer: ${outcome.error}`}
                  </td>
                  <td class="break">
                    {outcome.kind === 'answered' ? (outcome.to ?? report.url) : report.url}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

/** The report that took its place, found by the conversion that made it. */
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
    <span>a conversion that a limit then dropped</span>
  ) : (
    <a href={routeTo(['reports', by])}>Report {by}</a>
  );
}
