import { Join } from '../../../analysis/estimate/join/join';
import { readSources } from '../../../collector/intake/read-sources';
import { parseEventLevelReport } from '../../../collector/intake/report-body';
import { joinStore } from '../../../collector/questions/join-store';
import { trainingRows } from '../../../collector/questions/training-rows';
import { addToSums } from '../../../collector/store/additions';
import type { Database } from '../../../collector/store/database';
import { KnownConfigurations } from '../../../collector/store/known-configurations';
import { openDatabase } from '../../../collector/store/open-database';
import type { ReceivedReport } from '../../../collector/store/reports';
import { anySource } from '../../../collector/store/source-filter';
import { CollectorStore } from '../../../collector/store/store';
import { moment, seconds } from '../../../src/model/units';
import { rowsRead } from '../helpers/collector-rows';
import { describeRows } from '../helpers/collector-stores';

/* A stranger who knows the id of one source sends it more reports than any source makes. */

const REPORTS = 20_000;
const BATCH = 2000;
const REGISTERED = Date.parse('2026-01-01T00:00:00Z');
const DUE = REGISTERED + 86_400_000;
const FLOODED = 1;
const HONEST = 2;
const ORIGIN = 'https://ads.example';

const row = (id: number): string =>
  JSON.stringify({
    source_event_id: String(id),
    reporting_origin: ORIGIN,
    destination: 'https://shop.example',
    source_type: 'event',
    time: new Date(REGISTERED).toISOString(),
    registration: { trigger_data: [0, 1], event_report_windows: { end_times: [86_400] } },
  });

function reportOf(source: number, id: number, destination = 'https://shop.example'): ReceivedReport {
  const body = {
    attribution_destination: destination,
    randomized_trigger_rate: 0.1,
    report_id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    scheduled_report_time: String(DUE / 1000),
    source_event_id: String(source),
    source_type: 'event',
    trigger_data: '1',
  };
  const receivedTime = new Date(DUE + 1000);
  const { value: eventLevel } = parseEventLevelReport(body, receivedTime);
  if (eventLevel === null) throw new Error('the report must be valid');
  return {
    kind: 'event-level',
    reportId: body.report_id,
    reportingOrigin: ORIGIN,
    reportUrl: null,
    receivedTime,
    body: JSON.stringify(body),
    eventLevel,
  };
}

/** Copies of the first report, in the same order in every database. */
const FLOOD = `INSERT INTO reports (kind, report_id, reporting_origin, received_time, scheduled_time, destinations, source_type,
    source_event_id, trigger_data, randomized_trigger_rate, body)
  SELECT kind, overlay(report_id placing 'f' from 1 for 1) || number, reporting_origin, received_time, scheduled_time, destinations, source_type,
    source_event_id, trigger_data, randomized_trigger_rate, body
  FROM reports, generate_series(1, ${REPORTS - 1}) AS number WHERE source_event_id = ${FLOODED} ORDER BY number`;

/** Adds the rows to the sums in batches, as while reports arrive. @returns how many rows of reports each batch read */
async function addInBatches(database: Database): Promise<readonly number[]> {
  const read: number[] = [];
  const [newest] = await database.query<{ sources: number; reports: number }>(
    `SELECT (SELECT max(id) FROM sources)::BIGINT AS sources, (SELECT max(id) FROM reports)::BIGINT AS reports`,
  );
  const { sources = 0, reports = 0 } = newest ?? {};
  let before = { sources: 0, reports: 0 };
  while (before.reports < reports) {
    const after = { sources, reports: Math.min(before.reports + BATCH, reports) };
    await database.transaction(async (queries) => {
      // The counters go on from earlier transactions.
      const earlier = await rowsRead(queries, 'reports');
      await addToSums(queries, new KnownConfigurations(), before, after);
      read.push((await rowsRead(queries, 'reports')) - earlier);
    });
    before = after;
  }
  return read;
}

async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

describeRows((stores) => {
  test('a source with 20,000 reports costs each batch the same, is not used, and no report is left uncounted', async () => {
    const place = await stores().fresh();
    const empty = await CollectorStore.open(place);
    const { sources, configurations } = await readSources(
      `${row(FLOODED)}\n${row(HONEST)}`,
      'ndjson',
      null,
      () => Promise.resolve([]),
    );
    await empty.addSources(sources, configurations);
    await empty.add(reportOf(FLOODED, 1));
    await empty.close();

    const database = await openDatabase(place, async (queries) => {
      await queries.query(FLOOD);
      await queries.query('ANALYZE reports, sources');
    });
    const read = await addInBatches(database);
    await database.close();
    expect(read.length).toBe(REPORTS / BATCH);
    // Each batch reads its own reports three times, and the first ones of the source.
    expect(Math.max(...read)).toBeLessThan(3.2 * BATCH);

    const store = await CollectorStore.open(place);
    await store.add(reportOf(HONEST, 2));
    const asking = await store.asking();
    const known = await asking.configurationsOfEstimates();
    for (const skew of [seconds(60), seconds(10)]) {
      const options = { skew, completeUntil: moment(DUE + 86_400_000) };
      const join = new Join(options);
      for (const source of sources)
        join.addSource({
          ...source,
          time: moment(REGISTERED),
          configuration: known.get(source.configuration) ?? null,
          group: [],
        });
      for (let id = 0; id <= REPORTS; id++) {
        const { eventLevel, receivedTime } = reportOf(id === REPORTS ? HONEST : FLOODED, id);
        if (eventLevel === null) throw new Error('the report must be valid');
        join.addReport({
          ...eventLevel,
          reportingOrigin: ORIGIN,
          receivedTime: moment(receivedTime.getTime()),
        });
      }
      const { counts } = await joinStore(asking, anySource, [], options);
      expect(counts).toEqual(join.result().counts);
      expect(counts.sources).toMatchObject({ read: 2, used: 1, flooded: 1 });
      expect(counts.reports).toMatchObject({
        read: REPORTS + 1,
        used: 2,
        inconsistent: { tooMany: REPORTS - 1 },
      });
    }
    const rows: unknown[] = [];
    for await (const { label, reports } of trainingRows(asking, anySource, new Date()))
      rows.push([label, reports]);
    // Of the flood no more is read than shows that there is one.
    expect(rows).toEqual([
      [{ label: null, problem: 'there are 100 or more reports with its id' }, 100],
      [{ label: '1', problem: null }, 1],
    ]);
    expect(await asking.reportsOf(await allOf(asking.sources()))).toHaveLength(101);
    expect(await asking.statistics(anySource, 'destination')).toMatchObject({
      reports: REPORTS + 1,
      sources: 2,
    });
    await store.close();
  });

  test('reports with the id of a source and the destination of none make no label of what they displace', async () => {
    const store = await CollectorStore.open(await stores().fresh());
    const { sources, configurations } = await readSources(row(HONEST), 'ndjson', null, () =>
      Promise.resolve([]),
    );
    await store.addSources(sources, configurations);
    const flood = Array.from({ length: 100 }, (_, id) => reportOf(HONEST, id, 'https://other.example'));
    for (const report of [...flood, reportOf(HONEST, 100)]) await store.add(report);
    const rows: unknown[] = [];
    for await (const { label } of trainingRows(await store.asking(), anySource, new Date())) rows.push(label);
    expect(rows).toEqual([{ label: null, problem: 'there are 100 or more reports with its id' }]);
    await store.close();
  });
});
