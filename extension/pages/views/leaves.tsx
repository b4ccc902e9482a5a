import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { columnIndex, type Item } from '../data/table';
import { reports, type ReportRow } from '../data/tables/reports';
import { sentInWords } from '../explain/sent';
import { readReport } from '../lib/related';
import { routeTo } from '../lib/route';
import { useDataset, useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { bare, count } from '../lib/words';
import { Card, Empty, Moment } from '../ui/basics';

const STEP = 20;

const cell = (item: Item, key: string): string | number | null =>
  item.cells[columnIndex(reports.columns, key)] ?? null;

/** For participants: everything that was sent, as it was sent, and what will be. */
export function LeavesView(): JSX.Element {
  const { settings, overview, site } = useSession();
  const dataset = useDataset(reports);
  const items = useMemo(
    () => [...dataset.items.values()].filter(({ sites }) => site === null || sites.includes(site)),
    [dataset, dataset.version, site],
  );
  const tried = items
    .filter((item) => Number(cell(item, 'attempts')) > 0)
    .sort(
      (a, b) => Number(cell(b, 'ended') ?? Infinity) - Number(cell(a, 'ended') ?? Infinity) || b.id - a.id,
    );
  const waiting = items.filter((item) => cell(item, 'status') === 'waiting').length;
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <h1>What leaves this device</h1>
      <Card>
        <p>
          Cointoss notes on this device which ads were seen or clicked and what followed from them. Your
          history, your name and the pages you read are sent to nobody. What leaves are short{' '}
          <strong>reports</strong>, to{' '}
          {settings.collector === null ? (
            'the server that measures each ad'
          ) : (
            <strong>{bare(settings.collector)}</strong>
          )}
          , days after the fact, each with a number for the ad, a small number for what happened, and the site
          where it happened. Some of them are invented by chance, so that no report proves what you did.
        </p>
        <p>
          When a page asks for it, Cointoss also fetches an ad's measurement address, without cookies. The
          server sees what it sees of any request: the address asked for, and your network address.
        </p>
        <p>
          {count(tried.length, 'report')} sent or tried so far, {waiting} waiting to be sent.{' '}
          {overview.paused ? 'Recording is paused.' : 'You can pause recording from the button of Cointoss.'}{' '}
          <a href="#/data">Erase what was recorded</a>.
        </p>
      </Card>
      <h2>Everything that was sent, the latest first</h2>
      {tried.length === 0 && (
        <Empty>{dataset.isComplete ? 'Nothing has been sent from this device.' : 'Reading …'}</Empty>
      )}
      {tried.slice(0, shown).map(({ id }) => (
        <Sent key={id} id={id} version={dataset.version} />
      ))}
      {tried.length > shown && (
        <div class="row">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, tried.length - shown)} more
          </button>
        </div>
      )}
    </>
  );
}

function Sent({ id, version }: { readonly id: number; readonly version: number }): JSX.Element | null {
  const { reader, overview } = useSession();
  const row = useLoaded(() => readReport(reader, id), [reader, id, version]);
  if (row == null) return null;
  return (
    <article class="card sent" data-report={id}>
      <p>{sentInWords(row.report)}</p>
      <p class="soft small">
        {row.report.attempts.map(({ time, outcome }, index) => (
          <span key={index}>
            {index === 0 ? 'Sent ' : '; again '}
            <Moment time={time} now={overview.now} />:{' '}
            {outcome.kind === 'answered'
              ? `the server answered ${outcome.status}`
              : 'the server did not answer'}
          </span>
        ))}
        {'. '}
        <a href={routeTo(['reports', id])}>
          More<span class="visually-hidden"> about report {id}</span>
        </a>
      </p>
      <details>
        <summary>As it was sent</summary>
        <pre class="json" tabIndex={0} role="region" aria-label={`Report ${id} as it was sent`}>
          {asSent(row)}
        </pre>
      </details>
    </article>
  );
}

/** The request; what the browser adds to every request of the extension is not known here. */
function asSent({ report }: ReportRow): string {
  const last = report.attempts.at(-1)?.outcome;
  const to = last?.kind === 'answered' ? (last.to ?? report.url) : report.url;
  const through = to === report.url ? '' : `Cointoss-Report-Url: ${report.url}\n`;
  return `POST ${to}\nContent-Type: application/json\n${through}\n${JSON.stringify(report.body)}`;
}
