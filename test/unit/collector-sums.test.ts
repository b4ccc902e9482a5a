import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { readSources } from '../../collector/sources/read-sources';
import { Join, type JoinOptions, type JoinResult } from '../../analysis/estimate/join';
import { joinStore } from '../../collector/estimates/join-store';
import { openDatabase } from '../../collector/store/open-database';
import type { ReceivedReport } from '../../collector/store/reports';
import { anySource, type SourceFilter } from '../../collector/store/source-filter';
import type { LoggedSource } from '../../collector/store/sources';
import type { Statistics } from '../../collector/store/statistics';
import { CollectorStore } from '../../collector/store/store';
import { moment, seconds } from '../../src/model/units';
import { describeStores } from './helpers/collector-stores';
import { DAY, HOUR, SITES, START, Workload, type Sent } from './helpers/collector-workload';

/** What was stored, as the rows say. */
class Rows {
  readonly sources = new Map<number, LoggedSource>();
  readonly reports = new Map<string, Sent>();

  addSource(source: LoggedSource): void {
    const number = Number(source.sourceEventId);
    if (!this.sources.has(number)) this.sources.set(number, source);
  }

  addReport(sent: Sent): void {
    const key = `${sent.report.kind} ${sent.report.reportId}`;
    if (!this.reports.has(key)) this.reports.set(key, sent);
  }

  get debugReports(): number {
    return [...this.reports.values()].filter(({ report }) => report.kind === 'event-level-debug').length;
  }

  /** Reports by group, by time and group, and by delay; and sources by group. Of reports whose source is not in the log the group is null. */
  count(filter: SourceFilter, group: string): unknown {
    const needsLog = choosesByLog(filter);
    const joins = needsLog || isOfLog(group);
    const isChosen = chosenBy(filter);
    const sources = [...this.sources.values()].map(ofSource).filter(isChosen);
    const reports = [...this.reports.values()]
      .filter(({ report }) => report.kind === 'event-level')
      .flatMap(({ source, report }) => {
        const logged = this.sources.get(source);
        if (joins && logged !== undefined)
          return isChosen(ofSource(logged)) ? [{ report, group: valueOf(ofSource(logged), group) }] : [];
        const own = ofReport(report);
        if (needsLog || !isChosen(own)) return [];
        return [{ report, group: joins ? null : valueOf(own, group) }];
      });
    const times = reports.map(({ report }) => report.receivedTime.getTime());
    const unit = unitOf(Math.max(...times) - Math.min(...times));
    return {
      unit,
      reports: tally(reports.map((row) => row.group)),
      sources: tally(sources.map((row) => valueOf(row, group))),
      times: tally(
        reports.map(
          (row) => `${row.report.receivedTime.toISOString().slice(0, DIGITS[unit])} ${String(row.group)}`,
        ),
      ),
      late: reports.filter(({ report }) => lateBy(report) >= HOUR).length,
    };
  }

  /** What `cointoss estimate` counts of the chosen rows, by campaign. */
  join(filter: SourceFilter, configurations: Configurations, options: JoinOptions): JoinResult {
    const isChosen = chosenBy(filter);
    const join = new Join(options);
    for (const source of this.sources.values())
      if (isChosen(ofSource(source)))
        join.addSource({
          ...source,
          time: moment(source.time.getTime()),
          configuration: configurations.get(source.configuration) ?? null,
          group: [ofSource(source).campaign],
        });
    for (const { source, report } of this.reports.values()) {
      const { kind, eventLevel, reportingOrigin, receivedTime } = report;
      const logged = this.sources.get(source);
      const chooses = choosesByLog(filter) ? logged && ofSource(logged) : ofReport(report);
      if (kind !== 'event-level' || eventLevel === null || chooses === undefined || !isChosen(chooses))
        continue;
      join.addReport({ ...eventLevel, reportingOrigin, receivedTime: moment(receivedTime.getTime()) });
    }
    return join.result();
  }
}

type Configurations = Awaited<ReturnType<CollectorStore['configurationsOfEstimates']>>;

const isOfLog = (name: string): boolean => name === 'campaign';

const choosesByLog = ({ from, to, is }: SourceFilter): boolean =>
  from !== null || to !== null || [...is.keys()].some(isOfLog);

const chosenBy =
  ({ from, to, is }: SourceFilter) =>
  (row: Described): boolean =>
    (from === null || (row.time ?? -1) >= from.getTime()) &&
    (to === null || (row.time ?? Infinity) < to.getTime()) &&
    [...is].every(([name, values]) =>
      name === 'destination'
        ? row.destinations.some((site) => values.includes(site))
        : values.includes(valueOf(row, name)),
    );

/** How many characters of a time tell its hour, day or month. */
const DIGITS = { hour: 13, day: 10, month: 7 };

const unitOf = (span: number): keyof typeof DIGITS =>
  span <= 3 * DAY ? 'hour' : span <= 200 * DAY ? 'day' : 'month';

interface Described {
  readonly destinations: readonly string[];
  readonly sourceType: string;
  readonly reportingOrigin: string;
  readonly campaign: string;
  readonly time: number | null;
}

const ofSource = ({ features, time, ...source }: LoggedSource): Described => ({
  ...source,
  campaign: String(features['campaign'] ?? ''),
  time: time.getTime(),
});

const ofReport = ({ eventLevel, reportingOrigin }: ReceivedReport): Described => ({
  destinations: eventLevel?.destinations ?? [],
  sourceType: eventLevel?.sourceType ?? '',
  reportingOrigin,
  campaign: '',
  time: null,
});

function valueOf(row: Described, name: string): string {
  if (name === 'destination') return row.destinations.join(' ');
  if (name === 'source_type') return row.sourceType;
  return name === 'campaign' ? row.campaign : row.reportingOrigin;
}

const lateBy = ({ receivedTime, eventLevel }: ReceivedReport): number =>
  receivedTime.getTime() - Number(eventLevel?.scheduledTime);

/** How often each occurs, without order. */
function tally(names: readonly (string | null)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
  return counts;
}

const sums = (pairs: readonly (readonly [name: string, count: number])[]): ReadonlyMap<string, number> =>
  tally(pairs.flatMap(([name, count]) => Array.from({ length: count }, () => name)));

/** The same of an answer. There are fewer groups than a chart draws. */
function counted({ unit, groups, overTime, delays }: Statistics): unknown {
  return {
    unit,
    reports: sums(groups.map(({ group, reports }) => [String(group), reports])),
    sources: sums(groups.map(({ group, sources }) => [String(group), sources])),
    times: sums(
      overTime.map(({ start, group, reports }) => [
        `${start.toISOString().slice(0, DIGITS[unit])} ${String(group)}`,
        reports,
      ]),
    ),
    late: delays.filter(({ from }) => (from ?? 0) >= 3600).reduce((sum, { reports }) => sum + reports, 0),
  };
}

const at = (hours: number): Date => new Date(START + hours * HOUR);
const filters: readonly SourceFilter[] = [
  anySource,
  { ...anySource, is: new Map([['destination', SITES.slice(1)]]) },
  { ...anySource, is: new Map([['campaign', ['spring', '7']]]) },
  { ...anySource, from: at(24) },
  { from: at(0), to: at(24), is: new Map([['source_type', ['event']]]) },
  { from: at(5.5), to: at(41.3), is: new Map() },
  { from: at(30), to: at(35), is: new Map() },
  { from: at(35), to: at(30), is: new Map() },
  { from: at(80), to: at(30), is: new Map() },
];
/** Sums of outcomes are kept for the first skew. */
const joins = [
  { skew: seconds(60), completeUntil: moment(START + 49.3 * HOUR) },
  { skew: seconds(10), completeUntil: moment(START + 20_000 * HOUR) },
];
/** A report that names another site than its source counts either way where sites choose and the log has the group. */
const questions = filters.flatMap((filter) =>
  ['destination', 'campaign', 'reporting_origin']
    .filter((group) => group !== 'campaign' || choosesByLog(filter) || filter.is.size === 0)
    .map((group) => [filter, group] as const),
);

/** Whether the store answers what the rows say. @returns the first question that it answers otherwise. */
async function firstWrong(store: CollectorStore, rows: Rows): Promise<unknown> {
  for (const [filter, group] of questions) {
    const [found, expected] = [counted(await store.statistics(filter, group)), rows.count(filter, group)];
    if (!isDeepStrictEqual(found, expected)) return { filter, group, found, expected };
  }
  const configurations = await store.configurationsOfEstimates();
  for (const filter of filters)
    for (const options of joins) {
      const { otherKinds, ...found } = await joinStore(store, filter, ['campaign'], options);
      const expected = rows.join(filter, configurations, options);
      // PGlite's lists are of another realm than those of the test.
      if (!isDeepStrictEqual(deserialize(serialize(found)), deserialize(serialize(expected))))
        return { filter, options, found, expected };
      if ((otherKinds.get('event-level-debug') ?? 0) !== rows.debugReports) return { otherKinds };
    }
  return null;
}

async function log(store: CollectorStore, lines: readonly object[], rows: Rows): Promise<void> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const { sources, configurations } = await readSources(text, 'ndjson', () => Promise.resolve([]));
  await store.addSources(sources, configurations);
  for (const source of sources) rows.addSource(source);
}

/** Reports and sources in random order, some of them twice, some answers in between. */
async function work(stores: readonly CollectorStore[], seed: string, days: number): Promise<Rows> {
  const workload = new Workload(seed, days);
  const rows = new Rows();
  for (let step = 0; step < 30; step++) {
    const store = stores[workload.below(stores.length)] as CollectorStore; // there is at least one
    const first = workload.below(40);
    if (workload.below(3) === 0) await log(store, [workload.row(first), workload.row(first + 1)], rows);
    else {
      const sent = Array.from({ length: 8 }, () => workload.report(workload.below(45), workload.below(150)));
      await Promise.all(sent.map(({ report }) => store.add(report)));
      for (const report of sent) rows.addReport(report);
    }
    if (workload.below(5) === 0) await store.statistics(anySource, 'campaign');
  }
  return rows;
}

/** The store as the collector left it before it kept sums. */
const asBefore = (place: string): Promise<void> =>
  openDatabase(place, async (database) => {
    await database.query(`DROP TABLE kinds, source_sums, report_sums, outcome_sums, summed; DROP INDEX sources_by_time, reports_of_other_kinds;
      DELETE FROM migrations WHERE version >= 4`);
  }).then((database) => database.close());

describeStores((stores) => {
  test.each([
    ['a', 2],
    ['b', 20],
    ['c', 400],
  ])('sums are those of the rows, whatever came first (%s: within %i days)', async (seed, days) => {
    const place = await stores().fresh();
    const collectors = stores().cluster === null ? 1 : 2;
    const open = await Promise.all(Array.from({ length: collectors }, () => CollectorStore.open(place)));
    const rows = await work(open, seed, days);
    expect(rows.sources.size).toBeGreaterThan(10);
    const [first] = open;
    expect(await firstWrong(first as CollectorStore, rows)).toBeNull();
    await Promise.all(open.map((store) => store.close()));
  });

  test('a store without sums gets them when it is opened, and is told how far it is', async () => {
    const place = await stores().fresh();
    const before = await CollectorStore.open(place);
    const rows = await work([before], 'before', 20);
    const offered = await before.dimensions();
    await before.close();
    await asBefore(place);

    const told: (readonly [done: number, all: number])[] = [];
    const after = await CollectorStore.open(
      place,
      () => undefined,
      (done, all) => void told.push([done, all]),
    );
    const [done, all] = told.at(-1) ?? [];
    expect(done).toBe(all);
    expect(done).toBeGreaterThan(rows.reports.size);
    expect(await firstWrong(after, rows)).toBeNull();
    expect(await after.dimensions()).toEqual(offered);
    await after.close();
  });

  test('two collectors that add the same rows at once count them once', async () => {
    const place = await stores().fresh();
    if (stores().cluster === null) return; // one process at a time
    const writer = await CollectorStore.open(place);
    const rows = await work([writer], 'at once', 3);
    const readers = [writer, await CollectorStore.open(place)];
    await Promise.all(readers.flatMap((store) => [1, 2].map(() => store.statistics(anySource, 'campaign'))));
    expect(await firstWrong(writer, rows)).toBeNull();
    await Promise.all(readers.map((store) => store.close()));
  });
});
