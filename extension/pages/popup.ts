import browser from 'webextension-polyfill';
import type { Overview } from '../messages';
import type { Settings } from '../../src/model/settings';
import { siteOfUrl } from '../../src/registration/origin';
import { ask, askOverview, byId } from './background';
import { actWith, listenToClock } from './controls';
import { bannerText, count, showDuration, showTime } from './words';

const REFRESH = 1000;

/** The site of the page that the person is on. Opened in a tab of its own, that is the one used before. */
async function currentSite(): Promise<string | null> {
  const [active] = await browser.tabs.query({ active: true, currentWindow: true });
  if (active?.url?.startsWith(browser.runtime.getURL('')) !== true) return siteOfUrl(active?.url ?? '');
  const tabs = await browser.tabs.query({ url: ['http://*/*', 'https://*/*'] });
  const latest = tabs.sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))[0];
  return siteOfUrl(latest?.url ?? '');
}

function show(overview: Overview, site: string | null): void {
  byId('clock').textContent = showTime(overview.now);
  byId('banner').hidden = overview.differences.length === 0;
  byId('banner').textContent = bannerText(overview.differences, overview.clockAhead);
  byId('here').hidden = site === null;
  byId('site').textContent = site?.replace(/^https?:\/\//, '') ?? '';
  byId('sources').textContent = String(overview.here.sources);
  byId('triggers').textContent = String(overview.here.triggers);
  byId('refused').textContent = String(overview.here.refused);
  byId('refused-hint').hidden = overview.here.refused === 0;
  byId('pending').textContent =
    overview.pendingReports === 0 ? 'Nothing' : count(overview.pendingReports, 'report');
  byId('next').textContent = nextReport(overview);
  byId('debug').hidden = !overview.debugEnabled && overview.clockAhead === 0;
  showToggle('pause-all', overview.paused, 'Paused everywhere', 'Pause everywhere');
  showToggle('pause-here', overview.pausedHere, 'Paused on this site', 'Pause on this site');
  byId('pause-here').hidden = site === null;
}

function nextReport({ nextReportTime, now }: Overview): string {
  if (nextReportTime === null) return 'A report appears here after a conversion.';
  const wait = nextReportTime - now;
  return wait <= 0
    ? 'The next one is leaving.'
    : `The next one leaves in ${showDuration(wait)}, ${showTime(nextReportTime)}.`;
}

function showToggle(id: string, pressed: boolean, on: string, off: string): void {
  const button = byId(id);
  button.setAttribute('aria-pressed', String(pressed));
  button.textContent = pressed ? on : off;
}

async function start(): Promise<void> {
  const site = await currentSite();
  const refresh = async (): Promise<void> => show(await askOverview({ kind: 'overview', site }), site);
  const act = actWith(refresh);

  byId('pause-all').addEventListener('click', () => act(togglePaused));
  byId('pause-here').addEventListener('click', () => act(() => togglePausedOn(site)));
  listenToClock(act);
  for (const link of document.querySelectorAll('a')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      void browser.tabs.create({ url: link.href }).then(() => window.close());
    });
  }
  act(refresh);
  setInterval(() => act(refresh), REFRESH);
}

const settings = async (): Promise<Settings> => (await ask({ kind: 'get-settings' })) as Settings;

async function togglePaused(): Promise<void> {
  await ask({ kind: 'set-settings', settings: { paused: !(await settings()).paused } });
}

async function togglePausedOn(site: string | null): Promise<void> {
  if (site === null) return;
  const { pausedSites } = await settings();
  const others = pausedSites.filter((paused) => paused !== site);
  await ask({
    kind: 'set-settings',
    settings: { pausedSites: others.length < pausedSites.length ? others : [...pausedSites, site] },
  });
}

void start();
