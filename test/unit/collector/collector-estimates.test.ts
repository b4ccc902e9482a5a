import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import type { FastifyInstance } from 'fastify';
import { LogJoin } from '../../../analysis/estimate/result/log-join';
import { resultJson } from '../../../analysis/estimate/result/result-json';
import { mergeConfigurations } from '../../../analysis/estimate/unbiased/tally';
import { measureGroups } from '../../../analysis/experiment/measure';
import { main } from '../../../cli/main';
import { fillWithDemo, StoreNotEmpty } from '../../../collector/demo/fill';
import { simulateMonth } from '../../../collector/demo/simulate-month';
import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import type { EstimateJson, GroupJson } from '../../../analysis/estimate/result/group-result';
import { createCollector } from '../../../collector/server';
import { estimatesFrom } from '../../../extension/site/estimates-from';
import type { JsonObject } from '../../../src/model/json';
import { seconds } from '../../../src/model/units';
import type { Statistics } from '../../../collector/store/statistics';
import { anyReport } from '../helpers/any-report';
import { CollectorStore } from '../../../collector/store/store';
import { EVENT_LEVEL, freshReport, linesAt, post } from '../helpers/collector-client';
import { describeRows } from '../helpers/collector-stores';

type Row = Readonly<Record<string, unknown>>;

const isAll = ({ group }: Pick<GroupJson, 'group'>): boolean => Object.keys(group).length === 0;

const demo = { users: 40, seed: 'test' };
const AS_OF = 'as_of=2026-02-05T00:00:00Z';

describeRows((stores) => {
  let app: FastifyInstance;
  let origin: string;
  let reports: readonly Row[];
  let sources: readonly Row[];

  beforeAll(async () => {
    app = await createCollector({
      store: await stores().fresh(),
      debugReports: true,
      prepare: async (store) => {
        await fillWithDemo(store, await simulateMonth(demo));
      },
    });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
    // One whose source is not in the log, and a copy for debugging.
    await post(origin + EVENT_LEVEL, freshReport({ attribution_destination: 'https://shoes.example' }));
    await post(
      `${origin}/.well-known/attribution-reporting/debug/report-event-attribution`,
      freshReport({ attribution_destination: 'https://shoes.example' }),
    );
    [reports, sources] = await Promise.all([
      linesAt<Row>(`${origin}/reports`),
      linesAt<Row>(`${origin}/sources`),
    ]);
  });

  afterAll(() => app.close());

  const get = async <T>(address: string): Promise<T> => (await fetch(origin + address)).json() as Promise<T>;

  /** The command's result for the rows, as if they had been downloaded. */
  async function command(
    options: readonly string[],
    reportRows: readonly Row[],
    sourceRows: readonly Row[],
  ): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-estimates-'));
    const out: string[] = [];
    const write = jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((text) => out.push(String(text)) > 0);
    try {
      const files = {
        reports: path.join(folder, 'reports.ndjson'),
        sources: path.join(folder, 'sources.ndjson'),
      };
      await writeFile(files.reports, reportRows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await writeFile(files.sources, sourceRows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const code = await main([
        'estimate',
        '--reports',
        files.reports,
        '--sources',
        files.sources,
        ...options,
      ]);
      expect(code).toBe(0);
    } finally {
      write.mockRestore();
      await rm(folder, { recursive: true });
    }
    return out.join('').trimEnd();
  }

  test.each<[query: string, options: readonly string[]]>([
    ['', []],
    ['&group=campaign&group=device', ['--group-by', 'campaign,device']],
    ['&group=source_type&likelihood=true', ['--group-by', 'source_type', '--likelihood']],
    ['&states=true&level=0.8&skew=0', ['--states', '--level', '0.8', '--skew', '0']],
    ['&noise_only=true', ['--noise-only']],
  ])('estimates with %s are those of the command with %j', async (query, options) => {
    const text = await (await fetch(`${origin}/estimates?${AS_OF}${query}`)).text();
    const printed = await command([...options, '--as-of', '2026-02-05T00:00:00Z'], reports, sources);
    expect(text).toBe(printed.replace(/}$/, ',"grace":null}'));
    const served = JSON.parse(text) as EstimateResultJson;
    expect(served.configurations.length).toBeGreaterThan(3);
    expect(served.reports).toMatchObject({ unknown_source: 1, other_kinds: { 'event-level-debug': 1 } });
    expect(served.sources.open).toBeGreaterThan(0);
  });

  test('estimates of the lab and of experiments are those of the command', async () => {
    const lines = (rows: readonly Row[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
    const lab = resultJson(estimatesFrom(lines(sources), lines(reports), ['campaign']));
    const byCampaign = ['--group-by', 'campaign'];
    expect(JSON.parse(JSON.stringify(lab))).toEqual(JSON.parse(await command(byCampaign, reports, sources)));
    const printed = JSON.parse(
      await command([...byCampaign, '--noise-only'], reports, sources),
    ) as EstimateResultJson;
    const join = new LogJoin(['campaign'], { skew: seconds(60), completeUntil: null });
    for (const row of sources) join.addSource(row as JsonObject);
    for (const row of reports) join.addReport(row as JsonObject);
    const { configurations } = join.statistics(null);
    const counted = mergeConfigurations(configurations).filter(({ name }) =>
      printed.configurations.some(({ configuration }) => configuration === name),
    );
    let compared = 0;
    for (const tally of counted) {
      const found = measureGroups([tally], ['campaign'], [[], ['campaign']], 0.95).filter(
        ({ quantity }) => quantity === 'conversions',
      );
      const groups = printed.configurations.find(({ configuration }) => configuration === tally.name)?.groups;
      for (const { level, group, estimate, variance, low, high } of found) {
        const own = groups?.find((other) =>
          level === 0 ? isAll(other) : other.group['campaign'] === group[0],
        );
        const conversions = own?.estimates.find(({ quantity }) => quantity === 'conversions');
        expect({ estimate, variance, interval: [low, high] }).toEqual({
          estimate: conversions?.unbiased,
          variance: conversions?.variance,
          interval: conversions?.interval,
        });
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(20);
  });

  test('rows that lack a feature, whose ε is 0 or whose prior is over values are treated alike', async () => {
    const other = await createCollector({ store: await stores().fresh() });
    const address = await other.listen({ port: 0, host: '127.0.0.1' });
    const row = {
      reporting_origin: 'https://ads.example',
      destination: ['https://b.example', 'https://a.example'],
      source_type: 'event',
      time: '2026-01-01T00:00:00Z',
      registration: {},
    };
    const overValues = { kind: 'rr-with-prior', values: [0, 5], prior: ['1/2', 0.5] };
    const log = [
      { ...row, position: 3 },
      { ...row, position: null },
      row,
      { ...row, epsilon: 0, position: 4 },
      { ...row, epsilon: 3, mechanism: overValues, destination: 'https://www.a.example/shop' },
    ].map((fields, id) => JSON.stringify({ ...fields, source_event_id: String(id) }));
    const answer = await post(`${address}/sources`, log.join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });
    expect(await answer.json()).toMatchObject({ stored: log.length });
    const logged = await linesAt<Row>(`${address}/sources`);
    const groups = ['position', 'destination', 'mechanism'];
    const query = groups.map((name) => `&group=${name}`).join('');
    const served = await (await fetch(`${address}/estimates?${AS_OF}${query}`)).text();
    await other.close();
    const options = ['--group-by', groups.join(','), '--as-of', '2026-02-05T00:00:00Z'];
    expect(served).toBe((await command(options, [], logged)).replace(/}$/, ',"grace":null}'));
    expect(JSON.parse(served)).toMatchObject({
      sources: { read: 5, used: 3, heartbeats: 1, missing: 1 },
    });
  });

  test.each<[query: string, isWanted: (source: Row) => boolean]>([
    [
      'is.campaign=Spring%20sale&is.campaign=Audio%20books',
      ({ campaign }) => campaign === 'Spring sale' || campaign === 'Audio books',
    ],
    ['is.mechanism=unbiased', ({ mechanism }) => (mechanism as Row)['kind'] === 'unbiased'],
    [
      'is.source_type=event&is.device=phone',
      (row) => row['source_type'] === 'event' && row['device'] === 'phone',
    ],
    ['is.none=x', () => false],
    [
      'from=2026-01-10T00:00:00Z&to=2026-01-20T00:00:00Z',
      ({ time }) => String(time) >= '2026-01-10' && String(time) < '2026-01-20',
    ],
  ])('%s chooses sources, and with them their reports', async (query, isWanted) => {
    const wanted = sources.filter(isWanted);
    const ids = new Set(wanted.map(({ source_event_id: id }) => id));
    const own = reports.filter(({ source_event_id: id, kind }) => ids.has(id) && kind === 'event-level');
    expect(await get(`/estimates?${AS_OF}&group=campaign&${query}`)).toEqual({
      ...(JSON.parse(
        await command(['--group-by', 'campaign', '--as-of', '2026-02-05T00:00:00Z'], own, wanted),
      ) as object),
      reports: expect.objectContaining({ read: own.length, unknown_source: 0 }) as unknown,
      grace: null,
    });
    const statistics = await get<Statistics>(`/statistics?group=publisher&${query}`);
    expect(statistics).toMatchObject({ reports: own.length, sources: wanted.length });
    expect(await linesAt(`${origin}/reports?${query}`)).toEqual(own);
    expect(await linesAt(`${origin}/sources?${query}`)).toEqual(wanted);
    expect(await linesAt(`${origin}/training?${query}`)).toHaveLength(wanted.length);
  });

  test('a filter that reports tell by themselves keeps those of sources that are not logged', async () => {
    const query = 'is.destination=https://shoes.example';
    const own = reports.filter((row) => row['attribution_destination'] === 'https://shoes.example');
    expect(await linesAt(`${origin}/reports?${query}`)).toEqual(own);
    const { reports: counted } = await get<Statistics>(`/statistics?group=campaign&${query}`);
    expect(counted).toBe(own.filter(({ kind }) => kind === 'event-level').length);
  });

  test.each(['campaign', 'destination', 'configuration', 'mechanism', 'device'])(
    'statistics by %s are the counts of the rows',
    async (group) => {
      const statistics = await get<Statistics>(`/statistics?group=${group}`);
      const ofSource = new Map(sources.map((row) => [row['source_event_id'], row]));
      const valueOf = (row: Row): string =>
        group === 'mechanism' ? String((row['mechanism'] as Row)['kind']) : [row[group]].flat().join(' ');
      const expected = new Map<string | null, { reports: number; sources: number }>();
      const add = (name: string | null, what: 'reports' | 'sources'): void => {
        const counts = expected.get(name) ?? { reports: 0, sources: 0 };
        counts[what] += 1;
        expected.set(name, counts);
      };
      for (const row of sources) add(valueOf(row), 'sources');
      const eventLevel = reports.filter(({ kind }) => kind === 'event-level');
      for (const row of eventLevel) {
        const source = ofSource.get(row['source_event_id']);
        if (source !== undefined) add(valueOf(source), 'reports');
        else add(group === 'destination' ? String(row['attribution_destination']) : null, 'reports');
      }
      expect(new Map(statistics.groups.map(({ group: name, ...counts }) => [name, counts]))).toEqual(
        expected,
      );
      expect(statistics.reports).toBe(eventLevel.length);
      const sum = (counts: readonly { readonly reports: number }[]): number =>
        counts.reduce((total, { reports: count }) => total + count, 0);
      expect(sum(statistics.overTime)).toBe(eventLevel.length);
      expect(sum(statistics.delays)).toBe(eventLevel.length);
      const late = eventLevel.filter(
        (row) =>
          Date.parse(String(row['received_time'])) - Number(row['scheduled_report_time']) * 1000 >= 3_600_000,
      );
      expect(sum(statistics.delays.filter(({ from }) => from !== null && from >= 3600))).toBe(late.length);
      const days = new Set(statistics.overTime.map(({ start }) => String(start).slice(11)));
      expect([...days]).toEqual(statistics.unit === 'hour' ? expect.anything() : ['00:00:00.000Z']);
    },
  );

  test('dimensions are what the log has', async () => {
    const { dimensions, configurations } = await get<{
      readonly dimensions: readonly {
        readonly name: string;
        readonly distinct: number;
        readonly values: readonly { readonly value: string; readonly sources: number }[];
      }[];
      readonly configurations: readonly { readonly id: string }[];
    }>('/dimensions');
    expect(dimensions.map(({ name }) => name)).toEqual([
      ...['configuration', 'destination', 'mechanism', 'reporting_origin', 'source_type'],
      ...['campaign', 'device', 'format', 'publisher'],
    ]);
    for (const { name, values, distinct } of dimensions.filter(({ name: of }) => of !== 'mechanism')) {
      const expected = new Map<string, number>();
      for (const row of sources) expected.set(String(row[name]), (expected.get(String(row[name])) ?? 0) + 1);
      expect(new Map(values.map(({ value, sources: count }) => [value, count]))).toEqual(expected);
      expect(distinct).toBe(expected.size);
    }
    expect(new Set(configurations.map(({ id }) => id))).toEqual(
      new Set(sources.map((row) => row['configuration'])),
    );
  });

  test('estimates as a table have a row for each estimate', async () => {
    const query = `/estimates?${AS_OF}&group=campaign`;
    const { configurations, totals } = await get<EstimateResultJson>(query);
    expect(configurations.length).toBeGreaterThan(1);
    const rowsOf = (
      { group, sources, estimates }: GroupJson,
      more: readonly (EstimateJson & { readonly of: number })[] = [],
    ): { group: GroupJson['group']; estimate: EstimateJson; sources: number }[] => [
      ...estimates.map((estimate) => ({ group, estimate, sources })),
      ...more.map(({ of, ...estimate }) => ({ group, estimate, sources: of })),
    ];
    const all = [
      ...configurations.flatMap(({ groups }) => groups.flatMap((one) => rowsOf(one))),
      ...totals.flatMap((total) =>
        rowsOf(
          { ...total, sources: total.covered },
          total.values === null ? [] : [{ ...total.values.sum, of: total.values.sources }],
        ),
      ),
    ];
    // One campaign of the demo reports values.
    expect(all.filter(({ estimate }) => estimate.quantity === 'label-sum').length).toBeGreaterThan(3);
    const csv: Record<string, string>[] = parseCsv(
      await (await fetch(`${origin}${query}&format=csv`)).text(),
      { columns: true },
    );
    expect(
      csv.map((row) => [
        row['group_campaign'],
        row['quantity'],
        numberOrNull(row['estimate']),
        row['sources'],
      ]),
    ).toEqual(
      all.map(({ group, estimate, sources }) => [
        group['campaign'] ?? '',
        estimate.quantity,
        estimate.estimate,
        String(sources),
      ]),
    );
    const lines = await linesAt<EstimateJson>(`${origin}${query}&format=ndjson`);
    expect(lines.map(({ estimate, interval }) => [estimate, interval])).toEqual(
      all.map(({ estimate }) => [estimate.estimate, estimate.interval]),
    );
    const parquet = Buffer.from(await (await fetch(`${origin}${query}&format=parquet`)).arrayBuffer());
    expect(parquet.subarray(0, 4).toString()).toBe('PAR1');
  });

  test.each(['level=1', 'skew=-1', 'as_of=yesterday', 'group=', 'other=1', 'is.=x', 'from=2026'])(
    'estimates do not know %s',
    async (query) => {
      expect((await fetch(`${origin}/estimates?${query}`)).status).toBe(400);
    },
  );

  test('reports that are due have a grace period to arrive before their source counts', async () => {
    const other = await createCollector({ store: await stores().fresh() });
    const at = await other.listen({ port: 0, host: '127.0.0.1' });
    const [hour, day] = [3_600_000, 86_400_000];
    const rows = [1, 3].map((days) => ({
      source_event_id: String(days),
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      // Its only report window ended so many days ago.
      time: Date.now() - hour - days * day,
      registration: { event_report_windows: { end_times: [3600] } },
    }));
    await post(`${at}/sources`, rows.map((row) => JSON.stringify(row)).join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });
    const ask = async (query: string): Promise<EstimateResultJson> =>
      (await (await fetch(`${at}/estimates${query}`)).json()) as EstimateResultJson;
    const before = Date.now();
    const usual = await ask('');
    expect(usual).toMatchObject({ grace: 172_800, sources: { used: 1, open: 1 } });
    const waited = Date.parse(usual.as_of ?? '') - (before - 2 * day);
    expect(waited).toBeGreaterThanOrEqual(0);
    expect(waited).toBeLessThanOrEqual(Date.now() - before);
    expect(await ask('?grace=0')).toMatchObject({ grace: 0, sources: { used: 2, open: 0 } });
    expect(await ask('?grace=604800')).toMatchObject({ sources: { used: 0, open: 2 } });
    expect(await ask(`?as_of=${new Date().toISOString()}`)).toMatchObject({
      grace: null,
      sources: { used: 2, open: 0 },
    });
    await other.close();
  });

  test('a rehearsal follows the clock that reports show to be furthest ahead', async () => {
    const store = await stores().fresh();
    const hour = 3600;
    const start = Math.floor(Date.now() / 1000) + 500 * 24 * hour;
    const row = (id: number, time: number): string =>
      JSON.stringify({
        source_event_id: String(id),
        reporting_origin: 'https://ads.example',
        destination: 'https://shop.example',
        source_type: 'event',
        // Reports state times rounded down to seconds.
        time: time * 1000 + 999,
        registration: { event_report_windows: { end_times: [hour] } },
      });
    const withCollector = async <T>(rehearsal: boolean, run: (at: string) => Promise<T>): Promise<T> => {
      const other = await createCollector({ store, rehearsal });
      const result = await run(await other.listen({ port: 0, host: '127.0.0.1' }));
      await other.close();
      return result;
    };
    const ask = async (at: string, query = ''): Promise<EstimateResultJson> =>
      (await (await fetch(`${at}/estimates${query}`)).json()) as EstimateResultJson;
    const report = freshReport({
      source_event_id: '1',
      source_type: 'event',
      trigger_data: '0',
      scheduled_report_time: String(start + hour),
    });
    const send = (at: string): Promise<Response> =>
      post(at + EVENT_LEVEL, report, {
        'Cointoss-Report-Url': `https://ads.example${EVENT_LEVEL}`,
      });

    expect((await withCollector(false, send)).status).toBe(400);
    await withCollector(true, async (at) => {
      expect((await send(at)).status).toBe(200);
      const rows = [row(1, start), row(2, start - hour), row(3, start + hour)].join('\n');
      await post(`${at}/sources`, rows, { 'Content-Type': 'application/x-ndjson' });
      const followed = await ask(at);
      expect(followed).toMatchObject({ grace: null, sources: { used: 2, open: 1 }, reports: { used: 1 } });
      expect(Math.abs(Date.parse(followed.as_of ?? '') / 1000 - (start + hour))).toBeLessThan(hour);
      expect(followed.clock_ahead).toBeGreaterThan(500 * 24 * hour);
      const asOf = new Date().toISOString();
      const asked = await ask(at, `?as_of=${asOf}`);
      expect([asked.as_of, asked.clock_ahead]).toEqual([asOf, undefined]);
    });
    // Anybody can send a report, so outside of a rehearsal none moves the clock.
    expect(await withCollector(false, ask)).toMatchObject({
      grace: 172_800,
      sources: { used: 0 },
    });
  });

  test('a feature with many values is refused, with its name and how many it has', async () => {
    const other = await createCollector({ store: await stores().fresh() });
    const at = await other.listen({ port: 0, host: '127.0.0.1' });
    const rows = Array.from({ length: 1001 }, (_, index) => ({
      source_event_id: String(index),
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      time: '2026-01-01T00:00:00Z',
      registration: {},
      click: `c${index}`,
    }));
    await post(`${at}/sources`, rows.map((row) => JSON.stringify(row)).join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });
    const refused = await fetch(`${at}/estimates?group=source_type&group=click`);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: 'group: click makes 1001 groups of these sources, must be at most 1000',
        path: '',
        reason: 'other',
      },
    ]);
    const { status } = await fetch(`${at}/estimates?group=click&is.click=c1&is.click=c2`);
    expect(status).toBe(200);
    await other.close();
  });

  test('top states are the most frequent ones of all sources together', async () => {
    const most = await get<EstimateResultJson>(`/estimates?${AS_OF}&group=campaign&top_states=3`);
    const every = await get<EstimateResultJson>(`/estimates?${AS_OF}&states=true`);
    const statesOf = ({ estimates }: GroupJson): readonly EstimateJson[] =>
      estimates.filter(({ state }) => state !== undefined);
    const observed = (states: readonly EstimateJson[]): readonly number[] =>
      states.filter(({ state }) => state !== '0').map((estimate) => estimate.observed ?? NaN);
    most.configurations.forEach(({ groups: [all, ...parts] }, index) => {
      const known = every.configurations[index]?.groups.flatMap(statesOf) ?? [];
      const found = all === undefined ? [] : statesOf(all);
      expect(observed(found)).toEqual([...observed(known)].sort((a, b) => b - a).slice(0, 3));
      for (const estimate of found) expect(known).toContainEqual(estimate);
      expect(parts.flatMap(statesOf)).toEqual([]);
    });
    expect(most.configurations.length).toBeGreaterThan(3);
  });

  test('sources whose outputs are noise alone are counted, and not estimated', async () => {
    const other = await createCollector({ store: await stores().fresh() });
    const at = await other.listen({ port: 0, host: '127.0.0.1' });
    const row = {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      time: '2026-01-01T00:00:00Z',
      registration: { event_level_epsilon: 0 },
    };
    await post(`${at}/sources`, JSON.stringify(row), { 'Content-Type': 'application/x-ndjson' });
    const result = (await (await fetch(`${at}/estimates`)).json()) as EstimateResultJson;
    expect(result).toMatchObject({
      configurations: [],
      sources: { read: 1, used: 0, heartbeats: 1, unknown_configuration: 0 },
    });
    const [training] = await linesAt<Row>(`${at}/training`);
    expect(training).toMatchObject({ label: '0', loss_weight: null, loss_weights: null });
    await other.close();
  });

  /*
   * From registrations through the engine and the collector to the estimates. 120 heartbeats send 345 reports on average, of which every fifth is
   * lost.
   */
  test('heartbeats show how many reports are lost, and the estimates of others make up for it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-heartbeats-'));
    const fileOf = (name: string): string => path.join(folder, name);
    const registration = (ad: number, isHeartbeat: boolean): object => ({
      user: `user ${ad}`,
      timestamp: String(Date.parse('2026-01-01T00:00:00Z')),
      registration_request: {
        context_origin: 'https://news.example',
        'Attribution-Reporting-Eligible': isHeartbeat ? 'navigation-source' : 'event-source',
      },
      responses: [
        {
          url: 'https://ads.example/view',
          response: {
            'Attribution-Reporting-Register-Source': {
              source_event_id: String(ad),
              // Nobody converts there, so a heartbeat takes no conversion from an ad.
              destination: isHeartbeat ? 'https://heartbeat.example' : 'https://shop.example',
              event_level_epsilon: isHeartbeat ? 0 : 1,
            },
          },
        },
      ],
    });
    const log = Array.from({ length: 240 }, (_, ad) => registration(ad, ad % 2 === 0));
    await writeFile(fileOf('log.ndjson'), log.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const logs = ['--input', fileOf('log.ndjson'), '--sources-output', fileOf('sources.ndjson')];
    expect(await main(['simulate', ...logs, '--output', fileOf('reports.ndjson'), '--seed', '1'])).toBe(0);
    const rowsOf = async (name: string): Promise<Row[]> =>
      (await readFile(fileOf(name), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
    const [sent, ads] = [await rowsOf('reports.ndjson'), await rowsOf('sources.ndjson')];
    await rm(folder, { recursive: true });
    const arrived = sent.filter((_, place) => place % 5 !== 0);

    const other = await createCollector({ store: await stores().fresh() });
    const at = await other.listen({ port: 0, host: '127.0.0.1' });
    let served: string;
    let filtered: EstimateResultJson;
    let stored: [Row[], Row[]];
    try {
      await post(`${at}/sources`, ads.map((row) => JSON.stringify(row)).join('\n'), {
        'Content-Type': 'application/x-ndjson',
      });
      const answers = await Promise.all(
        arrived.map(({ payload, report_url: url }) =>
          post(at + EVENT_LEVEL, payload as object, { 'Cointoss-Report-Url': String(url) }),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const asked = `${at}/estimates?as_of=2026-03-01T00:00:00Z`;
      served = await (await fetch(asked)).text();
      filtered = (await (
        await fetch(`${asked}&is.destination=https://shop.example&group=destination`)
      ).json()) as EstimateResultJson;
      stored = await Promise.all([linesAt<Row>(`${at}/reports`), linesAt<Row>(`${at}/sources`)]);
    } finally {
      await other.close();
    }
    expect(served).toBe(
      (await command(['--as-of', '2026-03-01T00:00:00Z'], ...stored)).replace(/}$/, ',"grace":null}'),
    );
    const { sources: counts, configurations } = JSON.parse(served) as EstimateResultJson;
    expect(counts).toMatchObject({ read: 240, used: 120, heartbeats: 120, unknown_configuration: 0 });
    expect(configurations).toHaveLength(1);
    const { from, fits, range } = configurations[0]?.lost_reports ?? {};
    expect([from, fits]).toEqual(['heartbeats', true]);
    // The seed is fixed; a range of 99.9999 % would be 2.5 times as wide.
    expect(range?.[0]).toBeLessThan(0.2);
    expect(range?.[0]).toBeGreaterThan(0.1);
    expect(range?.[1]).toBeGreaterThan(0.2);
    expect(range?.[1]).toBeLessThan(0.3);
    // A filter of ads keeps the heartbeats, which have another destination.
    expect(filtered.configurations[0]?.lost_reports).toEqual(configurations[0]?.lost_reports);
    expect(filtered.sources).toMatchObject({ read: 120, used: 120, heartbeats: 0 });
    expect(filtered.totals).toHaveLength(2);
  });

  test('the OpenAPI document has it all', async () => {
    const { paths } = await get<{ readonly paths: Readonly<Record<string, object>> }>('/openapi.json');
    for (const route of ['/estimates', '/statistics', '/dimensions', '/counts', '/training', '/sources'])
      expect(Object.keys(paths)).toContain(route);
    expect(JSON.stringify(paths['/estimates'])).toMatch(/"as_of".*"is\.destination"/);
  });

  test('demo data are the same again, and mixed with nothing', async () => {
    const place = await stores().fresh();
    const store = await CollectorStore.open(place);
    const month = await simulateMonth(demo);
    await fillWithDemo(store, month);
    await expect(fillWithDemo(store, month)).rejects.toThrow(StoreNotEmpty);
    const again: unknown[] = [];
    for await (const { eventLevel, receivedTime } of (await store.asking()).reports(anyReport))
      again.push([eventLevel?.reportId, receivedTime.toISOString(), eventLevel?.triggerData.toString()]);
    await store.close();
    const first = reports
      .slice(0, -2)
      .map((line) => [line['report_id'], line['received_time'], line['trigger_data']]);
    const byId = (rows: unknown[]): unknown[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(byId(again)).toEqual(byId(first));
    const said: string[] = [];
    const write = jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => said.push(String(text)) > 0);
    const code = await main(['collect', '--demo', '--port', '0', '--store', place]);
    write.mockRestore();
    expect(code).toBe(2);
    expect(said).toEqual([expect.stringMatching(/^cointoss: collect: --store must be empty .*\n$/)]);
  });
});

const numberOrNull = (cell: string | undefined): number | null => (cell === '' ? null : Number(cell));
