import {
  accountsOf,
  jointAccountsOf,
  mostLost,
  type Account,
  type JointAccount,
  type Spendings,
} from '../../../extension/pages/explain/accounts';
import { accountingOf, carryAccounts } from '../../../extension/erasing/carry-accounts';
import { endAccounts } from '../../../extension/erasing/end-accounts';
import { defaultMeasurement, type BudgetSettings } from '../../../src/model/mechanisms';
import {
  after,
  days,
  epsilon,
  moment,
  probability,
  type Moment,
  type Origin,
  type Site,
} from '../../../src/model/units';
import { fraction, nothing } from '../../../src/limits/accounts';
import { budgetKey } from '../../../src/model/spend';
import type { Store } from '../../../transactions/store';
import { Rational } from '../../../src/privacy/rational';
import { isWithin } from '../../../analysis/noise/composition';
import { siteOf } from '../../../src/model/site';
import { jointly } from '../../../analysis/audit/configured';
import { ADTECH, conditions, NEWS, newEngine, outcomeOf, sourceRegistration } from '../helpers/engine';

const OTHER = 'https://other.example' as Origin;
/** The third day of a period of a week, whose next day begins another one of a day. */
const DAY = moment(days(7 * 3000 + 2));
const owners: readonly (readonly Site[])[] = [[siteOf(OTHER), siteOf(ADTECH)]];

const budgetOf = (more: Partial<BudgetSettings> = {}): BudgetSettings => ({
  ...defaultMeasurement.budget,
  unit: 'user-publisher',
  epsilon: epsilon(10),
  cap: 40,
  ...more,
});

const spendings = (store: Store): Promise<Spendings> =>
  store.read(async (tx) => ({
    stored: await tx.table('accounts').latest(Infinity),
    spends: await tx.table('spends').latest(Infinity),
  }));

function device(first: BudgetSettings) {
  const { engine, store } = newEngine();
  let settings = first;
  return {
    /** @returns whether conversions count for it */
    show: async (
      time: Moment,
      fields: { readonly [name: string]: number } = {},
      reportingOrigin = ADTECH,
    ) => {
      const registration = sourceRegistration({ event_level_epsilon: 0, ...fields }, 'event', {
        time,
        reportingOrigin,
      });
      const entry = await engine.register(registration, conditions({ kind: 'on' }, { budget: settings }));
      return outcomeOf(entry) !== 'over budget';
    },
    change: async (budget: Partial<BudgetSettings>, now: Moment) => {
      const before = settings;
      settings = { ...settings, ...budget };
      await store.write((tx) => carryAccounts(tx, accountingOf(before), accountingOf(settings), now));
    },
    endAccounts: (now: Moment) => endAccounts(store, now),
    /** As a private attribution asks each of its candidates. */
    ask: () =>
      store.write(async (tx) => {
        const sum = fraction(Rational.of(0.5));
        for (const spend of await tx.table('spends').latest(Infinity))
          tx.table('accounts').put({
            ...{ id: budgetKey(spend), end: spend.end, report: nothing },
            attribution: { count: 1, sum, squares: fraction(Rational.of(0.25)) },
          });
      }),
    shown: async (now: Moment, truth = true): Promise<readonly Account[]> =>
      accountsOf(await spendings(store), settings, now, truth),
    joint: async (now: Moment): Promise<readonly JointAccount[]> =>
      jointAccountsOf(await spendings(store), settings, now),
  };
}

const ofUnit = (accounts: readonly Account[], site: Origin = ADTECH): Account | undefined =>
  accounts.find(({ reportingSite }) => reportingSite === siteOf(site));

type Device = ReturnType<typeof device>;

test.each<[string, Partial<BudgetSettings>, (one: Device) => Promise<Moment>, Origin]>([
  ['nothing', {}, () => Promise.resolve(DAY), ADTECH],
  [
    'another period',
    {},
    async (one) => {
      await one.change({ period: 1 }, DAY);
      return DAY;
    },
    ADTECH,
  ],
  [
    'one owner of two ad techs',
    {},
    async (one) => {
      await one.show(DAY, { event_level_epsilon: 0.25 }, OTHER);
      await one.change({ owners }, DAY);
      return DAY;
    },
    OTHER,
  ],
  [
    'a divided owner',
    { owners },
    async (one) => {
      await one.change({ owners: [] }, DAY);
      return DAY;
    },
    ADTECH,
  ],
  [
    'another unit',
    { unit: 'impression' },
    async (one) => {
      await one.change({ unit: 'user-publisher' }, DAY);
      return DAY;
    },
    OTHER,
  ],
  [
    'a clock that was ahead by two months',
    {},
    async (one) => {
      await one.show(after(DAY, days(62)), {}, OTHER);
      await one.endAccounts(after(DAY, days(62)));
      // Erased names count for each unit, so it is one of a site that had nothing.
      return DAY;
    },
    OTHER,
  ],
])(
  'after %s, the page shows as much as the engine still allows',
  async (_what, budget, change, reportingOrigin) => {
    const one = device(budgetOf(budget));
    // Each may have at most a fortieth of ε = 10.
    for (let count = 0; count < 10; count++) await one.show(DAY, { event_level_epsilon: 0.25 });
    const now = await change(one);
    await one.show(now, { event_level_epsilon: 0.25 }, reportingOrigin);
    const account = ofUnit(await one.shown(now), reportingOrigin);
    expect(account?.left).toBeLessThanOrEqual(7.25);
    // What is shown as left is allowed, in as many sources as that takes.
    const left = account?.left ?? NaN;
    for (let spent = 0.25; spent <= left && spent < 7.25; spent += 0.25)
      expect(await one.show(now, { event_level_epsilon: 0.25 }, reportingOrigin)).toBe(true);
    const last = ofUnit(await one.shown(now), reportingOrigin);
    if ((last?.left ?? NaN) > 0)
      await one.show(now, { event_level_epsilon: last?.left ?? NaN }, reportingOrigin);
    expect(ofUnit(await one.shown(now), reportingOrigin)?.left).toBe(0);
    expect(await one.show(now, { event_level_epsilon: 0.25 }, reportingOrigin)).toBe(false);
  },
);

test('a unit that has shown as many ads as count has nothing left', async () => {
  const one = device(budgetOf({ cap: 2 }));
  await one.show(DAY, { event_level_epsilon: 1 });
  expect(ofUnit(await one.shown(DAY))?.left).toBe(9);
  expect(ofUnit(await one.shown(after(DAY, days(5))))?.left).toBe(9);
  expect(ofUnit(await one.shown(after(DAY, days(50))))).toBeUndefined();
  await one.show(DAY, { event_level_epsilon: 1 });
  expect(ofUnit(await one.shown(DAY))?.left).toBe(0);
  expect(await one.show(DAY, { event_level_epsilon: 1 })).toBe(false);
});

test('with δ, as much is shown as left as the tighter theorem allows in one source', async () => {
  const limit = 2.2;
  const delta = probability(0.01);
  // Attribution has a part of ε, and half of δ.
  const one = device(
    budgetOf({
      cap: 200,
      delta: probability(2 * delta),
      epsilon: epsilon(limit + 0.3),
      attributionEpsilon: epsilon(0.3),
    }),
  );
  for (let count = 0; count < 190; count++) await one.show(DAY, { event_level_epsilon: 0.01 });
  const [account] = await one.shown(DAY);
  expect(account).toMatchObject({ by: 'advanced', count: 190 });
  const left = account?.left ?? NaN;
  // Basic composition would leave 0.3.
  expect(left).toBeGreaterThan(0.6);
  const spent = Rational.of(0.01);
  const isWithinBudget = (more: number): boolean =>
    isWithin(
      [...Array.from({ length: 190 }, () => spent), Rational.of(more)],
      Rational.of(limit),
      Rational.of(delta),
    );
  expect([isWithinBudget(left - 1e-9), isWithinBudget(left + 1e-9)]).toEqual([true, false]);
});

test('shares of the joint budget are shown beside, whoever spent them', async () => {
  const joint = { ...jointly(epsilon(1)), epsilon: epsilon(1.5) };
  const one = device(budgetOf({ cap: 20, joint }));
  await one.show(DAY, { event_level_epsilon: 0.5 });
  await one.show(DAY, { event_level_epsilon: 0.5 }, OTHER);
  await one.change({ period: 1 }, DAY);
  const shares = await one.joint(DAY);
  expect(shares.map(({ unit, of, left }) => [unit, of, left])).toEqual([
    ['everyone', '', 0.5],
    ['destination', 'https://shop.example', 0],
    ['sourceSite', siteOf(NEWS), 0],
    ['reportingSite', siteOf(ADTECH), 0.5],
    ['reportingSite', siteOf(OTHER), 0.5],
  ]);
  expect(await one.show(DAY, { event_level_epsilon: 0.5 })).toBe(false);
});

test('the most that a unit lost counts what has moved to it', async () => {
  const one = device(budgetOf({ cap: 20 }));
  await one.show(DAY, { event_level_epsilon: 0.5 });
  await one.show(DAY, { event_level_epsilon: 0.25 }, OTHER);
  expect(mostLost(await one.shown(DAY))).toBe(0.5);
  await one.change({ owners }, DAY);
  expect(mostLost(await one.shown(DAY))).toBe(0.75);
  expect(mostLost([])).toBe(0);
});

test('that attributions asked an impression says that a conversion had it as a candidate, so it needs the truth', async () => {
  const one = device(budgetOf({ unit: 'impression', cap: null, attributionEpsilon: epsilon(4) }));
  await one.show(DAY, { event_level_epsilon: 1.5 });
  const before = await one.shown(DAY, false);
  await one.ask();
  expect(await one.shown(DAY)).toMatchObject([{ epsilon: 1.5, attribution: 0.5 }]);
  expect(await one.shown(DAY, false)).toEqual(before);
});

test('an impression has spent what its own noise cost, and what attributions asked of it', async () => {
  const one = device(budgetOf({ unit: 'impression', cap: null, attributionEpsilon: epsilon(4) }));
  await one.show(DAY, { event_level_epsilon: 1.5 });
  expect(await one.shown(DAY)).toMatchObject([
    { count: 1, epsilon: 1.5, attribution: 0, limit: 6, left: 4.5 },
  ]);
  await one.change({ epsilon: null }, DAY);
  expect(await one.shown(DAY)).toMatchObject([{ epsilon: 1.5, limit: null, left: null }]);
});
