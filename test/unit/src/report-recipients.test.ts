import type { Conditions } from '../../../src/engine';
import type { JsonObject } from '../../../src/model/json';
import type { Report, ReportKind } from '../../../src/model/records';
import type { AggregationKey } from '../../../src/model/aggregatable';
import { after, days, milliseconds, minutes, type Origin } from '../../../src/model/units';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { addressOf } from '../../../extension/recipient';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const first = 'https://first.example' as Origin;
const second = 'https://second.example' as Origin;
const LATER = after(START, days(1));
const keysOf = (id: string): readonly AggregationKey[] => [
  { id, key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
];

const withKeysOf = (recipient: Origin, id: string): Partial<Conditions> => ({
  recipient,
  aggregationKeys: keysOf(id),
});

const agreedTo = (recipient: Origin | null, more: Partial<Conditions> = {}): Conditions => ({
  ...conditions({ kind: 'off' }, { aggregatableReports: true }),
  ...(recipient === null ? {} : { recipient }),
  ...more,
});

const debugData = { key_piece: '0x1', debug_data: [] as JsonObject[] };
const told = (type: string): JsonObject => ({ types: [type], key_piece: '0x2', value: 1 });
const source = {
  source_event_id: '7',
  debug_key: '1',
  debug_reporting: true,
  aggregation_keys: { a: '0x1' },
  aggregatable_debug_reporting: { ...debugData, budget: 100, debug_data: [told('source-success')] },
};
const trigger = {
  debug_key: '2',
  debug_reporting: true,
  event_trigger_data: [{ deduplication_key: '5' }],
  aggregatable_trigger_data: [{ key_piece: '0x2', source_keys: ['a'] }],
  aggregatable_values: { a: 5 },
  aggregatable_debug_reporting: { ...debugData, debug_data: [told('trigger-event-deduplicated')] },
};

/** Where reports go that a source makes which was registered under `before`, and two triggers under `now`. */
async function recipients(
  before: Origin | null,
  now: Origin | null,
): Promise<readonly (readonly [kind: ReportKind, recipient: Origin | undefined])[]> {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration(source), agreedTo(before));
  for (let made = 0; made < 2; made += 1)
    await engine.register(
      triggerRegistration(trigger, { time: LATER }),
      agreedTo(now, { nullReportDays: [] }),
    );
  return (await pendingReports(store)).map(({ kind, recipient }) => [kind, recipient]);
}

const all: Readonly<Record<ReportKind, true>> = {
  'event-level': true,
  'event-level-debug': true,
  'verbose-debug': true,
  aggregatable: true,
  'aggregatable-debug': true,
  'aggregate-debug': true,
};

test.each([
  [first, second],
  [first, null],
  [null, second],
])(
  'each report about a source goes to the recipient of the consent under which it was recorded: %s, later %s',
  async (before, now) => {
    const made = await recipients(before, now);
    expect(new Set(made.map(([kind]) => kind))).toEqual(new Set(Object.keys(all)));
    const others = made.filter(([kind]) => kind !== 'aggregate-debug');
    expect(others.filter(([, recipient]) => recipient !== (before ?? undefined))).toEqual([]);
    // Each registration makes one. Those of conversions must not tell by where they go whether there was a source.
    expect(made.filter((one) => !others.includes(one)).map(([, recipient]) => recipient ?? null)).toEqual([
      before,
      now,
      now,
    ]);
  },
);

const withoutKeys = { recipient: first };
const withKeys = { recipient: first, aggregationKeys: keysOf('first') };
const otherKeys = { recipient: second, aggregationKeys: keysOf('second') };

test.each<[string, Partial<Conditions>, Partial<Conditions>]>([
  ['another collector with other keys', withKeys, otherKeys],
  ['another collector without keys', withKeys, { recipient: second }],
  ['no collector', withKeys, {}],
  ['the same collector without keys', withKeys, withoutKeys],
  ['keys of the same collector', withoutKeys, withKeys],
  ['keys of another collector', withoutKeys, otherKeys],
])(
  'a report is sealed for whom its source names, though a later consent names %s',
  async (_what, before, now) => {
    const { engine, store } = newEngine();
    await engine.register(sourceRegistration(source), agreedTo(null, before));
    const later = agreedTo(null, { ...now, nullReportDays: [] });
    await engine.register(triggerRegistration(trigger, { time: LATER }), later);
    const made = (await pendingReports(store)).filter(({ aggregatable }) => aggregatable !== undefined);
    const debug = made.filter(({ kind }) => kind === 'aggregate-debug').slice(1);
    expect(debug).toMatchObject([{ ...now, aggregatable: { contributions: [] } }]);
    const others = made.filter((report) => !debug.includes(report));
    expect(others.length).toBeGreaterThan(1);
    for (const { recipient, aggregationKeys } of others)
      expect({ recipient, aggregationKeys }).toEqual({
        recipient: first,
        aggregationKeys: before.aggregationKeys,
      });
  },
);

test('a report without a source is sealed for whom the consent of now names', async () => {
  const { engine, store } = newEngine();
  await engine.register(triggerRegistration(trigger), agreedTo(null, { ...otherKeys, nullReportDays: [0] }));
  const made = (await pendingReports(store)).filter(({ kind }) => kind === 'aggregatable');
  expect(made).toMatchObject([otherKeys]);
});

test('a source from before there was anybody to seal for makes no aggregatable report, and its conversion a debug report that says nothing', async () => {
  const { engine, store } = newEngine();
  const off = conditions({ kind: 'off' }, { aggregatableReports: false });
  await engine.register(sourceRegistration(source), off);
  const later = agreedTo(second, { nullReportDays: [] });
  const entry = await engine.register(triggerRegistration(trigger, { time: LATER }), later);
  expect(entry).toHaveProperty('debugReport');
  const made = await pendingReports(store);
  expect(made.filter(({ aggregatable }) => aggregatable !== undefined)).toMatchObject([
    { kind: 'aggregate-debug', recipient: second, aggregatable: { contributions: [] } },
  ]);
  expect(made.length).toBeGreaterThan(0);
});

describe('after a change of collector, a null report goes for whom its source would have reported', () => {
  const CHANGE = after(START, days(10));
  const NOW = after(START, days(20));
  const third = { recipient: second, aggregationKeys: keysOf('second') };
  const history = [
    { until: after(START, days(5)), addressee: {} },
    { until: CHANGE, addressee: withKeysOf(first, 'first') },
  ];

  async function nullReports(
    fields: JsonObject,
    more: Partial<Conditions>,
    time = NOW,
    seed = 'null',
  ): Promise<readonly Report[]> {
    const { engine, store } = newEngine({ seed });
    await engine.register(
      triggerRegistration({ ...fields, aggregatable_values: { a: 1 } }, { time }),
      agreedTo(null, { ...third, earlierAddressees: history, ...more }),
    );
    return (await pendingReports(store)).filter(({ kind }) => kind === 'aggregatable');
  }

  const timed = { aggregatable_source_registration_time: 'include' };
  const dayOf = ({ body }: Report): number => {
    const { source_registration_time: time } = JSON.parse((body as { shared_info: string }).shared_info) as {
      source_registration_time: string;
    };
    return (Number(time) * 1000 - START) / days(1);
  };

  test('which says when it was registered', async () => {
    const made = await nullReports(timed, { nullReportDays: [...Array(31).keys()] });
    expect(made).toHaveLength(31);
    for (const report of made) {
      const expected = [dayOf(report), dayOf(report) + 0.999999].map((at) => ({
        ...{ recipient: undefined, aggregationKeys: undefined },
        ...(at < 5 ? {} : at < 10 ? history[1]?.addressee : third),
      }));
      const { recipient, aggregationKeys } = report;
      expect(expected).toContainEqual({ recipient, aggregationKeys });
    }
  });

  test('as the true one of a source from then does, so that neither collector can tell them apart', async () => {
    const { engine, store } = newEngine();
    const time = after(START, days(7));
    const before = agreedTo(null, withKeysOf(first, 'first'));
    await engine.register(sourceRegistration(source, 'navigation', { time }), before);
    const day = { nullReportDays: [13] };
    const later = agreedTo(null, { ...third, earlierAddressees: history, nullReportDays: [] });
    await engine.register(triggerRegistration({ ...trigger, ...timed }, { time: NOW }), later);
    const [truth] = (await pendingReports(store)).filter(({ kind }) => kind === 'aggregatable');
    const [made] = await nullReports(timed, day);
    const seen = (report: Report | undefined) =>
      report && [report.url, report.recipient, report.aggregationKeys, dayOf(report)];
    expect(seen(made)).toBeDefined();
    expect(seen(made)).toEqual(seen(truth));
  });

  test('at any time of the day that it names, also of the day of the change', async () => {
    const noon = after(START, days(10.5));
    const earlierAddressees = [{ until: noon, addressee: withKeysOf(first, 'first') }];
    const to: (string | undefined)[] = [];
    for (let run = 0; run < 60; run++) {
      const [made] = await nullReports(
        timed,
        { earlierAddressees, nullReportDays: [10] },
        NOW,
        `noon ${run}`,
      );
      to.push(made?.recipient);
    }
    // Each with a chance of a half, so that one of them is missing has a chance of 2^-59.
    expect(new Set(to)).toEqual(new Set([first, second]));
  });

  test('or at any time, where it does not say when', async () => {
    // Of 30 days, the last 10 are after the change, 5 before that are of the first collector, 15 of none. That a share of
    // 400 differs by 0.15 has a chance below 2 exp(-2 * 400 * 0.15^2) = 3e-8 each (Hoeffding).
    const shares = new Map<string, number>();
    for (let run = 0; run < 400; run++) {
      const [made] = await nullReports({}, { nullReportDays: [0] }, NOW, `run ${run}`);
      const to = made?.recipient ?? 'none';
      shares.set(to, (shares.get(to) ?? 0) + 1 / 400);
    }
    expect(Math.abs((shares.get(second) ?? 0) - 10 / 30)).toBeLessThan(0.15);
    expect(Math.abs((shares.get(first) ?? 0) - 5 / 30)).toBeLessThan(0.15);
    expect(shares.get('none')).toBeGreaterThan(0.15);
    expect(shares.get(first)).toBeGreaterThan(0);
  });

  test('and of now, once no source from before the change can report any more', async () => {
    const time = after(CHANGE, days(31));
    const made = await nullReports(timed, { nullReportDays: [...Array(31).keys()] }, time);
    expect(new Set(made.map(({ recipient }) => recipient))).toEqual(new Set([second]));
  });
});

const noSource = { ...trigger, event_trigger_data: [{}] };

test.each<[string, JsonObject, readonly ReportKind[]]>([
  ['verbose and aggregatable debug', noSource, ['verbose-debug', 'verbose-debug', 'aggregate-debug']],
  [
    'null',
    { ...noSource, debug_reporting: false, aggregatable_debug_reporting: undefined as never },
    ['aggregatable'],
  ],
])('a %s report without a source goes to the recipient of now', async (_what, fields, kinds) => {
  const { engine, store } = newEngine();
  const nullReportDays = kinds.includes('aggregatable') ? [0] : [];
  await engine.register(triggerRegistration(fields), agreedTo(second, { nullReportDays }));
  const made = await pendingReports(store);
  expect(made.map(({ kind }) => kind).sort()).toEqual(expect.arrayContaining([...new Set(kinds)].sort()));
  expect(made.map(({ recipient }) => recipient)).toEqual(made.map(() => second));
});

test('a report about a malformed header goes to the recipient of now', async () => {
  const { engine, store } = newEngine();
  const malformed = { ...sourceRegistration(), header: '{', reportHeaderErrors: true };
  await engine.register(malformed, agreedTo(second));
  expect(await pendingReports(store)).toMatchObject([{ kind: 'verbose-debug', recipient: second }]);
});

test('fake reports, and those that are drawn when the window closes, go where the source was to report', async () => {
  for (const labelNoise of [
    { kind: 'rr' },
    { kind: 'rr-with-prior', prior: [0.5, 0.5] },
    { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
  ] as const) {
    const { engine, store } = newEngine();
    const measurement = { ...conditions().measurement, labelNoise };
    const fields = {
      event_level_epsilon: 1,
      trigger_data: [0],
      max_event_level_reports: 1,
      event_report_window: 172_800,
    };
    for (let count = 0; count < 20; count += 1)
      await engine.register(
        sourceRegistration(fields, 'event'),
        agreedTo(first, { noise: { kind: 'on' }, measurement }),
      );
    await engine.due(after(START, days(3)));
    const made = await pendingReports(store);
    // The noise is seeded.
    expect([labelNoise.kind, made.length > 0]).toEqual([labelNoise.kind, true]);
    expect(made.filter(({ recipient }) => recipient !== first)).toEqual([]);
  }
});

test('a report keeps its recipient through failures, delays and hurry', async () => {
  const store = new MemoryStore();
  const { engine } = newEngine({ store });
  await engine.register(sourceRegistration(), agreedTo(first));
  await engine.register(triggerRegistration(), agreedTo(second));
  const [made] = await pendingReports(store);
  if (made === undefined) throw new Error('there must be a report');
  const due = made.reportTime;
  const failed = { kind: 'unreachable', error: 'offline' } as const;
  const steps: readonly (() => Promise<unknown>)[] = [
    () => engine.recordAttempt(made.id, failed, 'lossless', due),
    () => engine.postpone(made.id, after(due, minutes(9))),
    () => engine.spreadOverdue(after(due, days(1))),
    () => engine.postpone(made.id, after(due, days(400))),
    () => engine.resumePutOff(due),
    () => engine.hurry(due),
  ];
  for (const step of steps) {
    await step();
    expect((await pendingReports(store)).map(({ recipient }) => recipient)).toEqual([first]);
  }
  const now = after(due, milliseconds(1));
  expect((await engine.due(now)).map(addressOf)).toEqual([
    `${first}/.well-known/attribution-reporting/report-event-attribution`,
  ]);
});

test.each<[Pick<Report, 'url' | 'recipient'>, string]>([
  [{ url: 'https://ads.example/path' }, 'https://ads.example/path'],
  [{ url: 'https://ads.example/path', recipient: first }, 'https://first.example/path'],
])('%j is sent to %s', (report, address) => {
  expect(addressOf(report)).toBe(address);
});
