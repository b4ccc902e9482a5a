import type { Demo } from './demo';
import type { Frame } from './frame';
import { html, raw, type Html } from '../../../collector/dashboard/html';

export interface Entry {
  readonly kind: 'view' | 'click' | 'conversion';
  readonly what: string;
  /** The JSON of the registration header. */
  readonly header: string;
  /** The request's `Attribution-Reporting-Eligible` header; null if absent. */
  readonly eligible: string | null;
  readonly time: Date;
}

export interface Ledger {
  add(entry: Omit<Entry, 'time'>): void;
  /** Newest first. */
  entries(): readonly Entry[];
}

const MAX_ENTRIES = 200;

/** Keeps the ledger in memory, and drops its oldest entries. */
export function openLedger(): Ledger {
  let entries: readonly Entry[] = [];
  return {
    add: (entry) => {
      entries = [{ ...entry, time: new Date() }, ...entries].slice(0, MAX_ENTRIES);
    },
    entries: () => entries,
  };
}

export const ledgerPage = (demo: Demo, entries: readonly Entry[]): Frame => ({
  title: 'Flipside Ads',
  body: html`<header class="ads-header">
      <p class="ads-name">Flipside <span>Ads</span></p>
      <p>The ad server’s side of the coin</p>
    </header>
    <main>
      <h1>What we offered to the browser</h1>
      <p class="lead">
        Each answer below carried a registration. We cannot see whether the browser kept it, or who asked: no
        request carries a cookie. Days later, noisy reports about it reach the collector.
      </p>
      <div id="ledger">${counts(entries)} ${entries.length === 0 ? empty(demo) : table(entries)}</div>
    </main>
    <script>
      ${raw(LIVE_LEDGER)};
    </script>`,
  hint: html`<p>
    The house ad and the recording rule’s purchase are missing here on purpose: they were recorded without a
    request to this server. The rules name this server as their reporting origin, so it gets their reports
    too. In this demo, the collector receives them.
  </p>`,
});

/** Updates the ledger on the page without a reload; pauses while the page is hidden. */
const LIVE_LEDGER = `
  const ledger = document.getElementById('ledger');
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch('/').catch(() => null);
    if (answer === null) return;
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('ledger');
    if (now.innerHTML !== ledger.innerHTML) ledger.replaceChildren(...now.childNodes);
  }, 2000);
`;

const LABELS: Readonly<Record<Entry['kind'], string>> = {
  view: 'views',
  click: 'clicks',
  conversion: 'conversions',
};

function counts(entries: readonly Entry[]): Html {
  const kinds = Object.keys(LABELS) as Entry['kind'][];
  return html`<dl class="counts">
    ${kinds.map(
      (kind) =>
        html`<div class="${kind}">
          <dt>${LABELS[kind]}</dt>
          <dd>${entries.filter((entry) => entry.kind === kind).length}</dd>
        </div>`,
    )}
  </dl>`;
}

const empty = ({ origins }: Demo): Html =>
  html`<p class="empty">
    Nothing yet. Open <a href="${origins.publisher}/">The Daily Toss</a>: its ads are served from here.
  </p>`;

const table = (entries: readonly Entry[]): Html =>
  html`<table>
    <caption>
      Newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col">Kind</th>
        <th scope="col">Of</th>
        <th scope="col">Registration offered</th>
        <th scope="col">Eligible</th>
      </tr>
    </thead>
    <tbody>
      ${entries.map(row)}
    </tbody>
  </table>`;

const row = ({ time, kind, what, header, eligible }: Entry): Html =>
  html`<tr>
    <td><time datetime="${time.toISOString()}">${time.toTimeString().slice(0, 8)}</time></td>
    <td><span class="kind ${kind}">${kind}</span></td>
    <td>${what}</td>
    <td><code>${breakable(header)}</code></td>
    <td>${eligible === null ? 'not said' : html`<code>${eligible}</code>`}</td>
  </tr>`;

/** Lets a long line of JSON break after its commas. */
const breakable = (json: string): Html => html`${json.split(/(?<=,)/).map((part) => html`${part}<wbr />`)}`;
