import { fillWithDemo } from '../collector/demo/fill';
import { simulateMonth } from '../collector/demo/simulate-month';
import { openDatabase } from '../collector/store/open-database';
import { CollectorStore } from '../collector/store/store';

/*
 * Millions of reports: copies of a demo's month, whose sources were registered on other days, with ids of their own. The last ones of the
 * sources were registered today, and reports that would come later are left out, so that some sources have open windows.
 */

/** Of the copied month, which has some 17 reports of each. */
const USERS = 4000;
const REPORTS_OF_A_USER = 17;
/** Of the sources without a report, one in so many is copied, so that there are not many more sources than reports. */
const SILENT = 18;
/** Each copy begins up to so many days later than the month. */
const SHIFTS = 30;

const copied = (time: string): string => `${time} + make_interval(days => c.days, secs => c.number % 3600)`;
const ID = '(source_event_id + c.number * 9973) % 18446744073709551616';

const SOURCES = `INSERT INTO sources (reporting_origin, source_event_id, destinations, source_type, source_time, configuration, features)
  SELECT reporting_origin, ${ID}, destinations, source_type, ${copied('source_time')}, configuration, features
  FROM base_sources JOIN copies c ON source_time::DATE + c.days = $1::DATE
  ORDER BY source_time::TIME`;

const REPORTS = `INSERT INTO reports (kind, report_id, reporting_origin, report_url, received_time, scheduled_time, destinations, source_type,
    source_event_id, trigger_data, randomized_trigger_rate, bucket_first, bucket_last, noisy_value, body)
  SELECT kind, copy_id, reporting_origin, report_url, ${copied('received_time')}, ${copied('scheduled_time')}, destinations, source_type,
    ${ID}, trigger_data, randomized_trigger_rate, bucket_first, bucket_last, noisy_value,
    (body::JSONB || jsonb_build_object('report_id', copy_id, 'source_event_id', (${ID})::TEXT,
      'scheduled_report_time', extract(epoch FROM ${copied('scheduled_time')})::BIGINT::TEXT))::TEXT
  FROM base_reports JOIN copies c ON received_time::DATE + c.days = $1::DATE,
  LATERAL (SELECT md5(report_id || c.number)::UUID::TEXT AS copy_id) AS named
  WHERE ${copied('received_time')} < now()
  ORDER BY received_time::TIME`;

/** What takes long to keep while rows are added, and is made again afterwards. */
const INDEXES = {
  reports_pkey: 'ALTER TABLE reports ADD PRIMARY KEY (report_id, kind)',
  reports_by_source:
    'CREATE INDEX reports_by_source ON reports (source_event_id, reporting_origin, kind, id)',
  sources_pkey: 'ALTER TABLE sources ADD PRIMARY KEY (source_event_id, reporting_origin)',
} as const;

/** Fills an empty database, without the sums, which the collector adds when it starts. @returns how many sources and reports it has now. */
export async function copyMonth(
  url: string,
  reports: number,
): Promise<{ readonly sources: number; readonly reports: number }> {
  const store = await CollectorStore.open(url);
  const users = Math.min(USERS, Math.ceil(reports / REPORTS_OF_A_USER));
  const month = await fillWithDemo(store, await simulateMonth({ users, seed: 'copies' }));
  await store.close();
  const counts = { sources: 0, reports: 0 };
  const database = await openDatabase(url, async (queries) => {
    await queries.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET timezone = 'UTC';
      CREATE TABLE base_reports AS SELECT * FROM reports;
      CREATE TABLE base_sources AS SELECT * FROM sources s WHERE id % ${SILENT} = 0 OR EXISTS (
        SELECT FROM reports r WHERE r.source_event_id = s.source_event_id AND r.reporting_origin = s.reporting_origin);
      CREATE TABLE copies AS SELECT number, first + number % ${SHIFTS} AS days
      FROM generate_series(1, ${Math.ceil(reports / month.reports)}) AS number,
        (SELECT now()::DATE - max(source_time)::DATE - ${SHIFTS - 1} AS first FROM base_sources) AS latest;
      TRUNCATE reports, sources, report_counts, kinds, report_sums, report_hours, outcome_sums; UPDATE summed SET sources = 0, reports = 0;
      ALTER TABLE reports DROP CONSTRAINT reports_pkey; ALTER TABLE sources DROP CONSTRAINT sources_pkey; DROP INDEX reports_by_source`);
    const days = await queries.query<{ day: string }>(
      `SELECT day::DATE::TEXT AS day FROM generate_series(
         (SELECT min(source_time)::DATE + (SELECT min(days) FROM copies) FROM base_sources), now(), INTERVAL '1 day') AS day`,
    );
    for (const { day } of days) {
      await queries.query(SOURCES, [day]);
      await queries.query(REPORTS, [day]);
    }
    for (const sql of Object.values(INDEXES)) await queries.query(sql);
    await queries.query('DROP TABLE base_sources, base_reports, copies');
    const [found] = await queries.query<typeof counts>(
      'SELECT (SELECT count(*) FROM sources) AS sources, (SELECT count(*) FROM reports) AS reports',
    );
    Object.assign(counts, found);
  });
  await database.close();
  return counts;
}
