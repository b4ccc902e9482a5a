import { english } from '../../words/english';
import { parseEventLevelReport } from '../intake/report-body';
import { readSources } from '../intake/read-sources';
import type { Json } from '../../src/model/json';
import type { ReceivedReport } from '../store/reports';
import type { CollectorStore } from '../store/store';
import type { DemoCounts, Month, MonthReport, StoredMonth } from './month';

export class StoreNotEmpty extends Error {
  constructor() {
    super('must be empty to be filled with demo data, so that nothing real is mixed with it');
  }
}

const ROWS_AT_A_TIME = 2000;
/** Keeps batches small, because reports of one batch can be reordered. */
const REPORTS_AT_A_TIME = 50;

/** Fills a store with a made-up month. @throws StoreNotEmpty */
export async function fillWithDemo(
  store: CollectorStore,
  { sources, reports, posted }: Month,
): Promise<DemoCounts> {
  if (await hasContent(store)) throw new StoreNotEmpty();
  await store.post('summary', posted.summary);
  await store.post('reach', posted.reach);
  return { sources: await logAll(store, sources), reports: await addAll(store, reports) };
}

/** Fills a store with the month that was stored, as it was filled with it then. @throws StoreNotEmpty */
export async function fillWithStored(
  store: CollectorStore,
  { tables, posted, counts }: StoredMonth,
): Promise<DemoCounts> {
  // What waits in a journal is not in the tables yet.
  if ((await hasContent(store)) || !(await store.restore(tables, posted))) throw new StoreNotEmpty();
  return counts;
}

async function logAll(store: CollectorStore, rows: readonly string[]): Promise<number> {
  let logged = 0;
  for (const part of parts(rows, ROWS_AT_A_TIME)) {
    const { sources, configurations, issues } = await readSources(part.join('\n'), 'ndjson', null, () =>
      Promise.resolve([]),
    );
    if (issues[0] !== undefined) throw new Error(`a made-up source is not valid: ${issues[0].message}`);
    logged += (await store.addSources(sources, configurations)).stored;
  }
  return logged;
}

async function addAll(store: CollectorStore, reports: readonly MonthReport[]): Promise<number> {
  for (const part of parts(reports, REPORTS_AT_A_TIME))
    await Promise.all(part.map((report) => store.add(receivedOf(report))));
  return reports.length;
}

const parts = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );

async function hasContent(store: CollectorStore): Promise<boolean> {
  const asked = await store.asking();
  const { received } = await asked.counts();
  return received > 0 || (await asked.newestSource()) > 0;
}

function receivedOf({ url, received, body }: MonthReport): ReceivedReport {
  const receivedTime = new Date(received);
  const { value: eventLevel, errors } = parseEventLevelReport(JSON.parse(body) as Json, receivedTime);
  if (eventLevel === null) throw new Error(`a made-up report is not valid: ${english.issuesText(errors)}`);
  return {
    kind: 'event-level',
    reportId: eventLevel.reportId,
    reportingOrigin: new URL(url).origin,
    reportUrl: url,
    receivedTime,
    body,
    eventLevel,
  };
}
