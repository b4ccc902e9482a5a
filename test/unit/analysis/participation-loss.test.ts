import fc from 'fast-check';
import { jointLoss } from '../../../analysis/audit/joint-bound';
import { jointly } from '../../../analysis/audit/configured';
import { distributionOf } from '../../../analysis/audit/outcomes';
import { privacyLoss } from '../../../analysis/audit/privacy-loss';
import { seededRandomSource } from '../../../analysis/random/sources';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { newHistory, type BudgetHistory } from '../../../extension/consent/budget-history';
import { erase, restore } from '../../../extension/erasing/erase';
import type { ErasingScope } from '../../../extension/erasing/erase-part';
import { StoredEngine } from '../../../transactions/stored-engine';
import { jointLossSoFar } from '../../../extension/background/state/joint-loss-so-far';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import {
  defaultMeasurement,
  type BudgetSettings,
  type MeasurementSettings,
} from '../../../src/model/mechanisms';
import {
  after,
  days,
  epsilon,
  hours,
  milliseconds,
  moment,
  type Moment,
  type Origin,
} from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { caches, conditions, sourceRegistration, triggerRegistration } from '../helpers/engine';
import { isLong } from '../helpers/is-long';

const origin = (name: string): Origin => `https://${name}.example` as Origin;

const DAY = 86_400;
/** In seconds. */
const windowsToTry = [
  { end_times: [DAY] },
  { end_times: [DAY, 2 * DAY] },
  { start_time: DAY, end_times: [2 * DAY] },
] as const satisfies readonly JsonObject[];

/** What can happen to a participant, in the order of time. */
type Event =
  | {
      readonly kind: 'show';
      readonly publisher: string;
      readonly adTech: string;
      readonly advertiser: string;
      readonly registered: number;
      readonly windows: (typeof windowsToTry)[number];
    }
  | { readonly kind: 'buy'; readonly advertiser: string; readonly adTech: string }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'change'; readonly to: number }
  | { readonly kind: 'erase'; readonly what: 'everything' | 'today' | 'news' | 'adtech' | 'shop' }
  | { readonly kind: 'sweep' };

const budgetWith = (budget: Partial<BudgetSettings>): BudgetSettings => ({
  ...defaultMeasurement.budget,
  ...budget,
});

const settingsToTry: readonly Partial<MeasurementSettings>[] = [
  { budget: budgetWith({ unit: 'user', epsilon: epsilon(2), cap: 2, joint: jointly(2) }) },
  { budget: budgetWith({ unit: 'user', epsilon: epsilon(1), cap: 1, joint: jointly(3, 1), period: 2 }) },
  {
    labelNoise: { kind: 'rr-with-prior', prior: [0.6, 0.4] },
    budget: budgetWith({ unit: 'user-publisher', epsilon: epsilon(3), cap: 2, joint: jointly(4, 2) }),
  },
  {
    attribution: {
      kind: 'exponential',
      epsilon: epsilon(1),
      score: 'linear',
      unit: 'hours',
      tau: 1,
      gap: null,
    },
    budget: budgetWith({
      ...{ unit: 'user-advertiser', epsilon: epsilon(3), attributionEpsilon: epsilon(1), cap: 2 },
      ...{ joint: jointly(2.5, 1.5), owners: [[origin('adtech'), origin('other')] as never] },
    }),
  },
  { budget: budgetWith({ joint: jointly(1.5), period: 1 }) },
];

const [names, sites] = [
  ['adtech', 'other'],
  ['news', 'blog'],
];
const advertisers = ['shop', 'mall'];

const show: fc.Arbitrary<Event> = fc.record({
  kind: fc.constant('show' as const),
  publisher: fc.constantFrom(...sites),
  adTech: fc.constantFrom(...names),
  advertiser: fc.constantFrom(...advertisers),
  registered: fc.constantFrom(0.5, 1, 14),
  windows: fc.constantFrom(...windowsToTry),
});
const buy: fc.Arbitrary<Event> = fc.record({
  kind: fc.constant('buy' as const),
  advertiser: fc.constantFrom(...advertisers),
  adTech: fc.constantFrom(...names),
});
const others: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ kind: fc.constant('change' as const), to: fc.nat({ max: settingsToTry.length - 1 }) }),
  fc.record({
    kind: fc.constant('erase' as const),
    what: fc.constantFrom(
      'everything' as const,
      'today' as const,
      'news' as const,
      'adtech' as const,
      'shop' as const,
    ),
  }),
  fc.constant<Event>({ kind: 'sweep' }),
);

/** A device over time. */
class Life {
  readonly store = new MemoryStore();
  readonly sent: string[] = [];
  settings: Partial<MeasurementSettings> = settingsToTry[0] ?? {};
  now: Moment = moment(40 * 3_600_000);
  history: BudgetHistory = newHistory(this.now);
  private readonly engine: StoredEngine;

  constructor(random: (stream: number) => RandomSource) {
    this.engine = new StoredEngine({ store: this.store, limits: chromiumLimits, random, caches });
  }

  told(): Promise<number> {
    return this.store.read(jointLossSoFar);
  }

  /** The most that the budgets of the participation allow until now. */
  get allowed(): number {
    const { budget = defaultMeasurement.budget } = this.settings;
    const span = { start: this.history.since, end: after(this.now, milliseconds(1)) };
    return jointLoss(budget, span, { before: this.history.before, soFar: 0 }).most ?? Infinity;
  }

  async live(event: Event): Promise<void> {
    await this.send(this.now);
    const time = this.now;
    const under = conditions({ kind: 'on' }, this.settings);
    switch (event.kind) {
      case 'show': {
        const [contextOrigin, reportingOrigin] = [origin(event.publisher), origin(event.adTech)];
        const fields = {
          destination: origin(event.advertiser),
          event_level_epsilon: event.registered,
          ...{ trigger_data: [0], max_event_level_reports: 1, event_report_windows: event.windows },
        };
        await this.engine.register(
          sourceRegistration(fields, 'event', { time, contextOrigin, reportingOrigin }),
          under,
        );
        break;
      }
      case 'buy':
        await this.engine.register(
          triggerRegistration(undefined, {
            ...{ time, contextOrigin: origin(event.advertiser), reportingOrigin: origin(event.adTech) },
          }),
          under,
        );
        break;
      case 'wait':
        this.now = after(this.now, hours(event.hours));
        break;
      case 'change':
        this.history = { since: this.now, before: await this.told() };
        this.settings = settingsToTry[event.to] ?? {};
        break;
      case 'erase':
        await this.store.write((tx) => erase(tx, scopeOf(event.what, this.now), chromiumLimits));
        break;
      case 'sweep':
        await this.engine.deleteExpiredSources(this.now);
    }
    this.now = after(this.now, hours(1));
  }

  /** Sends what is due, to whoever gets all reports. */
  async send(end: Moment): Promise<void> {
    for (let due = await this.engine.nextDue(); due !== null && due <= end; due = await this.engine.nextDue())
      for (const { id, body } of await this.engine.due(due)) {
        this.sent.push(JSON.stringify({ ...(body as object), report_id: null }));
        await this.engine.recordAttempt(id, { kind: 'answered', status: 200 }, 'lossless', due);
      }
  }
}

function scopeOf(what: Extract<Event, { kind: 'erase' }>['what'], now: Moment): ErasingScope | null {
  if (what === 'everything') return null;
  return what === 'today'
    ? { kind: 'time', from: now - days(1), to: now }
    : { kind: 'sites', sites: [origin(what)] };
}

test('no course of events makes what everyone was told fall, or exceed what the budgets allow', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: show }, buy, { weight: 2, arbitrary: others }), {
        maxLength: 40,
      }),
      async (events) => {
        const life = new Life((stream) => seededRandomSource('life', stream));
        let before = 0;
        for (const event of events) {
          await life.live(event);
          const told = await life.told();
          expect(told).toBeGreaterThanOrEqual(before);
          expect(told).toBeLessThanOrEqual(life.allowed + 1e-9);
          before = told;
        }
      },
    ),
    { numRuns: isLong ? 150 : 60 },
  );
});

const [WHOLE, QUOTA] = [4, 1.5];
const withQuotas = { budget: budgetWith({ joint: jointly(WHOLE, QUOTA) }) };

const windows = windowsToTry[0];
const ad = { kind: 'show', publisher: 'news', adTech: 'adtech', advertiser: 'shop', windows } as const;
/** An ad that shares no site with that one. */
const elsewhere = { ...ad, publisher: 'blog', adTech: 'other', advertiser: 'mall' } as const;

test.each([
  ['everything', ad],
  ['today', ad],
  ['news', { ...elsewhere, publisher: ad.publisher }],
  ['adtech', { ...elsewhere, adTech: ad.adTech }],
  ['shop', { ...elsewhere, advertiser: ad.advertiser }],
] as const)('a quota that is spent stays spent when %s is erased', async (what, next) => {
  const life = new Life((stream) => seededRandomSource('life', stream));
  life.settings = withQuotas;
  await life.live({ ...ad, registered: QUOTA });
  await life.live({ kind: 'erase', what });
  await life.live({ ...next, registered: 0.5 });
  expect(await life.told()).toBe(QUOTA);
});

test('erasing that is undone leaves a quota as it was', async () => {
  const life = new Life((stream) => seededRandomSource('life', stream));
  life.settings = withQuotas;
  await life.live({ ...ad, registered: QUOTA });
  const erased = await life.store.write((tx) => erase(tx, null, chromiumLimits));
  await life.store.write((tx) => restore(tx, erased));
  await life.live({ ...ad, registered: 0.5 });
  expect(await life.told()).toBe(QUOTA);
  await life.live({ ...elsewhere, registered: 0.5 });
  expect(await life.told()).toBe(QUOTA + 0.5);
});

test('no course of events gives a company, page or destination more than its quota in a period', async () => {
  let fullest = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: show },
          others.filter(({ kind }) => kind !== 'change'),
        ),
        { maxLength: 30 },
      ),
      async (events) => {
        const life = new Life((stream) => seededRandomSource('life', stream));
        life.settings = withQuotas;
        const spent = new Map<string, number>();
        for (const event of events) {
          const before = await life.told();
          const period = Math.floor(life.now / days(withQuotas.budget.period));
          await life.live(event);
          if (event.kind !== 'show') continue;
          for (const site of [event.adTech, event.publisher, event.advertiser]) {
            const sum = (spent.get(`${site} ${period}`) ?? 0) + (await life.told()) - before;
            expect(sum).toBeLessThanOrEqual(QUOTA);
            spent.set(`${site} ${period}`, sum);
            fullest = Math.max(fullest, sum);
          }
        }
      },
    ),
    { numRuns: isLong ? 150 : 60 },
  );
  expect(fullest).toBe(QUOTA);
});

/** Until all reports have been sent. */
async function reportsOf(events: readonly Event[], random: RandomSource, told: number[]): Promise<string> {
  const life = new Life(() => random);
  for (const event of events) await life.live(event);
  await life.send(moment(8.64e15));
  told.push(await life.told());
  return life.sent.join('; ');
}

test('all reports tell no more of all conversions than what everyone is said to have been told', async () => {
  let worst = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(show, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat({ max: 3 }), fc.oneof(buy, others)), { maxLength: 6 }),
      async (shown, between) => {
        const events = shown.flatMap((one, index) => [
          one,
          ...between.filter(([at]) => at % shown.length === index).map(([, event]) => event),
        ]);
        const told: number[] = [];
        const [one, other] = await Promise.all(
          [
            events,
            events.map((event): Event => (event.kind === 'buy' ? { kind: 'wait', hours: 0 } : event)),
          ].map((world) => distributionOf((random) => reportsOf(world, random, told), 5000)),
        );
        if (one === undefined || other === undefined) throw new Error('there are two worlds');
        // It depends on no conversion and on no noise.
        expect(new Set(told).size).toBe(1);
        const loss = privacyLoss(one, other).epsilon;
        expect(loss).toBeLessThanOrEqual((told[0] ?? 0) + 1e-9);
        worst = Math.max(worst, loss);
      },
    ),
    { numRuns: isLong ? 60 : 30 },
  );
  expect(worst).toBeGreaterThan(0.4);
});

test.each(windowsToTry.slice(1))(
  'erasing the day in which the window of an invented report began tells nothing of a later conversion: %j',
  async (windows) => {
    const shown: Event = {
      ...{ kind: 'show', publisher: 'news', adTech: 'adtech', advertiser: 'shop', registered: 1, windows },
    };
    const before: readonly Event[] = [shown, { kind: 'wait', hours: 26 }, { kind: 'erase', what: 'today' }];
    const [one, other] = await Promise.all(
      [before, [...before, { kind: 'buy', advertiser: 'shop', adTech: 'adtech' } as const]].map((world) =>
        distributionOf((random) => reportsOf(world, random, []), 5000),
      ),
    );
    if (one === undefined || other === undefined) throw new Error('there are two worlds');
    expect(privacyLoss(one, other).epsilon).toBeCloseTo(1, 9);
  },
);
