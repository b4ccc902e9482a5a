import type { RegistrationEntry } from '../../../src/engine';
import type { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import { shareOfImpression } from '../../../src/limits/privacy-budget';
import {
  defaultMeasurement,
  type BudgetSettings,
  type MeasurementSettings,
} from '../../../src/model/mechanisms';
import type { Spend } from '../../../src/model/spend';
import {
  after,
  days,
  epsilon as epsilonOf,
  probability,
  seconds,
  type Moment,
  type Origin,
} from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import type { Store } from '../../../transactions/store';
import {
  conditions,
  newEngine,
  outcomeOf,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { jointly } from '../../../analysis/audit/configured';

const BLOG = 'https://blog.example' as Origin;

/** Engine and store, and a way to register under one budget. */
function trial(
  budget: Partial<BudgetSettings>,
  more: Partial<MeasurementSettings> = {},
  noise: 'on' | 'off' = 'on',
): {
  readonly engine: StoredEngine;
  readonly store: Store;
  readonly register: (registration: Registration) => Promise<RegistrationEntry>;
  readonly spends: () => Promise<readonly Spend[]>;
} {
  const { engine, store } = newEngine();
  const measurement = { ...more, budget: { ...defaultMeasurement.budget, ...budget } };
  return {
    engine,
    store,
    register: (registration) => engine.register(registration, conditions({ kind: noise }, measurement)),
    spends: async () => (await store.read((tx) => tx.table('spends').latest(1000))).reverse(),
  };
}

const at = (time: Moment, fields = {}, contextOrigin?: Origin): Registration =>
  sourceRegistration(fields, 'event', contextOrigin === undefined ? { time } : { time, contextOrigin });

const outcomes = async (
  register: (registration: Registration) => Promise<RegistrationEntry>,
  registrations: readonly Registration[],
): Promise<string[]> => {
  const found: string[] = [];
  for (const registration of registrations) found.push(outcomeOf(await register(registration)));
  return found;
};

const later = (count: number): Moment => after(START, seconds(count));
const REFUSED = 'over budget';

test('a heartbeat takes no place in a budget, however many there are', async () => {
  const { register, spends } = trial({ unit: 'user', epsilon: epsilonOf(6), cap: 1, joint: jointly(6) });
  const heartbeat = { event_level_epsilon: 0 };
  expect(
    await outcomes(register, [at(START, heartbeat), at(later(1), heartbeat), at(later(2)), at(later(3))]),
  ).toEqual(['stored', 'stored', 'stored', REFUSED]);
  expect(new Set((await spends()).map(({ epsilon }) => epsilon))).not.toContain(0);
});

test('without a limit every spend is recorded and nothing is refused', async () => {
  const { register, spends } = trial({});
  expect(await outcomes(register, [at(START), at(later(1), { event_level_epsilon: 2 })])).toEqual([
    'stored',
    'stored',
  ]);
  expect(await spends()).toMatchObject([
    { unit: 'impression', purpose: 'report', epsilon: 14, triggerId: null },
    { unit: 'impression', purpose: 'report', epsilon: 2, triggerId: null },
  ]);
});

test.each<[string, Partial<BudgetSettings>, (readonly [Registration, string])[]]>([
  [
    'the first K impressions of a person on a publisher, on each publisher',
    { unit: 'user-publisher', epsilon: epsilonOf(6), cap: 2 },
    [
      [at(START), 'stored'],
      [at(later(1)), 'stored'],
      [at(later(2)), REFUSED],
      [at(later(3), {}, BLOG), 'stored'],
    ],
  ],
  [
    'the first K of the person in all',
    { unit: 'user', epsilon: epsilonOf(6), cap: 2 },
    [
      [at(START), 'stored'],
      [at(later(1), {}, BLOG), 'stored'],
      [at(later(2)), REFUSED],
    ],
  ],
  [
    'those that have room at each of their advertisers',
    { unit: 'user-advertiser', epsilon: epsilonOf(6), cap: 1 },
    [
      [at(START, { destination: ['https://a.example', 'https://b.example'] }), 'stored'],
      [at(later(1), { destination: ['https://b.example', 'https://c.example'] }), REFUSED],
      [at(later(2), { destination: 'https://c.example' }), 'stored'],
    ],
  ],
  [
    'as many as before once the next period has begun',
    { unit: 'user', epsilon: epsilonOf(6), cap: 1, period: 3 },
    [
      [at(START), 'stored'],
      [at(later(1)), REFUSED],
      [at(after(START, days(3))), 'stored'],
    ],
  ],
  [
    'any number where only the number is limited, and not ε',
    { unit: 'user', epsilon: null, cap: 1 },
    [
      [at(START), 'stored'],
      [at(later(1)), REFUSED],
    ],
  ],
])('a budget keeps %s', async (_title, budget, steps) => {
  const { register } = trial(budget);
  expect(
    await outcomes(
      register,
      steps.map(([registration]) => registration),
    ),
  ).toEqual(steps.map(([, outcome]) => outcome));
});

test.each([
  ['a K-th of ε', { unit: 'user', epsilon: epsilonOf(6), cap: 3 }, 14, 2],
  ['what was registered, where that is less', { unit: 'user', epsilon: epsilonOf(6), cap: 3 }, 1, 1],
  [
    'a K-th of what is not kept for attribution',
    { unit: 'user', epsilon: epsilonOf(6), cap: 2, attributionEpsilon: epsilonOf(4) },
    14,
    1,
  ],
  ['all of ε where it is the unit', { unit: 'impression', epsilon: epsilonOf(3) }, 14, 3],
] as const)(
  'an impression gets %s, and its reports say the rate that follows',
  async (_title, budget, registered, epsilon) => {
    const { register, store } = trial(budget);
    await register(at(START, { event_level_epsilon: registered }));
    const [source] = await store.read((tx) => tx.table('sources').latest(1));
    expect(source?.registration.eventLevelEpsilon).toBe(epsilon);
    expect(source?.randomizedTriggerRate).toBeCloseTo(3 / (2 + Math.exp(epsilon)), 12);
  },
);

test('K shares never add up to more than there is, however they round', () => {
  for (let cap = 1; cap <= 2000; cap++) {
    const share = shareOfImpression({
      ...defaultMeasurement.budget,
      unit: 'user',
      epsilon: epsilonOf(14),
      cap,
    });
    const total = Rational.of(share ?? 0).times(Rational.of(cap));
    expect(total.compare(Rational.of(14))).toBeLessThanOrEqual(0n);
    expect(total.toNumber()).toBeCloseTo(14, 9);
  }
});

const exponential: Partial<MeasurementSettings> = {
  attribution: {
    kind: 'exponential',
    epsilon: epsilonOf(1),
    score: 'linear',
    unit: 'seconds',
    tau: 1,
    gap: null,
  },
};

test('attribution spends for every candidate, whoever gets the credit', async () => {
  const { register, spends } = trial(
    { unit: 'impression', epsilon: epsilonOf(10), attributionEpsilon: epsilonOf(2) },
    exponential,
  );
  await outcomes(register, [at(START), at(later(1)), triggerRegistration(undefined, { time: later(2) })]);
  const lines = await spends();
  expect(lines.map(({ purpose, epsilon, sourceIds }) => [purpose, epsilon, sourceIds.length])).toEqual([
    ['report', 8, 1],
    ['report', 8, 1],
    ['attribution', 0.5, 1],
    ['attribution', 0.5, 1],
  ]);
  expect(new Set(lines.map(({ of }) => of)).size).toBe(2);
});

test('candidates of one unit are a group that spends together', async () => {
  const { register, spends } = trial(
    { unit: 'user-publisher', epsilon: epsilonOf(10), cap: 3, attributionEpsilon: epsilonOf(4) },
    exponential,
  );
  await outcomes(register, [at(START), at(later(1)), triggerRegistration(undefined, { time: later(2) })]);
  expect((await spends()).at(-1)).toMatchObject({ purpose: 'attribution', epsilon: 0.5 });
  expect((await spends()).at(-1)?.sourceIds).toHaveLength(2);
});

test('attribution among the impressions of one person spends nothing: the ε of their outputs covers it', async () => {
  const { register, spends } = trial({ unit: 'user', epsilon: epsilonOf(1), cap: 2 }, exponential);
  const converting = Array.from({ length: 9 }, (_, i) =>
    triggerRegistration(undefined, { time: later(2 + i) }),
  );
  await outcomes(register, [at(START), at(later(1)), ...converting]);
  expect((await spends()).map(({ purpose }) => purpose)).toEqual(['report', 'report']);
});

test('a unit that cannot afford an attribution stays out of it, and without candidates the trigger is dropped', async () => {
  // Each impression can take part once: its own period's ε is spent by then.
  const { register, spends, store } = trial(
    { unit: 'impression', epsilon: epsilonOf(3), attributionEpsilon: epsilonOf(0.9) },
    exponential,
    'off',
  );
  const convert = (time: Moment): Registration => triggerRegistration(undefined, { time });
  expect(await outcomes(register, [at(START), convert(later(1)), convert(later(2))])).toEqual([
    'stored',
    'attributed',
    'trigger-privacy-budget',
  ]);
  expect(await outcomes(register, [at(later(3)), convert(later(4))])).toEqual(['stored', 'attributed']);
  const entry = (await store.read((tx) => tx.table('log').latest(1)))[0];
  expect(entry?.checks).toContainEqual({
    id: 'privacy-budget',
    passed: true,
    values: {
      unit: 'impression',
      of: expect.stringMatching(/^\d+$/) as string,
      reportingSite: 'https://adtech.example',
      loss: 0.5,
      spent: 0.5,
      budget: 0.9,
      effect: 'excluded',
    },
    discloses: 'nothing',
  });
  expect((await spends()).filter(({ purpose }) => purpose === 'attribution')).toHaveLength(2);
});

test('with a δ many small spends go on where the basic theorem would have stopped them', async () => {
  const attributed = async (delta: number, each = 0.01): Promise<number> => {
    const { register } = trial(
      {
        unit: 'user-publisher',
        epsilon: epsilonOf(2),
        cap: 1,
        attributionEpsilon: epsilonOf(0.95),
        delta: probability(delta),
      },
      {
        attribution: {
          kind: 'exponential',
          epsilon: epsilonOf(2 * each),
          score: 'linear',
          unit: 'seconds',
          tau: 1,
          gap: null,
        },
      },
    );
    await register(at(START, { max_event_level_reports: 20 }));
    let count = 0;
    for (let i = 1; i <= 150; i++)
      count +=
        outcomeOf(await register(triggerRegistration(undefined, { time: later(i) }))) ===
        'trigger-privacy-budget'
          ? 0
          : 1;
    return count;
  };
  expect(await attributed(0)).toBe(95);
  expect(await attributed(1e-6)).toBe(150);
  // With δ for each part it would be 16: then both together would have 2 δ.
  expect(await attributed(0.1, 0.1)).toBe(13);
});

test('a refused impression spends nothing and takes no conversion, and its reporting origin is told of success', async () => {
  const { register, store, spends } = trial({ unit: 'user', epsilon: epsilonOf(6), cap: 1 }, {}, 'off');
  await register(at(START));
  const before = await spends();
  await register(at(later(1), { debug_reporting: true }));
  expect(await spends()).toEqual(before);
  expect(await store.read((tx) => tx.table('sources').count())).toBe(2);
  expect(outcomeOf(await register(triggerRegistration(undefined, { time: later(2) })))).toBe(
    'trigger-source-over-budget',
  );
  const [report] = (await pendingReports(store)).filter(({ kind }) => kind === 'verbose-debug');
  expect(report?.body).toMatchObject([{ type: 'source-success' }]);
  expect(JSON.stringify(report?.body)).not.toContain('limit');
});

test('reporting sites have budgets of their own, and all share one if there is one', async () => {
  const byOther = sourceRegistration({}, 'event', {
    time: START,
    reportingOrigin: 'https://other.example' as Origin,
  });
  const budget = { unit: 'user', epsilon: epsilonOf(6), cap: 1 } as const;
  const alone = trial(budget);
  expect(await outcomes(alone.register, [byOther, at(later(1))])).toEqual(['stored', 'stored']);
  expect((await alone.spends()).map(({ reportingSite }) => reportingSite)).toEqual([
    'https://other.example',
    'https://adtech.example',
  ]);
  const together = trial({ ...budget, joint: jointly(6) });
  expect(await outcomes(together.register, [byOther, at(later(1))])).toEqual(['stored', REFUSED]);
});

test('a source that a limit rejects spends nothing', async () => {
  const { register, spends } = trial({ unit: 'user', epsilon: epsilonOf(6), cap: 5 });
  await register(
    at(START, { trigger_data: Array.from({ length: 32 }, (_, i) => i), max_event_level_reports: 20 }),
  );
  expect(await spends()).toEqual([]);
});

test('spends are forgotten when nothing can depend on them any more', async () => {
  const { register, spends, engine } = trial({});
  await register(at(START));
  await engine.deleteExpiredSources(after(START, days(30)));
  expect(await spends()).toHaveLength(1);
  await engine.deleteExpiredSources(after(START, days(37)));
  expect(await spends()).toEqual([]);
});
