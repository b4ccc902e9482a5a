import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Report } from '../../../src/model/records';
import { columnIndex, type Item } from '../tables/table';
import { readReport } from '../data/read-report';
import { reports } from '../tables/reports';
import { inventedWords } from '../explain/invented';
import { epsilonIn, sentInWords, sentTo } from '../explain/sent';
import { rich, t } from '../../i18n';
import { words } from '../../words';
import type { Settings } from '../../../formats/settings/settings';
import type { Trial } from '../../../formats/settings/trial';
import { useRegistrationOf } from '../state/related';
import { routeTo } from '../state/route';
import { useDataset, useSession } from '../state/session';
import { useParticipation } from '../state/use-participation';
import { useLoaded } from '../state/use-stored';
import { allOf, bare } from '../words/words';
import { EarlierLimitsOfRecords } from './earlier-limits';
import { Card, Empty, Moment } from '../ui/basics';
import { visuallyHidden, linkTo, strong } from '../ui/tags';

const STEP = 20;

const cell = (item: Item, key: string): string | number | null =>
  item.cells[columnIndex(reports.columns, key)] ?? null;

/** How often chance decides, and when that promises less. */
const odds = (settings: Settings, trial: Trial | null): string =>
  [inventedWords(settings, trial), words.exception(settings) ?? []].flat().join(' ');

/** Odds of the sources that the trial states. */
function InventedInTrial(): JSX.Element | null {
  const trial = useParticipation().shown?.trial ?? null;
  return trial === null ? null : <>{odds(trial.settings, trial)}</>;
}

/** For participants: everything that was sent, exactly as it was sent, and what will be sent. */
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
      (a, b) =>
        Number(cell(b, 'ended') ?? Infinity) - Number(cell(a, 'ended') ?? Infinity) ||
        Number(cell(b, 'report_time')) - Number(cell(a, 'report_time')),
    );
  const waiting = items.filter((item) => cell(item, 'ended') === null);
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <h1>{t('nav_leaves')}</h1>
      <Card>
        <p>{rich('leaves_what', { strong })}</p>
        <p id="invented">
          {!overview.debug.noise && t('leaves_noise_off')}
          {overview.debug.noise && overview.trial === null && odds(settings, null)}
          {overview.debug.noise && overview.trial !== null && <InventedInTrial />}
        </p>
        {overview.debug.noise && <EarlierLimitsOfRecords />}
        <p>{t('leaves_fetches')}</p>
        <p>
          {t('leaves_so_far', { tried: tried.length })}{' '}
          <span id="waiting">
            {t('leaves_waiting', {
              n: waiting.length,
              again: waiting.filter((item) => cell(item, 'status') === 'retrying').length,
              to: allOf(recipients(waiting)),
            })}
          </span>{' '}
          {rich('leaves_change', {
            recording: overview.paused ? 'paused' : 'on',
            link: linkTo('#/data'),
          })}
        </p>
      </Card>
      <h2>{t('leaves_sent')}</h2>
      {tried.length === 0 && <Empty>{t(dataset.isComplete ? 'leaves_nothing' : 'leaves_reading')}</Empty>}
      {tried.slice(0, shown).map(({ id }) => (
        <Sent key={id} id={id} version={dataset.version} />
      ))}
      {tried.length > shown && (
        <div class="row">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            {t('leaves_show_more', { n: Math.min(STEP, tried.length - shown) })}
          </button>
        </div>
      )}
    </>
  );
}

/** The origins to which these reports will be sent. */
const recipients = (items: readonly Item[]): readonly string[] => [
  ...new Set(items.map((item) => bare(new URL(String(cell(item, 'url'))).origin))),
];

function Sent({ id, version }: { readonly id: number; readonly version: number }): JSX.Element | null {
  const { reader, overview } = useSession();
  const row = useLoaded(() => readReport(reader, id, false), [reader, id, version]);
  const entry = useRegistrationOf(row?.report.event?.sourceId ?? -1);
  if (row == null) return null;
  return (
    <article class="card sent" data-report={id}>
      <p>{sentInWords(row.report, epsilonIn(entry ?? null))}</p>
      <p class="soft small">
        {row.report.attempts.map(({ time, outcome }, index) => (
          <span key={index}>
            {index > 0 && '; '}
            {rich(index === 0 ? 'leaves_attempt' : 'leaves_attempt_again', {
              when: <Moment time={time} now={overview.now} />,
              to: bare(new URL(outcome.to ?? row.report.url).origin),
              outcome: outcome.kind,
              status: outcome.kind === 'answered' ? outcome.status : null,
            })}
          </span>
        ))}
        {'. '}
        <a href={routeTo(['reports', id])}>{rich('leaves_more', { id, visuallyHidden })}</a>
      </p>
      <details>
        <summary>{t('leaves_as_sent')}</summary>
        <pre class="json" tabIndex={0} role="region" aria-label={t('leaves_report_as_sent', { id })}>
          {asSent(row.report)}
        </pre>
      </details>
    </article>
  );
}

/** The requests that differ, without the headers that the browser adds to every request. */
function asSent(report: Report): string {
  const requests = sentTo(report).map((to) => {
    const through = to === report.url ? '' : `Cointoss-Report-Url: ${report.url}\n`;
    return `POST ${to}\nContent-Type: application/json\n${through}\n${JSON.stringify(report.body)}`;
  });
  return requests.join('\n\n');
}
