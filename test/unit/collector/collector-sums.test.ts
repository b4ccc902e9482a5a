import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { isHeartbeat } from '../../../analysis/estimate/unbiased/heartbeats';
import type { JoinResult } from '../../../analysis/estimate/join/join';
import { correctLog } from '../../../collector/intake/correct-log';
import { readSources } from '../../../collector/intake/read-sources';
import { joinStore } from '../../../collector/questions/join-store';
import { openDatabase } from '../../../collector/store/open-database';
import { anySource, type SourceFilter } from '../../../collector/store/source-filter';
import type { LoggedSource } from '../../../collector/store/sources';
import { CollectorStore } from '../../../collector/store/store';
import { moment, seconds } from '../../../src/model/units';
import { choosesByLog, counted, Rows } from '../helpers/collector-rows';
import { describeRows } from '../helpers/collector-stores';
import { HOUR, SITES, START, Workload } from '../helpers/collector-workload';
import { isLong } from '../helpers/is-long';

const at = (hours: number): Date => new Date(START + hours * HOUR);
const filters: readonly SourceFilter[] = [
  anySource,
  { ...anySource, is: new Map([['destination', SITES.slice(1)]]) },
  { ...anySource, is: new Map([['campaign', ['spring', '7']]]) },
  { ...anySource, from: at(24) },
  { from: at(0), to: at(24), is: new Map([['source_type', ['event']]]) },
  { from: at(5.5), to: at(41.3), is: new Map() },
  { from: at(0.4), to: at(171.9), is: new Map([['source_type', ['event']]]) },
  { from: at(0), to: at(23), is: new Map() },
  { from: at(1.2), to: at(1.9), is: new Map() },
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
const questionsWith = (some: readonly SourceFilter[]): readonly (readonly [SourceFilter, string])[] =>
  some.flatMap((filter) =>
    ['destination', 'campaign', 'reporting_origin']
      .filter((group) => group !== 'campaign' || choosesByLog(filter) || filter.is.size === 0)
      .map((group) => [filter, group] as const),
  );

/** Where the question is what became of the sums, and not how filters choose from them. */
const fewFilters = isLong ? filters : filters.slice(0, 4);

/** Whether the store answers what the rows say. @returns the first question that it answers otherwise. */
async function firstWrong(open: CollectorStore, rows: Rows, some = fewFilters): Promise<unknown> {
  const store = await open.asking();
  for (const [filter, group] of questionsWith(some)) {
    const [found, expected] = [counted(await store.statistics(filter, group)), rows.count(filter, group)];
    if (!isDeepStrictEqual(found, expected)) return { filter, group, found, expected };
  }
  const configurations = await store.configurationsOfEstimates();
  for (const filter of some)
    for (const options of joins) {
      const { otherKinds, ...found } = await joinStore(store, filter, ['campaign'], options);
      const expected = withHeartbeats(
        rows.join(filter, configurations, options),
        rows.join({ ...filter, is: new Map() }, configurations, options, filter.is.size > 0),
      );
      // PGlite's lists are of another realm than those of the test.
      if (
        !isDeepStrictEqual(
          deserialize(serialize(withHeartbeats(found, found))),
          deserialize(serialize(expected)),
        )
      )
        return { filter, options, found, expected };
      if ((otherKinds.get('event-level-debug') ?? 0) !== rows.debugReports) return { otherKinds };
    }
  return null;
}

/** Filters choose heartbeats by their dates alone. */
const withHeartbeats = (chosen: JoinResult, all: JoinResult): JoinResult => ({
  ...chosen,
  configurations: [
    ...chosen.configurations.filter(({ configuration }) => !isHeartbeat(configuration)),
    ...all.configurations.filter(({ configuration }) => isHeartbeat(configuration)),
  ],
});

async function log(store: CollectorStore, lines: readonly object[], rows: Rows): Promise<void> {
  const { sources, configurations } = await readSources(ndjson(lines), 'ndjson', null, () =>
    Promise.resolve([]),
  );
  await store.addSources(sources, configurations);
  for (const source of sources) rows.addSource(source);
}

/** Reports and sources in random order, some of them twice, some answers in between. */
async function work(
  stores: readonly CollectorStore[],
  seed: string,
  days: number,
  steps = isLong ? 30 : 15,
): Promise<Rows> {
  const workload = new Workload(seed, days);
  const rows = new Rows();
  for (let step = 0; step < steps; step++) {
    const store = stores[workload.below(stores.length)] as CollectorStore; // there is at least one
    const first = workload.below(40);
    if (workload.below(3) === 0) await log(store, [workload.row(first), workload.row(first + 1)], rows);
    else {
      const sent = Array.from({ length: 8 }, () =>
        workload.report(workload.below(45), workload.below(5 * steps)),
      );
      await Promise.all(sent.map(({ report }) => store.add(report)));
      for (const report of sent) rows.addReport(report);
    }
    if (workload.below(5) === 0) await (await store.asking()).statistics(anySource, 'campaign');
  }
  return rows;
}

/** What a version of the tables does that counts the sums in another way. */
const EMPTY_SUMS = `TRUNCATE kinds, report_sums, report_hours, outcome_sums;
  UPDATE summed SET sources = 0, reports = 0`;

const workloads: readonly (readonly [seed: string, days: number, steps: number])[] = [
  ['a', 2, 30],
  ['b', 20, 30],
  ['c', 400, isLong ? 30 : 20],
  ['d', 0.125, isLong ? 120 : 60],
];

const ndjson = (lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join('\n');

const lineOf = (source: LoggedSource): object => ({
  source_event_id: String(source.sourceEventId),
  reporting_origin: source.reportingOrigin,
  destination: source.destinations,
  source_type: source.sourceType,
  time: source.time.getTime(),
  configuration: source.configuration,
  ...source.features,
});

/** Another campaign, time, destination or configuration. */
const otherwise = ({ time }: LoggedSource, index: number): object =>
  [
    { campaign: 'corrected' },
    { time: time.getTime() + 5 * HOUR },
    { destination: 'https://bags.example', campaign: 'corrected' },
    { configuration: undefined, registration: { event_level_epsilon: 2, event_report_window: 7200 } },
  ][index % 4] ?? {};

describeRows((stores) => {
  // `npm test` has the longest and the shortest.
  test.each(isLong ? workloads : workloads.slice(2))(
    'sums are those of the rows, whatever came first (%s: within %d days, in %i steps)',
    async (seed, days, steps) => {
      const place = await stores().fresh();
      const collectors = stores().areOnServer ? 2 : 1;
      const open = await Promise.all(Array.from({ length: collectors }, () => CollectorStore.open(place)));
      const rows = await work(open, seed, days, steps);
      expect(rows.sources.size).toBeGreaterThan(10);
      const [first] = open;
      expect(await firstWrong(first as CollectorStore, rows, filters)).toBeNull();
      await Promise.all(open.map((store) => store.close()));
    },
  );

  test('opening a store whose sums a version emptied fills them, and says how far it is', async () => {
    const place = await stores().fresh();
    const before = await CollectorStore.open(place);
    const rows = await work([before], 'before', 20);
    const offered = await (await before.asking()).dimensions();
    await before.close();
    const emptied = await openDatabase(place, async (database) => void (await database.query(EMPTY_SUMS)));
    await emptied.close();

    const progress: (readonly [done: number, all: number])[] = [];
    const after = await CollectorStore.open(
      place,
      () => undefined,
      (done, all) => void progress.push([done, all]),
    );
    const [done, all] = progress.at(-1) ?? [];
    expect(done).toBe(all);
    expect(done).toBeGreaterThan(rows.reports.size);
    expect(await firstWrong(after, rows)).toBeNull();
    expect(await (await after.asking()).dimensions()).toEqual(offered);
    await after.close();
  });

  test('after a correction of the source log, everything is as if the log had said so at once', async () => {
    const place = await stores().fresh();
    const before = await CollectorStore.open(place);
    const rows = await work([before], 'corrected', 20);
    expect(await firstWrong(before, rows)).toBeNull();
    // On a server, collectors may go on meanwhile.
    if (!stores().areOnServer) await before.close();
    const lines = [...rows.sources.values()].flatMap((source, index) =>
      index % 3 === 0 ? [] : [{ ...lineOf(source), ...otherwise(source, index) }],
    );
    const corrected = await correctLog(place, ndjson([...lines, ...lines]), 'ndjson', null, () => undefined);
    expect(corrected).toEqual({ corrected: lines.length, unchanged: lines.length });
    const after = stores().areOnServer ? before : await CollectorStore.open(place);
    const old = new Map(rows.sources);
    const { sources } = await readSources(ndjson(lines), 'ndjson', null, (asked) =>
      after.configurations(asked),
    );
    for (const source of sources) rows.sources.set(Number(source.sourceEventId), source);
    expect(await firstWrong(after, rows)).toBeNull();
    const said: LoggedSource[] = [];
    for await (const page of (await after.asking()).corrections()) said.push(...page);
    expect(said).toEqual(
      sources.map(({ sourceEventId }) => ({
        ...old.get(Number(sourceEventId)),
        id: expect.any(Number) as unknown,
        correctedTime: expect.any(Date) as unknown,
      })),
    );
    await after.close();
  });

  test('nothing is corrected if a source is not in the log, or a row is not valid', async () => {
    const place = await stores().fresh();
    const store = await CollectorStore.open(place);
    const rows = await work([store], 'kept', 2);
    await store.close();
    const [first] = [...rows.sources.values()].map(lineOf);
    const correct = (...lines: readonly object[]): Promise<unknown> =>
      correctLog(
        place,
        ndjson([{ ...first, campaign: 'corrected' }, ...lines]),
        'ndjson',
        null,
        () => undefined,
      );
    await expect(correct({ ...first, source_event_id: '77' })).rejects.toThrow(
      'row 2: there is no source 77 of https://',
    );
    await expect(correct({ ...first, time: 'yesterday' })).rejects.toThrow('line 2: time must');
    const again = await CollectorStore.open(place);
    expect(await firstWrong(again, rows)).toBeNull();
    for await (const page of (await again.asking()).corrections()) expect(page).toEqual([]);
    await again.close();
  });

  test('of two corrections at once, the second replaces what the first said', async () => {
    const place = await stores().fresh();
    if (!stores().areOnServer) return; // one process at a time
    const store = await CollectorStore.open(place);
    const rows = await work([store], 'twice', 5);
    const lines = [...rows.sources.values()].map(lineOf);
    const correct = (campaign: string, order: readonly object[]): Promise<unknown> =>
      correctLog(
        place,
        ndjson(order.map((line) => ({ ...line, campaign }))),
        'ndjson',
        null,
        () => undefined,
      );
    await Promise.all([correct('one', lines), correct('two', [...lines].reverse())]);
    const said: LoggedSource[] = [];
    for await (const page of (await store.asking()).corrections()) said.push(...page);
    for await (const page of (await store.asking()).sources()) said.push(...page);
    const campaignsOf = (id: number): readonly unknown[] =>
      said
        .filter(({ sourceEventId }) => Number(sourceEventId) === id)
        .map(({ features }) => features['campaign']);
    for (const [id, { features }] of rows.sources) {
      const [first, ...later] = campaignsOf(id);
      expect(first).toBe(features['campaign']);
      expect(later.sort()).toEqual(['one', 'two']);
    }
    await store.close();
  });

  test('two collectors that add the same rows at once count them once', async () => {
    const place = await stores().fresh();
    if (!stores().areOnServer) return; // one process at a time
    const writer = await CollectorStore.open(place);
    const rows = await work([writer], 'at once', 3);
    const readers = [writer, await CollectorStore.open(place)];
    await Promise.all(
      readers.flatMap((store) =>
        [1, 2].map(async () => (await store.asking()).statistics(anySource, 'campaign')),
      ),
    );
    expect(await firstWrong(writer, rows)).toBeNull();
    await Promise.all(readers.map((store) => store.close()));
  });
});
