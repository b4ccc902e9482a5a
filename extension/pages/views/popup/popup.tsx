import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import browser from 'webextension-polyfill';
import type { Settings } from '../../../../formats/settings/settings';
import type { Overview } from '../../../messages';
import { reportDueAt, sentLately, type Sent } from '../../data/read-report';
import type { LiveReader } from '../../data/live-reader';
import { askOverview, askSettings, changeSettings } from '../../state/ask';
import type { CurrentTab } from '../../state/current-tab';
import { rich, t } from '../../../i18n';
import { repeatedly } from '../../state/repeatedly';
import { useAct } from '../../state/use-act';
import { bare, messageOf, showTime } from '../../words/words';
import { Banner } from '../../ui/banner';
import { ClockControls } from '../../ui/clock-controls';
import { ConsentNotice } from '../../ui/consent-notice';
import { Withdraw, Withdrawn } from '../../ui/withdraw';
import { Entries, latestOn, type Latest } from './latest';
import { Link } from './link';
import { Promised } from './promised';
import { Waiting } from './waiting';

const REFRESH = 1000;

interface Shown {
  readonly overview: Overview;
  readonly latest: Latest;
  /** The number of registrations on this page. */
  readonly onPage: number;
  readonly sent: Sent;
  /** The id of the next report that leaves. */
  readonly nextReport: number | null;
  readonly limits: Settings['limits'];
}

/** This page, this site, pending reports, and the most used switches. */
export function Popup({
  reader,
  tab,
}: {
  readonly reader: LiveReader;
  readonly tab: CurrentTab;
}): JSX.Element | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const refresh = useCallback(async () => {
    const overview = await askOverview(tab.site);
    setShown({
      overview,
      latest: await latestOn(reader, tab.site, overview.now),
      onPage: await recordedOn(tab.id),
      sent: await sentLately(reader, overview.debugEnabled),
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
      {latest.here.length > 0 && <Entries id="latest" entries={latest.here} overview={overview} />}
      {latest.elsewhere.length > 0 && (
        <>
          <h3 class="label">{t('popup_elsewhere')}</h3>
          <Entries id="elsewhere" entries={latest.elsewhere} overview={overview} />
        </>
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

/** The badge holds the count. */
async function recordedOn(tabId: number | null): Promise<number> {
  if (tabId === null) return 0;
  return Number(await browser.action.getBadgeText({ tabId }).catch(() => ''));
}
