import { main } from '../../../cli/main';
import { after, days, moment } from '../../../src/model/units';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { useCommands } from '../helpers/command';
import {
  ADTECH,
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { DESTINATION } from '../helpers/parsing';
import { countThreads } from '../helpers/started-threads';

const { out, err, pathOf, file } = useCommands();

const run = (reports: string, sources: string, ...more: string[]): Promise<number> =>
  main(['estimate', '--reports', reports, '--sources', sources, ...more]);

interface Printed {
  readonly sources: Record<string, number>;
  readonly reports: Record<string, unknown>;
  readonly configurations: {
    readonly configuration: string;
    readonly epsilon: number;
    readonly groups: {
      readonly group: Record<string, string>;
      readonly sources: number;
      readonly estimates: (Record<string, unknown> & {
        readonly quantity: string;
        readonly estimate: number;
      })[];
    }[];
  }[];
}
const printed = (): Printed => JSON.parse(out.join('')) as Printed;

const source = (id: number, fields: object = {}): object => ({
  source_event_id: String(id),
  reporting_origin: ADTECH,
  destination: DESTINATION,
  source_type: 'navigation',
  time: START,
  registration: {},
  campaign: id % 2 === 0 ? 'even' : 'odd',
  ...fields,
});

const report = (id: number, sourceId: number, fields: object = {}): object => ({
  attribution_destination: DESTINATION,
  source_event_id: String(sourceId),
  source_type: 'navigation',
  trigger_data: '3',
  report_id: `report ${id}`,
  randomized_trigger_rate: 0.0024263,
  scheduled_report_time: String((START + days(2)) / 1000),
  kind: 'event-level',
  received_time: new Date(START + days(2) + 60_000).toISOString(),
  reporting_origin: ADTECH,
  ...fields,
});

test('reports that were due at no end of a window are named, with the loss to pass', async () => {
  const sources = Array.from({ length: 20 }, (_, id) => source(id));
  const due = (hours: number): object => ({
    scheduled_report_time: String((START + days(2)) / 1000 + 3600 * hours),
  });
  const files = [
    file(
      'reports.ndjson',
      Array.from({ length: 12 }, (_, id) => report(id, id, due(id < 2 ? 1 : 0))),
    ),
    file('sources.ndjson', sources),
  ] as const;
  expect(await run(...files)).toBe(0);
  expect(err.join('')).toMatch(
    /2 of 12 reports were due when no window of their source ends.*pass --lost 2\/12\./,
  );
  err.length = 0;
  expect(await run(...files, '--lost', '2/12')).toBe(0);
  expect(err.join('')).not.toMatch(/were due when/);
});

test.each([
  ['no further loss if heartbeats show it', 200, 20, false],
  ['named if heartbeats show no such loss', 215, 0, true],
])('reports that were due at no end of a window are %s', async (_, heard, lateHeartbeats, isNamed) => {
  const [view, late] = [{ source_type: 'event', trigger_data: '1' }, { scheduled_report_time: '1' }];
  const sources = Array.from({ length: 320 }, (__, id) =>
    id < 300 ? source(id, { source_type: 'event', epsilon: 0 }) : source(id),
  );
  const due = { scheduled_report_time: String((START + days(30)) / 1000) };
  const reports = [
    ...Array.from({ length: heard }, (__, id) =>
      report(id, id, { ...view, ...(id < lateHeartbeats ? late : due) }),
    ),
    ...Array.from({ length: 10 }, (__, id) => report(300 + id, 300 + id, late)),
  ];
  expect(await run(file('reports.ndjson', reports), file('sources.ndjson', sources))).toBe(0);
  expect(printed()).toMatchObject({
    sources: { heartbeats: 300 },
    reports: { used: heard - lateHeartbeats, inconsistent: { window: 10 + lateHeartbeats } },
    configurations: [{ lost_reports: { from: 'heartbeats' } }],
  });
  if (isNamed) expect(err.join('')).toMatch(/10 of 225 reports were due when/);
  else expect(err.join('')).not.toMatch(/were due when/);
});

test('a table of one small group has the likelihood of all sources', async () => {
  const registration = { event_level_epsilon: 1 };
  const few = Array.from({ length: 6 }, (_, id) =>
    source(id, { source_type: 'event', registration, campaign: 'spring' }),
  );
  const view = { source_type: 'event', trigger_data: '1', randomized_trigger_rate: undefined };
  const due = { scheduled_report_time: String((START + days(30)) / 1000) };
  const files = [
    file(
      'r.ndjson',
      Array.from({ length: 6 }, (_, id) => report(id, id, { ...view, ...due })),
    ),
    file('s.ndjson', few),
  ] as const;
  const rowsOf = async (...more: string[]): Promise<readonly string[]> => {
    out.length = 0;
    expect(await run(...files, '--table', '--likelihood', ...more)).toBe(0);
    return out
      .join('\n')
      .split('\n')
      .filter((line) => /^ {4}(conversions|trigger data|until)/.test(line));
  };
  const all = await rowsOf();
  expect(all[0]).toMatch(/^ +conversions.* to .* to /);
  expect(await rowsOf('--group-by', 'campaign')).toEqual(all);
});

const started = countThreads();

test('several threads print the same as one', async () => {
  const groups = 200;
  const sources = Array.from({ length: 3 * groups }, (_, id) =>
    source(id, { campaign: String(id % groups) }),
  );
  const reports = Array.from({ length: groups }, (_, id) => report(id, id));
  const files = [file('reports.ndjson', reports), file('sources.ndjson', sources)] as const;
  const of = async (threads: string): Promise<string> => {
    out.length = 0;
    expect(await run(...files, '--group-by', 'campaign', '--threads', threads)).toBe(0);
    return out.join('');
  };
  const before = started();
  const one = await of('1');
  expect(one).toContain('"campaign":"199"');
  expect(started()).toBe(before);
  expect(await of('2')).toBe(one);
  expect(started()).toBe(before + 1);
});

test('the reports of the engine are recognised, each in its window', async () => {
  const { engine, store } = newEngine();
  const sources: object[] = [];
  for (let id = 0; id < 60; id++) {
    const time = after(START, days(id));
    const header = { source_event_id: String(id), expiry: 30 * 86_400 };
    await engine.register(sourceRegistration(header, 'navigation', { time }), conditions());
    sources.push(source(id, { time, registration: header }));
    // In the first, second or third window, each with other trigger data.
    const triggerTime = after(time, days([1, 5, 20][id % 3] ?? 0));
    const trigger = triggerRegistration(
      { event_trigger_data: [{ trigger_data: String(id % 3) }] },
      { time: moment(triggerTime) },
    );
    if (id % 4 === 0) await engine.register(trigger, conditions());
  }
  const reports = (await pendingReports(store)).map(({ body, reportingOrigin }) => ({
    ...(body as object),
    reporting_origin: reportingOrigin,
  }));
  expect(reports.length).toBe(15);
  expect(await run(file('r.ndjson', reports), file('s.ndjson', sources), '--group-by', 'campaign')).toBe(0);
  const { reports: counts, configurations } = printed();
  expect(counts).toMatchObject({ read: 15, used: 15, late: 0, other_rate: 0 });
  expect(configurations).toHaveLength(1);
  const groups = configurations[0]?.groups ?? [];
  expect(groups.map(({ group, sources: n }) => [group, n])).toEqual([
    [{}, 60],
    [{ campaign: 'even' }, 30],
    [{ campaign: 'odd' }, 30],
  ]);
  const observed = (wanted: object): unknown =>
    groups[0]?.estimates.find((estimate) =>
      Object.entries(wanted).every(([key, value]) => estimate[key] === value),
    )?.['observed'];
  expect(observed({ quantity: 'conversions' })).toBe(15);
  for (const [triggerData, windowEnd] of [
    [0, 172_800],
    [1, 604_800],
    [2, 2_592_000],
  ])
    expect(
      observed({ quantity: 'trigger-data-and-window', trigger_data: triggerData, window_end: windowEnd }),
    ).toBe(5);
});

test('what does not fit is counted, and only the rest is used', async () => {
  const sources = [
    ...[0, 1, 2, 3].map((id) => source(id)),
    source(0),
    source(9),
    source(9, { time: START + 1000 }),
    source(8, { registration: undefined, configuration: 'nobody defined it' }),
    source(7, { time: START + days(60) }),
  ];
  const reports = [
    report(1, 0),
    report(1, 0),
    report(2, 0, { scheduled_report_time: String((START + days(2)) / 1000 + 90) }),
    report(3, 0, { trigger_data: '8' }),
    report(4, 1, {
      scheduled_report_time: String((START + days(7)) / 1000 - 30),
      received_time: new Date(START + days(9)).toISOString(),
    }),
    report(5, 1),
    report(6, 1, { randomized_trigger_rate: 0.5 }),
    report(7, 1),
    report(8, 5),
    report(9, 0, { source_type: 'event' }),
    report(10, 9),
    report(11, 8),
    report(12, 7),
    report(13, 2, { noisy_value: 1 }),
    { kind: 'verbose-debug', data: [] },
    report(14, 0, { kind: 'event-level-debug' }),
  ];
  const asOf = new Date(START + days(40)).toISOString();
  expect(await run(file('r.ndjson', reports), file('s.ndjson', sources), '--as-of', asOf)).toBe(0);
  const { sources: sourceCounts, reports: reportCounts, configurations } = printed();
  expect(sourceCounts).toEqual({
    read: 9,
    used: 4,
    repeated: 1,
    ambiguous: 2, // both rows of one identity, so that the counts add up to those read
    reused: 0,
    heartbeats: 0,
    unknown_configuration: 1,
    open: 1,
    missing: 0,
    impossible: 0,
    flooded: 0,
    incomplete: 0,
  });
  expect(reportCounts).toEqual({
    read: 14,
    used: 4,
    duplicate: 1,
    unknown_source: 2,
    unused_source: 3,
    inconsistent: { trigger_data: 1, window: 1, bucket: 0, too_many: 1, value: 1 },
    late: 1,
    other_rate: 1,
    other_kinds: { 'verbose-debug': 1, 'event-level-debug': 1 },
  });
  expect(configurations[0]?.groups[0]?.estimates[1]).toMatchObject({ quantity: 'conversions', observed: 4 });
});

test('CSV with named configurations gives the same as NDJSON; a lower effective ε makes another configuration', async () => {
  const csv = [
    'source_event_id,reporting_origin,destination,source_type,time,registration,configuration,epsilon,campaign',
    `1,${ADTECH},${DESTINATION},navigation,${new Date(START).toISOString()},"{""max_event_level_reports"":1}",one,,a`,
    `2,${ADTECH},${DESTINATION},navigation,${START},,one,,"b, with a comma"`,
    `3,${ADTECH},${DESTINATION},navigation,${START},,one,2,a`,
  ].join('\n');
  const rows = [
    source(1, { registration: '{"max_event_level_reports":1}', configuration: 'one', campaign: 'a' }),
    source(2, { registration: undefined, configuration: 'one', campaign: 'b, with a comma' }),
    source(3, { registration: undefined, configuration: 'one', campaign: 'a', epsilon: 2 }),
  ];
  const reports = file('r.ndjson', [report(1, 1), report(2, 3)]);
  expect(await run(reports, file('s.csv', csv), '--group-by', 'campaign')).toBe(0);
  const fromCsv = out.splice(0).join('');
  expect(await run(reports, file('s.ndjson', rows), '--group-by', 'campaign')).toBe(0);
  expect(out.join('')).toBe(fromCsv);
  expect(printed().configurations.map(({ configuration, epsilon }) => [configuration, epsilon])).toEqual([
    ['one', 14],
    ['one (epsilon 2)', 2],
  ]);
});

test('a value mechanism takes one noisy value from each source', async () => {
  const mechanism = { kind: 'unbiased', values: [0, 10], prior: ['0.5', '0.5'] };
  const sources = [1, 2, 3].map((id) => source(id, { mechanism, epsilon: 3 }));
  const { outputs } = unbiasedRandomizer(mechanism.values, mechanism.prior, 3);
  const values = outputs.map((output) => output.toNumber());
  const reports = [
    report(1, 1, { trigger_data: undefined, noisy_value: values.at(-1) }),
    report(2, 2, { trigger_data: undefined, noisy_value: values[0] }),
    report(3, 2, { trigger_data: undefined, noisy_value: values[0] }),
    report(4, 3, { trigger_data: undefined, noisy_value: 4 }),
  ];
  expect(await run(file('r.ndjson', reports), file('s.ndjson', sources))).toBe(0);
  const result = printed();
  expect(result.sources).toMatchObject({ used: 2, missing: 1 });
  expect(result.reports).toMatchObject({ used: 2, inconsistent: { value: 1, too_many: 1 } });
  const [sum] = result.configurations[0]?.groups[0]?.estimates ?? [];
  expect(sum?.quantity).toBe('label-sum');
  // By symmetry the least and the greatest output add up to this. Of two sources, any sum is possible.
  expect(sum?.unbiased).toBeCloseTo(10, 5);
  expect(sum?.estimate).toBeNull();
});

test('a report with a URL that no source can have is of an unknown source, and stops nothing', async () => {
  const reports = [
    report(1, 1),
    report(2, 1, { reporting_origin: 'http://ads.example' }),
    report(3, 1, { attribution_destination: 'ftp://shop.example' }),
    report(4, 1, { attribution_destination: [DESTINATION, 'http://shop.example'] }),
  ];
  expect(await run(file('r.ndjson', reports), file('s.ndjson', [source(1)]))).toBe(0);
  expect(printed().reports).toMatchObject({ used: 1, unknown_source: 3 });
});

test('a missing lower summary bucket is noticed', async () => {
  const registration = {
    trigger_data_matching: 'exact',
    trigger_specs: [{ trigger_data: [3], summary_buckets: [5, 10] }],
  };
  const reports = [report(1, 1, { trigger_summary_bucket: [10, 4_294_967_295] })];
  expect(await run(file('r.ndjson', reports), file('s.ndjson', [source(1, { registration })]))).toBe(0);
  expect(printed().sources).toMatchObject({ used: 1, incomplete: 1 });
});

test('the table says what was observed, what is estimated, and what was left out', async () => {
  const sources = file('s.ndjson', [source(1), source(2)]);
  expect(await run(file('r.ndjson', [report(1, 1), report(2, 5)]), sources, '--table', '--likelihood')).toBe(
    0,
  );
  const text = out.join('');
  expect(text).toContain(
    'Configuration #1: rr, ε = 14, 2925 outputs; chance decides what 0.243 % of them report\n' +
      '  If something happens after 2 of 100 such ads, nearly all reports of it can be true.\n',
  );
  expect(text).toMatch(/observed +estimate +95 % interval +noise share +likeliest +95 % interval/);
  expect(text).toMatch(/trigger data 3 +1 +1 +0\.1 to 3\.4 +/);
  expect(text).toContain('Reports: 2 read, 1 used, 1 of a source that is not in the log');
});

describe('ids that went through a floating-point number', () => {
  const exact = Array.from({ length: 40 }, (_, id) =>
    String(12_345_678_901_234_567_801n + BigInt(id) * 7_919_003n),
  );
  const rounded = exact.map((id) => String(BigInt(Number(id))));
  const shortest = exact.map((id) => String(Number(id)));
  /** A report with this id is found by chance in all cases. */
  const small = '7';
  const idsIn = (log: readonly string[]): readonly string[] => [...log, small];
  const sourcesWith = (ids: readonly string[]): readonly object[] =>
    idsIn(ids).map((source_event_id) => source(1, { source_event_id }));
  const reportsWith = (ids: readonly string[]): readonly object[] =>
    idsIn(ids).map((source_event_id, id) => report(id, 1, { source_event_id }));
  const ran = (reports: readonly object[], sources: readonly object[]): Promise<number> =>
    run(file('r.ndjson', reports), file('s.ndjson', sources));

  test.each([
    ['sources, with all their digits', 'sources', exact, rounded],
    ['sources, as short as they can be', 'sources', exact, shortest],
    ['reports', 'reports', rounded, exact],
  ])('are refused in %s, although a report finds its source', async (_, log, inReports, inSources) => {
    expect(await ran(reportsWith(inReports), sourcesWith(inSources))).toBe(2);
    expect(out).toEqual([]);
    expect(err.join('')).toContain(
      `--${log}: source_event_id must have all its digits, but went through a floating-point number, so 40 of 41 reports belong to no source`,
    );
  });

  test('are named if no report finds its source, and if reports are repeated', async () => {
    const named = (log: string, count: string): string =>
      `--${log}: source_event_id must have all its digits, but went through a floating-point number, so ${count} reports belong to no source`;
    for (const [log, inReports, inSources] of [
      ['sources', exact, rounded],
      ['reports', rounded, exact],
      ['reports', shortest, exact],
    ] as const) {
      const reports = inReports.map((source_event_id, id) => report(id, 1, { source_event_id }));
      const sources = inSources.map((source_event_id) => source(1, { source_event_id }));
      expect(await ran(reports, sources)).toBe(2);
      const said = err.splice(0).join('');
      expect(said).toContain(named(log, '40 of 40'));
      expect(said).toContain('no report could be used');
      expect(said).not.toContain('of the log');
      // A sender that repeated what it knew of, often.
      const repeated = Array.from({ length: 100 }, () => report(100, 1, { source_event_id: small }));
      expect(await ran([...reports, ...repeated], [...sources, source(1, { source_event_id: small })])).toBe(
        2,
      );
      expect(err.splice(0).join('')).toContain(named(log, '40 of 41'));
      out.length = 0;
    }
  });

  test.each<[string, (index: bigint) => bigint]>([
    ['milliseconds in nanoseconds', (index) => (1_768_003_200_000n + 7n * index) * 10n ** 6n],
    ['microseconds in nanoseconds', (index) => (1_768_003_200_000_000n + 8n * index) * 10n ** 3n],
    ['a time and a sequence of 0', (index) => (400_000_000_000n + index) << 22n],
    ['small numbers', (index) => 1000n + index],
  ])('are not suspected in reports of another server, whose ids are %s', async (_, idOf) => {
    const others = exact.map((__, index) => String(idOf(BigInt(index))));
    // The log is of a server with random ids, and has one whose sequence is not 0.
    const logged = [...exact, String(((400_000_000_000n + 1000n) << 22n) + 1n)];
    expect(await ran(reportsWith(others), sourcesWith(logged))).toBe(0);
    expect(err.splice(0).join('')).toContain('40 of 41 reports belong to no source of the log');
  });

  test('statistics in which most reports have no source are warned of, too', async () => {
    const counted = pathOf('counts.json');
    const others = exact.map((id) => String(BigInt(id) + 123_456_789_123n));
    const logs = [file('r.ndjson', reportsWith(others)), file('s.ndjson', sourcesWith(exact))] as const;
    expect(await run(...logs, '--statistics-output', counted)).toBe(0);
    const [said] = err.splice(0);
    expect(said).toContain('40 of 41 reports belong to no source of the log');
    expect(await main(['estimate', '--statistics', counted])).toBe(0);
    expect(err.splice(0)).toEqual([said]);
  });

  test('are not suspected if both logs have them, or if reports belong to other sources', async () => {
    expect(await ran(reportsWith(rounded), sourcesWith(rounded))).toBe(0);
    // Ids as some servers make them: a time and zeros.
    const others = rounded.map((id) => String(((BigInt(id) >> 22n) + 1n) << 22n));
    expect(await ran(reportsWith(others), sourcesWith(rounded))).toBe(0);
    expect(
      await ran(reportsWith(exact.map((id) => String(BigInt(id) + 123_456_789_123n))), sourcesWith(exact)),
    ).toBe(0);
  });
});

test('reports that state another noise rate than the log are pointed out', async () => {
  const ids = Array.from({ length: 30 }, (_, id) => id);
  const warning = '20 of 30 used reports state another noise rate than their source in the log has.';
  const sources = file(
    's.ndjson',
    ids.map((id) => source(id)),
  );
  const stating = (rate: number, count: number): string =>
    file(
      'r.ndjson',
      ids.map((id) => report(id, id, id < count ? { randomized_trigger_rate: rate } : {})),
    );
  // The log lacks the ε of 1 that the reports were made with: without it, noise counts as conversions.
  expect(await run(stating(0.6358247, 20), sources)).toBe(0);
  expect(err.join('')).toContain(warning);
  err.length = 0;
  expect(await run(stating(0.6358247, 1), sources)).toBe(0);
  expect(err.join('')).toContain('1 of 30 used reports state another noise rate');
  err.length = 0;
  expect(await run(stating(0.6358247, 0), sources)).toBe(0);
  expect(err.join('')).not.toContain('noise rate');
});

test('a configuration without any estimate, because outputs cannot come from the noise, ends the command with exit code 2', async () => {
  const ids = Array.from({ length: 400 }, (_, id) => id);
  const view = { source_type: 'event', registration: { event_level_epsilon: 1 } };
  const due = { scheduled_report_time: String((START + days(30)) / 1000) };
  const sources = file(
    's.ndjson',
    ids.map((id) => source(id, view)),
  );
  const reports = ids.map((id) => report(id, id, { source_type: 'event', trigger_data: '1', ...due }));
  expect(await run(file('r.ndjson', reports), sources, '--group-by', 'campaign')).toBe(2);
  expect(err.join('')).toMatch(
    /These outputs cannot come from the stated noise.*\n.*nothing is estimated of configuration #1, as said above/,
  );
  expect(printed().configurations[0]?.groups.map(({ estimates }) => estimates[1]?.estimate)).toEqual([
    null,
    null,
    null,
  ]);
});

describe('with 600 impressions at ε = 1', () => {
  const ids = Array.from({ length: 600 }, (_, id) => id);
  const due = { scheduled_report_time: String((START + days(30)) / 1000) };
  const sources = (): string =>
    file(
      's.ndjson',
      ids.map((id) =>
        source(id, {
          ...{ source_type: 'event', registration: { event_level_epsilon: 1 } },
          campaign: id < 100 ? 'a' : 'b',
        }),
      ),
    );
  const reportsOf = (those: readonly number[]): string =>
    file(
      'r.ndjson',
      those.map((id) =>
        report(id, id, {
          source_type: 'event',
          trigger_data: String(id % 2),
          randomized_trigger_rate: 0.6358247,
          ...due,
        }),
      ),
    );
  const estimatesOf = (campaign?: string): unknown[] =>
    (printed().configurations[0]?.groups ?? [])
      .filter(({ group }) => group['campaign'] === campaign)
      .flatMap(({ estimates }) => estimates.map(({ estimate }) => estimate));

  test('one group whose outputs cannot come from the noise is warned of, and others have estimates', async () => {
    const reports = reportsOf(ids.filter((id) => id < 100 || id % 3 > 0));
    expect(await run(reports, sources(), '--group-by', 'campaign')).toBe(0);
    expect(err.join('')).toMatch(/^cointoss: configuration #1: These outputs cannot come .*\n$/);
    expect(new Set(estimatesOf('a'))).toEqual(new Set([null]));
    expect(estimatesOf('b')).not.toContain(null);
  });

  test.each([
    [/The numbers of reports contradict the given 5 %/, ['--lost', '0.05']],
    [/some sources sent nothing/, []],
  ])(
    'numbers of reports that leave no estimate end the command with exit code 2: %p',
    async (why, options) => {
      // Noise alone gives some 254.
      expect(await run(reportsOf(ids.slice(0, 30)), sources(), ...options)).toBe(2);
      expect(err.join('')).toMatch(why);
      expect(err.join('')).toMatch(/nothing is estimated of configuration #1, as said above\n$/);
      expect(new Set(estimatesOf())).toEqual(new Set([null]));
    },
  );
});

test('the table says by how much the estimate is too low if reports were lost, as long as nothing tells how many', async () => {
  const sources = file('s.ndjson', [source(1), source(2)]);
  const reports = file('r.ndjson', [report(1, 1)]);
  const text =
    'The numbers hold if no report was lost, and nothing says how many were. Each 1 % that never arrived makes the unbiased estimate of conversions about 0.01 too low';
  expect(await run(reports, sources, '--table')).toBe(0);
  expect(out.join('')).toContain(text);
  expect(out.join('')).toContain('all: 2 sources, if no report was lost');
  out.length = 0;
  expect(await run(reports, sources, '--table', '--lost', '0.05')).toBe(0);
  expect(out.join('')).toContain('As given, 5 % of the reports never arrived');
  expect(out.splice(0).join('')).not.toContain('if no report was lost');
  // At ε = 3, each percent would be more than all reports.
  const noisy = file('noisy.ndjson', [source(1, { epsilon: 3 }), source(2, { epsilon: 3 })]);
  expect(await run(reports, noisy, '--table')).toBe(0);
  expect(out.join('')).not.toContain('if no report was lost');
});

test('the table shows a share of a budget without the rounding of doubles', async () => {
  const sources = file('s.ndjson', [source(1, { epsilon: 2.3 - 0.3 })]);
  expect(2.3 - 0.3).not.toBe(2);
  expect(await run(file('r.ndjson', [report(1, 1)]), sources, '--table')).toBe(0);
  expect(out.join('')).toContain('ε = 2, 2925 outputs');
});

test.each([
  ['{"a":', [], /r\.ndjson: line 1: must be JSON: line 1, column 6: a value is missing/],
  [
    [report(1, 1), { ...report(2, 1), source_event_id: 1 }],
    [],
    /r\.ndjson: line 2: source_event_id: must be a string/,
  ],
  [
    [report(1, 1, { attribution_destination: 'shop' })],
    [],
    /line 1: attribution_destination: must be a site/,
  ],
  [[report(1, 1, { reporting_origin: 'adtech' })], [], /line 1: reporting_origin: must be an origin/],
  [
    [],
    [source(1, { destination: 'http://shop.example' })],
    /s\.ndjson: line 1: destination: must be a URL with https/,
  ],
  [[report(1, 1)], [source(1, { time: 'noon' })], /s\.ndjson: line 1: time: must be milliseconds/],
  [
    [],
    [source(1), source(2, { registration: { expiry: 'x' } })],
    /s\.ndjson: line 2: registration\.expiry: must be/,
  ],
  [[], [source(1, { registration: undefined })], /line 1: must have the field "registration"/],
  [[], [source(1, { epsilon: 15 })], /line 1: epsilon: must be a number from 0 to 14/],
  [
    [],
    [source(1, { mechanism: { kind: 'unbiased', values: [1], prior: ['0.5'] } })],
    /line 1: mechanism: prior must be a list of probabilities that sum to 1/,
  ],
  [[], [source(1, { mechanism: { kind: 'other' } })], /line 1: mechanism\.kind: must be "rr" or/],
])('bad input %# is answered with exit code 2 and one line', async (reports, sources, message) => {
  expect(await run(file('r.ndjson', reports), file('s.ndjson', sources))).toBe(2);
  expect(out).toEqual([]);
  expect(err.join('')).toMatch(message);
  expect(err.join('').match(/\n/g)).toHaveLength(1);
});

test.each([
  [['--level', '1'], /--level: must be greater than 0 and less than 1, was "1"/],
  [['--lost', '1'], /--lost: must be a share from 0 to less than 1 as in 0\.05, .*, was "1"/],
  [['--lost', '20/20'], /--lost: must be .* was "20\/20"/],
  [['--skew', 'x'], /--skew: must be whole seconds/],
  [['--as-of', 'noon'], /--as-of: must be milliseconds/],
  [['--group-by', 'colour'], /s\.ndjson: line 1: must have the field "colour"/],
])('%p is refused', async (options, message) => {
  expect(await run(file('r.ndjson', []), file('s.ndjson', [source(1)]), ...options)).toBe(2);
  expect(err.join('')).toMatch(message);
});

test('without sources or reports there is nothing to estimate, which is said', async () => {
  expect(await run(file('r.ndjson', []), file('s.csv', ''))).toBe(0);
  expect(err.join('').split('\n')).toEqual([
    expect.stringContaining('s.csv: has no rows; expected the sources that were registered'),
    expect.stringContaining('r.ndjson: has no rows; expected reports'),
    '',
  ]);
});

test.each(['none.ndjson', 'none.csv'])('%s, which is not there, is said to be missing', async (name) => {
  expect(await run(file('r.ndjson', []), pathOf(name))).toBe(2);
  expect(err.join('')).toMatch(/none\.\w+: cannot be read: ENOENT/);
});

test('CSV that is none is refused with its line', async () => {
  const csv = 'source_event_id,time\n1,2,3\n';
  expect(await run(file('r.ndjson', []), file('s.csv', csv))).toBe(2);
  expect(err.join('')).toMatch(/s\.csv: line 2: /);
});

test('a field to group by that no source has is refused, with the fields that there are', async () => {
  const sources = file('s.ndjson', [source(1)]);
  expect(await run(file('r.ndjson', [report(1, 1)]), sources, '--group-by', 'colour')).toBe(2);
  expect(err.join('')).toMatch(
    /s\.ndjson: line 1: must have the field "colour", which no other row has either; this one has \w+, \w+/,
  );
});

test('a group that is all of a configuration is shown once, and two groups beside their total', async () => {
  const titles = async (...campaigns: string[]): Promise<readonly string[]> => {
    const sources = file(
      's.ndjson',
      campaigns.map((campaign, index) => source(index + 1, { campaign })),
    );
    out.length = 0;
    expect(await run(file('r.ndjson', [report(1, 1)]), sources, '--table', '--group-by', 'campaign')).toBe(0);
    return out.join('').match(/^ {2}(all|campaign \w+)(?=: \d+ source)/gm) ?? [];
  };
  expect(await titles('a', 'a')).toEqual(['  campaign a']);
  expect(await titles('a', 'b')).toEqual(['  all', '  campaign a', '  campaign b']);
});
