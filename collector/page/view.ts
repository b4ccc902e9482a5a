import { html, type Html } from '../html';
import type { EventLevelReport, VerboseItem } from '../report-body';
import type { StoredReport } from '../store/reports';
import type { Counts } from '../store/tallies';

/** The page shows this many reports at most; the download has all of them. */
export const PAGE_SIZE = 200;

/**
 * The counts and the given reports, newest first. The page shows all of it; what its script fetches every other
 * second is the same with only what is new, so that rows are drawn in one place.
 */
export function renderView(counts: Counts, reports: readonly StoredReport[]): Html {
  const newestId = reports[0]?.id ?? 0;
  return html`<div id="view" data-newest="${newestId}" ${empty(counts)}>
    <dl class="counts" aria-label="Counts">
      ${count('received', 'Received', 'kept, each one once', counts.received)}
      ${count('duplicates', 'Duplicates', 'sent again, not kept again', counts.duplicates)}
      ${count('conflicting', 'Conflicting', 'sent again, but saying something else', counts.conflicting)}
      ${count('refused', 'Refused', 'not a valid report', counts.refused)}
    </dl>
    ${emptyState} ${eventLevelSection(reports)} ${verboseSection(reports)}
  </div>`;
}

const empty = (counts: Counts): Html => (counts.received === 0 ? html`data-empty` : html``);

const count = (name: string, label: string, hint: string, value: number): Html =>
  html`<div class="count ${name}">
    <dt>${label}</dt>
    <dd data-count="${name}">${value.toLocaleString('en')}</dd>
    <dd class="hint">${hint}</dd>
  </div>`;

const emptyState = html`<section class="empty" aria-labelledby="empty-title">
  <h2 id="empty-title">No report yet</h2>
  <p>
    Reports arrive here on their own, once a report window has ended. In the demo: look at an advertisement,
    click it, buy something, then turn the clock forward in the Cointoss popup.
  </p>
  <p>
    Every report is noisy by design: now and then one tells of a conversion that never was, or none comes for
    one that was. The noise rate says how often.
  </p>
</section>`;

const columns = [
  'Received (UTC)',
  'Kind',
  'Source',
  'Campaign',
  'Destination',
  'Trigger data',
  'Value',
  'Noise rate',
  'Scheduled (UTC)',
  'Reporting origin',
] as const;

/** With explicit roles, because narrow screens lay the table out as cards and browsers then forget that it is one. */
function eventLevelSection(reports: readonly StoredReport[]): Html {
  const heads = columns.map((column) => html`<th role="columnheader" scope="col">${column}</th>`);
  return html`<section class="event-level" aria-labelledby="event-level-title">
    <h2 id="event-level-title">Event-level reports</h2>
    <div class="sheet">
      <table role="table" aria-labelledby="event-level-title">
        <thead role="rowgroup">
          <tr role="row">
            ${heads}
          </tr>
        </thead>
        <tbody role="rowgroup" data-list="event-level">
          ${reports.map((report) => (report.eventLevel === null ? html`` : row(report, report.eventLevel)))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function row(report: StoredReport, event: EventLevelReport): Html {
  const cells: Readonly<Record<(typeof columns)[number], Html>> = {
    'Received (UTC)': time(report.receivedTime),
    Kind:
      report.kind === 'event-level'
        ? html`<span class="tag">report</span>`
        : html`<span class="tag debug">debug</span>`,
    Source: html`<span class="tag ${event.sourceType}">${event.sourceType}</span>`,
    Campaign: html`<code>${event.sourceEventId.toString()}</code>`,
    Destination: lines(event.destinations),
    'Trigger data': html`<code>${event.triggerData.toString()}</code>`,
    Value: event.noisyValue === null ? bucket(event.summaryBucket) : html`${event.noisyValue}`,
    'Noise rate': html`${percent(event.randomizedTriggerRate)}`,
    'Scheduled (UTC)': time(event.scheduledTime),
    'Reporting origin': lines([report.reportingOrigin]),
  };
  return html`<tr role="row">
    ${columns.map((column) => html`<td role="cell" data-label="${column}">${cells[column]}</td>`)}
  </tr>`;
}

function verboseSection(reports: readonly StoredReport[]): Html {
  const verbose = reports.filter(({ kind }) => kind === 'verbose-debug');
  return html`<section class="verbose" aria-labelledby="verbose-title">
    <h2 id="verbose-title">Verbose debug reports</h2>
    <ol data-list="verbose">
      ${verbose.map(verboseReport)}
    </ol>
  </section>`;
}

function verboseReport(report: StoredReport): Html {
  const items = JSON.parse(report.body) as readonly VerboseItem[];
  return html`<li>
    <p class="from">${time(report.receivedTime)} UTC · ${report.reportingOrigin}</p>
    ${items.map(
      ({ type, body }) =>
        html`<h3>${type}</h3>
          <pre>${JSON.stringify(body, null, 2)}</pre>`,
    )}
  </li>`;
}

/** `2026-02-03 04:05:06`. */
function time(date: Date): Html {
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} <span>${iso.slice(11, 19)}</span></time>`;
}

/** Each on a line of its own, with the scheme in the background. */
const lines = (urls: readonly string[]): Html =>
  html`${urls.map((url) => {
    const [scheme = '', host = ''] = url.split('//');
    return html`<span class="url"><span class="scheme">${scheme}//</span><wbr />${host}</span>`;
  })}`;

const LAST_VALUE = 2 ** 32 - 1;

/** The last bucket has no upper end that means anything. */
function bucket(range: EventLevelReport['summaryBucket']): Html {
  if (range === null) return html`<span class="none">none</span>`;
  const [first, last] = range.map((value) => value.toLocaleString('en')) as [string, string];
  if (range[1] === LAST_VALUE) return html`${first} or more`;
  return first === last ? html`${first}` : html`${first} to ${last}`;
}

/** `0.24 %`: two digits that count, as rates differ by many powers of ten. */
const percent = (rate: number | null): string =>
  rate === null ? '—' : `${(rate * 100).toLocaleString('en', { maximumSignificantDigits: 2 })}\u00a0%`;
