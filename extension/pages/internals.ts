import type { Overview } from '../messages';
import type { DebugSettings, Settings } from '../../src/model/settings';
import { ask, askOverview, byId } from './background';
import { actWith, listenToClock } from './controls';
import { views, type Row, type TableView } from './rows';
import { bannerText, showDuration, showTime } from './words';

const REFRESH = 2000;
const SHOWN_ROWS = 200;

const currentView = (): TableView => {
  const found = views.find(({ table }) => `#${table}` === location.hash) ?? views[0];
  if (found === undefined) throw new Error('there are no tables');
  return found;
};

function showOverview(overview: Overview): void {
  byId('clock').textContent = showTime(overview.now);
  byId('banner').hidden = overview.differences.length === 0;
  byId('banner').textContent = bannerText(overview.differences, overview.clockAhead);
  byId('recording').textContent = overview.paused ? 'Paused' : 'On';
  byId('sources').textContent = String(overview.sources);
  byId('pending').textContent = String(overview.pendingReports);
  byId('next').textContent =
    overview.nextReportTime === null
      ? 'None is waiting.'
      : `${showTime(overview.nextReportTime)} (${showDuration(overview.nextReportTime - overview.now)})`;
  byId('clock-controls').hidden = !overview.debugEnabled && overview.clockAhead === 0;
}

function showSettings({ collector, debug }: Settings): void {
  byId<HTMLInputElement>('collector').value = collector ?? '';
  byId<HTMLInputElement>('debug-enabled').checked = debug.enabled;
  byId<HTMLInputElement>('debug-noise').checked = debug.noise;
  byId<HTMLInputElement>('debug-delay').checked = debug.delay;
  byId<HTMLInputElement>('debug-reports').checked = debug.debugReports;
  byId<HTMLInputElement>('debug-seed').value = debug.seed ?? '';
  for (const id of ['debug-noise', 'debug-delay', 'debug-reports', 'debug-seed']) {
    byId<HTMLInputElement>(id).disabled = !debug.enabled;
  }
}

let shown = '';

function showTable(view: TableView, rows: readonly Row[], now: number): void {
  for (const link of document.querySelectorAll('#tabs a')) {
    link.setAttribute('aria-current', String(link.getAttribute('href') === `#${view.table}`));
  }
  // Rebuilding what has not changed would close what a person has opened.
  const state = JSON.stringify([view.table, rows]);
  if (state === shown) return;
  shown = state;
  byId('empty').hidden = rows.length > 0;
  byId('empty').textContent = view.empty;
  const head = document.createElement('tr');
  for (const { title } of view.columns) head.append(element('th', title));
  head.append(element('th', ''));
  byId('table').replaceChildren(
    ...(rows.length === 0 ? [] : [head, ...rows.map((row) => tableRow(view, row, now))]),
  );
}

function tableRow(view: TableView, row: Row, now: number): HTMLElement {
  const line = document.createElement('tr');
  for (const { cell } of view.columns) line.append(element('td', cell(row, now)));
  const details = document.createElement('details');
  details.append(element('summary', 'Details'), element('pre', JSON.stringify(row, null, 2)));
  const last = document.createElement('td');
  last.append(details);
  line.append(last);
  return line;
}

function element(tag: string, text: string): HTMLElement {
  const created = document.createElement(tag);
  created.textContent = text;
  return created;
}

async function refresh(): Promise<void> {
  const overview = await askOverview({ kind: 'overview', site: null });
  showOverview(overview);
  // What a person is typing must not be overwritten.
  if (document.activeElement?.closest('.controls') === null) {
    showSettings((await ask({ kind: 'get-settings' })) as Settings);
  }
  const view = currentView();
  const rows = (await ask({ kind: 'list', table: view.table, limit: SHOWN_ROWS })) as readonly Row[];
  showTable(view, rows, overview.now);
}

const act = actWith(refresh);

async function changeSettings(change: Partial<Settings>): Promise<void> {
  showSettings((await ask({ kind: 'set-settings', settings: change })) as Settings);
}

async function changeDebug(): Promise<void> {
  const checked = (id: string): boolean => byId<HTMLInputElement>(id).checked;
  const seed = byId<HTMLInputElement>('debug-seed').value;
  const debug: DebugSettings = {
    enabled: checked('debug-enabled'),
    noise: checked('debug-noise'),
    delay: checked('debug-delay'),
    debugReports: checked('debug-reports'),
    seed: seed === '' ? null : seed,
  };
  await changeSettings({ debug });
}

function listen(): void {
  for (const id of ['debug-enabled', 'debug-noise', 'debug-delay', 'debug-reports', 'debug-seed']) {
    byId(id).addEventListener('change', () => act(changeDebug));
  }
  byId('collector-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const { value } = byId<HTMLInputElement>('collector');
    act(() => changeSettings({ collector: value === '' ? null : value }));
  });
  listenToClock(act);
  byId('send-pending').addEventListener('click', () => act(() => ask({ kind: 'send-pending' })));
  byId('clear').addEventListener('click', () => {
    if (confirm('Erase every impression, conversion and report on this device?'))
      act(() => ask({ kind: 'clear' }));
  });
  window.addEventListener('hashchange', () => act(refresh));
  setInterval(() => {
    if (document.visibilityState === 'visible') act(refresh);
  }, REFRESH);
}

listen();
act(() => Promise.resolve());
