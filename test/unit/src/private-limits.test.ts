import { distributionOf } from '../../../analysis/audit/outcomes';
import { privacyLoss } from '../../../analysis/audit/privacy-loss';
import { MemoryStore } from '../../../analysis/store/memory-store';
import type { RegistrationEntry } from '../../../src/engine';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { PairUse } from '../../../src/model/uses';
import type { Store } from '../../../transactions/store';
import {
  ADTECH,
  conditions,
  contents,
  newEngine,
  outcomeOf,
  pendingReports,
  SHOP,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { replay } from '../../../analysis/scenario/replay';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../../formats/registration/header';
import { isJsonObject, type JsonObject } from '../../../src/model/json';
import { chromiumLimits, type Limits } from '../../../src/model/limits';
import type { LabelNoise } from '../../../src/model/mechanisms';
import { after, days, hours, minutes, moment, type Moment, type Origin } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { Caches } from '../../../src/work';

/*
 * Two worlds that differ in what happened after one ad, at a limit that is reached. Each way in which the random decisions can fall is run through
 * the whole engine, so the losses are exact. Limits of 1 or 2 stand for Chromium's 100, 1,024 and 4,096.
 */

type Event = ScenarioEvent & { readonly kind: 'request' };

const originOf = (name: string): Origin => `https://${name}.example` as Origin;

const event = (at: number, site: string, name: string, header: JsonObject, adTech = 'adtech'): Event => {
  const time = after(moment(0), hours(at));
  return {
    kind: 'request',
    time,
    contextOrigin: originOf(site),
    eligibility: 'event-source-or-trigger',
    fenced: false,
    responses: [
      {
        time,
        url: `${originOf(adTech)}/register`,
        reportingOrigin: originOf(adTech),
        debugPermission: false,
        randomizedResponse: null,
        nullReportDays: null,
        chance: null,
        headers: new Map([[name.toLowerCase(), JSON.stringify(header)]]),
        path: '',
      },
    ],
  };
};

interface Shown {
  readonly epsilon?: number;
  readonly to?: string | readonly string[];
  readonly on?: string;
  readonly by?: string;
  readonly more?: JsonObject;
}

/** An ad with one possible report, after a day. */
const ad = (
  at: number,
  id: number,
  { epsilon = 1, to = 'shop', on = 'news', by, more = {} }: Shown = {},
): Event =>
  event(
    at,
    on,
    REGISTER_SOURCE,
    {
      source_event_id: String(id),
      destination: [to].flat().map(originOf),
      event_level_epsilon: epsilon,
      event_report_window: 86_400,
      trigger_data: [0],
      max_event_level_reports: 1,
      filter_data: { id: [String(id)] },
      ...more,
    },
    by,
  );

/** A conversion; with `of`, of the ad with this id only. */
const conversion = (
  at: number,
  { of, on = 'shop', by, more = {} }: { of?: number; on?: string; by?: string; more?: JsonObject } = {},
): Event =>
  event(
    at,
    on,
    REGISTER_TRIGGER,
    {
      event_trigger_data: [{ trigger_data: '0' }],
      ...(of === undefined ? {} : { filters: { id: [String(of)] } }),
      ...more,
    },
    by,
  );

interface Case {
  readonly name: string;
  readonly worlds: readonly [readonly Event[], readonly Event[]];
  /** The ε of the outputs that the difference is about. */
  readonly promise: number;
  readonly limits: Partial<Limits>;
  /** What is lost if limits count what the specification counts. */
  readonly lost: number;
  readonly settings?: Partial<Settings>;
  /** Whose reports the observer gets; left out: everybody's. */
  readonly observer?: string;
}

const labelNoise = (noise: LabelNoise): Partial<Settings> => ({ labelNoise: noise });
const noises: readonly LabelNoise[] = [
  { kind: 'rr-with-prior', prior: [0.5, 0.5] },
  { kind: 'rr-on-bins', values: [0, 1], prior: [0.5, 0.5], loss: 'squared' },
  { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
];
const counted = {
  trigger_data: undefined,
  trigger_specs: [{ trigger_data: [0], summary_buckets: [1] }],
} as unknown as JsonObject;

/** An ad whose label is protected, and a later one with a conversion that is surely reported if it counts. */
const probed = (target: Shown, probe: Shown = {}, on = 'shop', at = 1): Case['worlds'] => {
  const rest = [ad(at, 2, { epsilon: 14, ...probe }), conversion(at + 1, { on })];
  return [
    [ad(0, 1, target), ...rest],
    [ad(0, 1, target), conversion(0.5), ...rest],
  ];
};

const cases: readonly Case[] = [
  ...(
    [
      [0.1, 11.75],
      [1, 14.54],
      [3, 16.95],
    ] as const
  ).map(([epsilon, lost]) => ({
    name: `a probe for the last attribution of a pair, ε = ${epsilon}`,
    worlds: probed({ epsilon }),
    promise: epsilon,
    limits: { maxAttributions: 1 },
    lost,
  })),
  ...noises.flatMap((noise) => [
    {
      name: `a probe for the last attribution of a pair, ${noise.kind}`,
      worlds: probed({ more: counted }, { more: counted }),
      promise: 1,
      limits: { maxAttributions: 1 },
      lost: 15,
      settings: labelNoise(noise),
    },
    {
      name: `a probe for the last place among the reports that wait, ${noise.kind}`,
      worlds: probed({ more: counted }, { more: counted, on: 'blog' }),
      promise: 1,
      limits: { maxEventLevelReportsPerDestination: 1 },
      lost: 15,
      settings: labelNoise(noise),
    },
  ]),
  {
    name: 'a probe for the last place among the reports that wait, by the moment of a conversion',
    worlds: (() => {
      const shown = [ad(0, 1), ad(1, 2, { epsilon: 14, on: 'blog' })];
      const probe = conversion(3, { of: 2 });
      return [
        [...shown, probe, conversion(4, { of: 1 })],
        [...shown, conversion(2, { of: 1 }), probe],
      ] as const;
    })(),
    promise: 0,
    limits: { maxEventLevelReportsPerDestination: 1 },
    lost: 1,
    settings: { attribution: { kind: 'linear', credit: 'draw' } },
  },
  {
    name: 'a probe for the last attribution of a pair, once the report before it was sent',
    worlds: probed({}, {}, 'shop', 30),
    promise: 1,
    limits: { maxAttributions: 1 },
    lost: 14.54,
  },
  {
    name: 'a probe for another of the destinations of an ad, once its report was sent',
    worlds: probed({ to: ['shop', 'mall'] }, { to: 'mall' }, 'mall', 30),
    promise: 1,
    limits: { maxAttributions: 1 },
    lost: 14.54,
  },
  {
    name: 'a probe for another of the destinations of an ad',
    worlds: probed({ to: ['shop', 'mall'] }, { to: 'mall' }, 'mall'),
    promise: 1,
    limits: { maxAttributions: 1 },
    lost: 14.54,
  },
  {
    name: 'a probe for the last reporting origin of a pair',
    worlds: (() => {
      const rest = [ad(0, 1, { by: 'other' }), ad(1, 2, { epsilon: 14 })];
      const probe = conversion(3, { of: 2 });
      return [
        [...rest, probe],
        [...rest, conversion(2, { of: 1, by: 'other' }), probe],
      ] as const;
    })(),
    promise: 1,
    limits: { maxAttributionReportingOrigins: 1 },
    lost: 13.54,
  },
  {
    name: 'a probe for the last reporting origin, after an aggregatable report of another ad tech',
    worlds: (() => {
      const totals = { aggregation_keys: { total: '0x1' } };
      const rest = [ad(0, 1, { by: 'other', epsilon: 14, more: totals }), ad(1, 2, { epsilon: 14 })];
      const sum = {
        aggregatable_values: { total: 1 },
        aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: ['total'] }],
      };
      const bought = conversion(2, { of: 1, by: 'other', more: { event_trigger_data: [], ...sum } });
      return [
        [...rest, conversion(3, { of: 2 })],
        [...rest, bought, conversion(3, { of: 2 })],
      ] as const;
    })(),
    promise: 0,
    // Its delay would be another draw.
    limits: { maxAttributionReportingOrigins: 1, aggregatableReportDelaySpan: minutes(0) },
    lost: 14,
    settings: { aggregatableReports: true },
    observer: 'adtech',
  },
  {
    name: 'a probe with ε = 0 for the last place of an origin',
    worlds: (() => {
      const [first, second, probe] = [ad(0, 1), ad(1, 2), ad(3, 3, { epsilon: 0, to: 'mall' })];
      return [
        [first, second, probe],
        [first, second, conversion(2), probe],
      ] as const;
    })(),
    promise: 1,
    limits: { maxSourcesPerOrigin: 2 },
    lost: Infinity,
  },
  {
    name: 'a probe with ε = 0 for a destination that a forgotten ad claims again',
    worlds: (() => {
      const claim = (priority: string): JsonObject => ({ destination_limit_priority: priority });
      // The third takes the place of the second, which outranked the first until then.
      const [first, second, third, probe] = [
        ad(0, 1, { more: claim('5') }),
        ad(1, 2, { to: ['shop', 'mall'], more: claim('6') }),
        ad(3, 3, { to: 'bank', more: claim('7') }),
        ad(4, 4, { epsilon: 0, to: 'gym', more: claim('4') }),
      ];
      return [
        [first, second, third, probe],
        [first, second, conversion(2), third, probe],
      ] as const;
    })(),
    promise: 1,
    limits: { maxDestinationsPerReportingSite: 2 },
    lost: Infinity,
  },
  {
    name: 'a probe whose scope the newer one of a forgotten ad displaces',
    worlds: (() => {
      const scope = (value: string): JsonObject => ({
        attribution_scopes: { limit: 2, values: [value], max_event_states: 3 },
      });
      const shown = [
        ad(0, 1, { epsilon: 14, to: 'mall', more: scope('a') }),
        ad(1, 2, { to: ['shop', 'mall'], more: scope('b') }),
        ad(2, 3, { more: scope('c') }),
      ];
      const rest = [
        ad(4, 4, { to: 'mall', more: scope('d') }),
        conversion(5, { on: 'mall', more: { attribution_scopes: ['a'] } }),
      ];
      return [
        [...shown, ...rest],
        [...shown, conversion(3), ...rest],
      ] as const;
    })(),
    promise: 1,
    limits: {},
    lost: 15,
  },
];

/** All ways of all cases share them, because to find an unbiased randomizer takes longer than all the rest. */
const caches = new Caches();

const SHUFFLED: RandomSource = { uint64: () => 0n };

const observe =
  (world: readonly Event[], { limits, settings = {}, observer }: Case, how: Settings['limits']) =>
  async (random: RandomSource): Promise<string> => {
    const reports = await replay(
      {
        config: { limits: { ...chromiumLimits, ...limits }, navigationRetry: null },
        settings: { ...defaultSettings, ...settings, limits: how },
        events: world,
        reports: [],
      },
      { random: (stream) => (stream === 0 ? SHUFFLED : random), noise: true, caches },
    );
    return reports
      .filter(
        ({ report_url: url }) => url.includes('/report-event-attribution') && url.includes(observer ?? ''),
      )
      .map(({ payload }) => {
        if (!isJsonObject(payload)) throw new Error('a report is an object');
        const { source_event_id: id, trigger_data: data, noisy_value: value } = payload;
        return JSON.stringify([id, value ?? data]);
      })
      .sort()
      .join(' ');
  };

const lossOf = async (one: Case, how: Settings['limits']): Promise<number> =>
  privacyLoss(
    await distributionOf(observe(one.worlds[0], one, how), 5000),
    await distributionOf(observe(one.worlds[1], one, how), 5000),
  ).epsilon;

test.each(cases)('$name learns no more than ε', async (one) => {
  expect(await lossOf(one, 'private')).toBeCloseTo(one.promise, 9);
});

test.each(cases)('$name learns more where limits are those of the specification', async (one) => {
  const loss = await lossOf(one, 'specification');
  if (one.lost === Infinity) expect(loss).toBe(Infinity);
  else expect(loss).toBeCloseTo(one.lost, 2);
});

test.each([
  ['specification', 'private', 30],
  ['private', 'specification', 0.2],
  ['private', 'specification', 30],
] as const)(
  'limits that change from %s to %s between an ad and its conversion tell nothing, probed after %i hours',
  async (before, afterwards, at) => {
    const observed =
      (isConverted: boolean) =>
      async (random: RandomSource): Promise<string> => {
        const { engine, sent } = drivenBy(random, { ...chromiumLimits, maxAttributions: 1 });
        const time = (since: number) => ({ time: after(START, hours(since)) });
        const under = (how: Settings['limits']) => conditions({ kind: 'on' }, { limits: how });
        const show = (since: number, epsilon: number) =>
          sourceRegistration({ ...shown, event_level_epsilon: epsilon }, 'navigation', time(since));
        await engine.register(show(0, 1), under(before));
        if (isConverted) await engine.register(triggerRegistration(undefined, time(0.1)), under(afterwards));
        await sent(after(START, hours(at)));
        await engine.register(show(at, 14), under(afterwards));
        await engine.register(triggerRegistration(undefined, time(at + 1)), under(afterwards));
        return (await sent(after(START, days(60)))).join(' ');
      };
    const loss = privacyLoss(
      await distributionOf(observed(true), 5000),
      await distributionOf(observed(false), 5000),
    );
    expect(loss.epsilon).toBeCloseTo(1, 9);
  },
);

const scoped = (value: string): JsonObject => ({
  attribution_scopes: { limit: 1, values: [value], max_event_states: 3 },
});
const byPriority = { destination_limit_priority: '5' };

test.each([
  ['a destination of higher priority', {}, { to: 'mall', more: byPriority }],
  ['another scope', { more: scoped('a') }, { more: scoped('b') }],
])(
  'a clock set back before a conversion tells nothing where %s displaces the ad',
  async (name, target, next) => {
    const [displaced, displacing] = [ad(10, 1, target), ad(9.95, 2, next)];
    const worlds = [
      [displaced, displacing],
      [displaced, conversion(9.9), displacing],
    ] as const;
    const limits = { maxDestinationsPerReportingSite: 1 };
    expect(await lossOf({ name, worlds, promise: 0, limits, lost: 0 }, 'private')).toBeCloseTo(0, 9);
  },
);

/** An engine all of whose randomness is given, and how to send its reports until a moment. @returns all that were sent */
function drivenBy(random: RandomSource, limits: Limits) {
  const engine = new StoredEngine({
    ...{ store: new MemoryStore(), limits },
    random: (stream) => (stream === 0 ? SHUFFLED : random),
  });
  const all: string[] = [];
  const sent = async (until: Moment): Promise<readonly string[]> => {
    for (let due = await engine.nextDue(); due !== null && due <= until; due = await engine.nextDue())
      for (const { id, reportTime } of await engine.due(due)) {
        all.push(String(reportTime));
        await engine.recordAttempt(id, { kind: 'answered', status: 200 }, 'lossless', due);
      }
    return all;
  };
  return { engine, sent };
}

const shown = { trigger_data: [0], max_event_level_reports: 1, event_report_window: 86_400 };
const onceSummed = {
  trigger_data: undefined,
  trigger_specs: [
    {
      trigger_data: [0],
      summary_operator: 'value_sum',
      summary_buckets: [1, 100],
      event_report_windows: { end_times: [864_000] },
    },
  ],
  max_event_level_reports: 2,
  event_report_window: undefined,
} as unknown as JsonObject;

test.each([
  ['of the same source with trigger_specs', onceSummed, [1, 1], 'attributed'],
  [
    'of lower priority',
    { event_report_window: 864_000 },
    [1, 2],
    'trigger-event-attributions-per-source-destination-limit',
  ],
] as const)(
  'a report that waits stays where the limit was reached since: one %s',
  async (_name, fields, numbers, outcome) => {
    const { engine, store } = newEngine({ limits: { ...chromiumLimits, maxAttributions: 1 } });
    const at = (time: number) => ({ time: after(START, hours(time)) });
    const convert = (index: 0 | 1, time: number): Promise<RegistrationEntry> => {
      const { [index]: number } = numbers;
      const data = { trigger_data: '0', value: number, priority: String(number) };
      return engine.register(triggerRegistration({ event_trigger_data: [data] }, at(time)), conditions());
    };
    const one = { ...shown, priority: '1', ...fields };
    await engine.register(sourceRegistration(one, 'navigation', at(0)), conditions());
    await convert(0, 1);
    const forced = conditions({ kind: 'forced', state: [[0]] });
    await engine.register(sourceRegistration(shown, 'navigation', at(2)), forced);
    for (const { id, reportTime } of await engine.due(after(START, hours(40))))
      await engine.recordAttempt(id, { kind: 'answered', status: 200 }, 'lossless', reportTime);
    const waiting = await pendingReports(store);
    expect(waiting).toHaveLength(1);
    expect(outcomeOf(await convert(1, 41))).toBe(outcome);
    expect((await pendingReports(store)).map(({ id }) => id)).toEqual(waiting.map(({ id }) => id));
  },
);

describe('a report', () => {
  const withLimits = conditions({ kind: 'off' }, { limits: 'private' });
  const forced = conditions({ kind: 'forced', state: [[0]] }, { limits: 'private' });
  const shops = { destination: [SHOP, 'https://mall.example'] };
  const limits = { ...chromiumLimits, maxEventLevelReportsPerDestination: 1 };
  const unreachable = { kind: 'unreachable', error: 'no connection' } as const;

  const uses = async (store: Store) => {
    const { destinationUse, pairUse } = await contents(store);
    return { destinationUse, attributions: (pairUse as readonly PairUse[]).map((use) => use.attributions) };
  };

  test('counts from its first try on, for each destination that it names', async () => {
    const { engine, store } = newEngine({ limits });
    await engine.register(sourceRegistration(shops), withLimits);
    await engine.register(triggerRegistration(), withLimits);
    expect(await uses(store)).toEqual({ destinationUse: [], attributions: [[], []] });
    const [report] = await pendingReports(store);
    if (report === undefined) throw new Error('the conversion makes a report');
    const sent = {
      scope: 'sent-report',
      origin: ADTECH,
      time: report.reportTime,
      report: null,
    };
    const waiting = ['https://mall.example', SHOP].map((id) => ({ id, eventLevel: 1, aggregatable: 0 }));
    for (const minutesLater of [0, 1]) {
      const tried = after(report.reportTime, minutes(minutesLater));
      await engine.recordAttempt(report.id, unreachable, 'lossless', tried);
      const { destinationUse, attributions } = await uses(store);
      expect(destinationUse).toHaveLength(2);
      expect(destinationUse).toEqual(expect.arrayContaining(waiting));
      expect(attributions).toEqual([[sent], [sent]]);
    }
    const elsewhere = { contextOrigin: 'https://blog.example' as Origin };
    await engine.register(sourceRegistration({}, 'navigation', elsewhere), withLimits);
    const later = (): Promise<RegistrationEntry> => engine.register(triggerRegistration(), withLimits);
    expect(outcomeOf(await later())).toBe('trigger-event-storage-limit');
    await engine.recordAttempt(report.id, { kind: 'answered', status: 200 }, 'lossless', report.reportTime);
    expect((await uses(store)).destinationUse).toEqual([]);
    expect(outcomeOf(await later())).toBe('attributed');
  });

  test('counts the same if it is fake', async () => {
    const found = [];
    for (const how of [withLimits, forced]) {
      const { engine, store } = newEngine({ limits });
      const one = { ...shops, trigger_data: [0], max_event_level_reports: 1 };
      await engine.register(sourceRegistration(one, 'event'), how);
      if (how === withLimits) await engine.register(triggerRegistration(), withLimits);
      const [report] = await pendingReports(store);
      if (report === undefined) throw new Error('there is a report');
      const before = await uses(store);
      await engine.recordAttempt(report.id, unreachable, 'lossless', report.reportTime);
      found.push([before, await uses(store)]);
    }
    expect(found[0]?.map(({ attributions }) => attributions.flat().length)).toEqual([0, 2]);
    expect(found[1]).toEqual(found[0]);
  });

  test.each(noises)('counts when it is sent if its output is drawn at the end: $kind', async (noise) => {
    const { engine, store } = newEngine({ limits });
    const how = conditions({ kind: 'on' }, { limits: 'private', labelNoise: noise });
    const surely = { ...counted, max_event_level_reports: 1, event_level_epsilon: 14 };
    await engine.register(sourceRegistration(surely, 'event'), how);
    await engine.register(triggerRegistration(), how);
    expect(await uses(store)).toEqual({ destinationUse: [], attributions: [[]] });
    const [report] = await engine.due(after(START, days(40)));
    if (report === undefined)
      throw new Error('ε = 14 makes a report, but in one of a million runs; this one has a seed');
    expect((await uses(store)).attributions.flat()).toEqual([]);
    await engine.recordAttempt(report.id, unreachable, 'lossless', report.reportTime);
    const { destinationUse, attributions } = await uses(store);
    expect(destinationUse).toHaveLength(1);
    expect(attributions.flat().map(({ scope }) => scope)).toEqual(['sent-report']);
  });
});
