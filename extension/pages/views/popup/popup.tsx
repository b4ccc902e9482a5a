import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import browser from 'webextension-polyfill';
import type { Settings } from '../../../../formats/settings/settings';
import type { LogEntry } from '../../../../src/model/decision';
import type { Overview } from '../../../messages';
import { reportDueAt } from '../../data/read-report';
import { whatOf } from '../../words/what';
import type { Reader } from '../../data/reader';
import { outcomeOf } from '../../words/outcome';
import { askOverview, askSettings, changeSettings } from '../../state/ask';
import type { CurrentTab } from '../../state/current-tab';
import { rich, t } from '../../../i18n';
import { repeatedly } from '../../state/repeatedly';
import { routeTo } from '../../state/route';
import { useAct } from '../../state/use-act';
import { bare, messageOf, showDistance, showTime } from '../../words/words';
import { Banner } from '../../ui/banner';
import { Chip } from '../../ui/basics';
import { ClockControls } from '../../ui/clock-controls';
import { ConsentNotice } from '../../ui/consent-notice';
import { Withdraw, Withdrawn } from '../../ui/withdraw';
import { Link } from './link';
import { Promised } from './promised';
import { SENT_SEARCHED, Waiting } from './waiting';

const REFRESH = 1000;
const LATEST = 4;
/** How many of the newest log entries are searched for the site's latest. */
const LATEST_SEARCHED = 300;

interface Shown {
  readonly overview: Overview;
  readonly latest: readonly LogEntry[];
  /** The number of registrations on this page. */
  readonly onPage: number;
  /** How many of the newest finished reports were sent, at most `SENT_SEARCHED`. */
  readonly sent: number;
  /** The id of the next report that leaves. */
  readonly nextReport: number | null;
  readonly limits: Settings['limits'];
}

/** This page, this site, pending reports, and the most used switches. */
export function Popup({
  reader,
  tab,
}: {
  readonly reader: Reader;
  readonly tab: CurrentTab;
}): JSX.Element | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const refresh = useCallback(async () => {
    const overview = await askOverview(tab.site);
    setShown({
      overview,
      latest: await latestOn(reader, tab.site),
      onPage: await recordedOn(tab.id),
      sent: (await reader.newest('finished', SENT_SEARCHED)).filter(({ end }) => end === 'delivered').length,
      nextReport:
        overview.nextReportTime === null ? null : await reportDueAt(reader, overview.nextReportTime),
      limits: (await askSettings()).limits,
    });
  }, [reader, tab]);
  const [withdrawnAt, setWithdrawnAt] = useState<number | null>(null);
  const { act, problem, setProblem } = useAct(refresh);
  useEffect(() => {
    act(() => Promise.resolve());
    const again = (): Promise<void> =>
      refresh().then(
        () => setProblem(''),
        (error: unknown) => setProblem(messageOf(error)),
      );
    return repeatedly(again, REFRESH);
  }, [act, refresh, setProblem]);
  if (shown === null) return null;
  const { overview, limits } = shown;
  // Nothing is recorded before a person agrees, so there is nothing to pause.
  const isOff = overview.consentStatus === 'unanswered' || overview.consentStatus === 'declined';
  return (
    <main>
      <header class="row spread">
        <h1 class="row">
          <img src="../icons/48.png" alt="" /> {t('extensionName')}
        </h1>
        <p class="soft small" id="clock">
          {showTime(overview.now)}
        </p>
      </header>
      <div class="parts">
        {withdrawnAt !== null && overview.consentStatus === 'unanswered' && <Withdrawn at={withdrawnAt} />}
        <ConsentNotice overview={overview} />
        <Banner overview={overview} />
        {!isOff && <Promised overview={overview} limits={limits} reader={reader} act={act} />}
        {tab.site !== null && !isOff && <Here site={tab.site} shown={shown} />}
        {tab.site === null && /^http:/.test(tab.url) && (
          <p class="warn" id="insecure">
            {t('popup_insecure')}
          </p>
        )}
        {(!isOff || overview.pendingReports > 0) && <Waiting {...shown} />}
        {!isOff && (overview.debugEnabled || overview.clockAhead !== 0) && (
          <section class="card" id="debug">
            <h2 class="label">{t('popup_turn_clock')}</h2>
            <ClockControls overview={overview} act={act} compact />
          </section>
        )}
      </div>
      <div class="stack">
        {!isOff && <Pausing overview={overview} site={tab.site} act={act} />}
        {overview.freeSettings !== null && (
          <Withdraw
            pendingReports={overview.pendingReports}
            act={act}
            onWithdrawn={() => setWithdrawnAt(Date.now())}
          />
        )}
        <p class="banner error" id="problem" role="alert" hidden={problem === ''}>
          {problem}
        </p>
        <footer class="row spread small">
          <Link to="internals.html">{t('popup_everything')}</Link>
          <Link to="options.html">{t('popup_options')}</Link>
        </footer>
      </div>
    </main>
  );
}

function Here({ site, shown }: { readonly site: string; readonly shown: Shown }): JSX.Element {
  const { overview, latest, onPage } = shown;
  const { here } = overview;
  return (
    <section class="card" id="here">
      <h2>
        {rich('popup_recorded_on', {
          site: bare(site),
          label: (parts) => <span class="label">{parts}</span>,
          place: (parts) => (
            <span class="break" id="site">
              {parts}
            </span>
          ),
        })}
      </h2>
      <dl class="figures">
        <Figure id="sources" title={t('popup_impressions')} value={here.sources} />
        <Figure id="triggers" title={t('popup_conversions')} value={here.triggers} />
        <Figure id="refused" title={t('popup_refused')} value={here.refused} />
      </dl>
      <p class="row spread small">
        <span class="soft">
          {rich('popup_on_page', { n: onPage, found: (parts) => <span id="on-page">{parts}</span> })}
        </span>
        {here.refused > 0 && (
          <span id="refused-hint">
            <Link to="internals.html#/refused">{t('popup_why_refused')}</Link>
          </span>
        )}
      </p>
      {latest.length > 0 && (
        <ul class="latest small" id="latest">
          {latest.map((entry) => (
            <li key={entry.id}>
              <Link to={`internals.html${routeTo(['log', entry.id])}`}>
                {t('popup_entry', { what: whatOf(entry), id: entry.id })}
              </Link>
              <Chip tone={outcomeOf(entry, overview.debugEnabled).tone}>
                {outcomeOf(entry, overview.debugEnabled).words}
              </Chip>
              <span class="soft">{showDistance(overview.now, entry.time)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const Figure = ({
  id,
  title,
  value,
}: {
  readonly id: string;
  readonly title: string;
  readonly value: number;
}): JSX.Element => (
  <div>
    <dt>{title}</dt>
    <dd id={id}>{value}</dd>
  </div>
);

function Pausing({
  overview,
  site,
  act,
}: {
  readonly overview: Overview;
  readonly site: string | null;
  readonly act: (action: () => Promise<unknown>) => void;
}): JSX.Element {
  return (
    <div class="row">
      {site !== null && (
        <button
          type="button"
          id="pause-here"
          aria-pressed={overview.pausedHere}
          onClick={() => act(() => togglePausedOn(site))}
        >
          {overview.pausedHere ? t('popup_paused_here') : t('popup_pause_here')}
        </button>
      )}
      <button
        type="button"
        id="pause-all"
        aria-pressed={overview.paused}
        onClick={() => act(() => changeSettings({ paused: !overview.paused }))}
      >
        {overview.paused ? t('popup_paused') : t('settings_paused_title')}
      </button>
    </div>
  );
}

async function togglePausedOn(site: string): Promise<void> {
  const { pausedSites } = await askSettings();
  const others = pausedSites.filter((paused) => paused !== site);
  await changeSettings({ pausedSites: others.length < pausedSites.length ? others : [...pausedSites, site] });
}

async function latestOn(reader: Reader, site: string | null): Promise<readonly LogEntry[]> {
  const ids = (await reader.ids('log')).slice(-LATEST_SEARCHED);
  const [first, last] = [ids[0], ids.at(-1)];
  if (site === null || first === undefined || last === undefined) return [];
  const entries = await reader.range('log', first, last);
  return entries
    .filter(({ contextSite }) => contextSite === site)
    .slice(-LATEST)
    .reverse();
}

/** The badge holds the count. */
async function recordedOn(tabId: number | null): Promise<number> {
  if (tabId === null) return 0;
  return Number(await browser.action.getBadgeText({ tabId }).catch(() => ''));
}
