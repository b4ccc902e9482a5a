import { MemoryStore } from '../../../analysis/store/memory-store';
import { carryAccounts, type Accounting } from '../../../extension/erasing/carry-accounts';
import { endAccounts } from '../../../extension/erasing/end-accounts';
import { jointLossSoFar } from '../../../extension/background/state/joint-loss-so-far';
import type { PrivacyUnit } from '../../../src/model/mechanisms';
import type { Spend } from '../../../src/model/spend';
import type { Source } from '../../../src/model/records';
import { after, days, moment, type Site } from '../../../src/model/units';
import type { Account } from '../../../src/model/uses';

const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'] as [Site, Site, Site];
const START = moment(0);
const NEVER = moment(8.64e15);

const spent = (id: string, of: bigint, end = after(START, days(37))): Account => {
  const nothing = {
    count: 0,
    sum: { numerator: 0n, denominator: 1n },
    squares: { numerator: 0n, denominator: 1n },
  };
  const report = {
    count: 1,
    sum: { numerator: of, denominator: 1n },
    squares: { numerator: of * of, denominator: 1n },
  };
  return { id, report, attribution: nothing, end };
};

const at = (
  period: number,
  owners: readonly (readonly Site[])[] = [],
  unit: PrivacyUnit = 'user-publisher',
): Accounting => ({ unit, period, owners, isJoint: true });

async function storeOf(accounts: readonly Account[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.write((tx) => {
    for (const account of accounts) tx.table('accounts').put(account);
  });
  return store;
}

/** What was spent on reports, by account. */
const sums = async (store: MemoryStore): Promise<Readonly<Record<string, number>>> => {
  const accounts = await store.read((tx) => tx.table('accounts').latest(Infinity));
  return Object.fromEntries(
    accounts.map(({ id, report }) => [id, Number(report.sum.numerator) / Number(report.sum.denominator)]),
  );
};

test.each<[string, readonly (readonly Site[])[], readonly (readonly Site[])[], Record<string, number>]>([
  ['nothing changes', [[a, b]], [[a, b]], { [`user  ${a} 0`]: 1, [`user  ${c} 0`]: 4 }],
  ['an owner is named by another site', [[a, b]], [[b, a]], { [`user  ${b} 0`]: 1, [`user  ${c} 0`]: 4 }],
  ['an owner gets a site', [[a, b]], [[c, a, b]], { [`user  ${c} 0`]: 5 }],
  ['an owner is divided', [[a, b]], [], { [`user  ${a} 0`]: 1, [`user  ${b} 0`]: 1, [`user  ${c} 0`]: 4 }],
])('%s', async (_what, before, present, expected) => {
  const store = await storeOf([spent(`user  ${a} 0`, 1n), spent(`user  ${c} 0`, 4n)]);
  await store.write((tx) => carryAccounts(tx, at(7, before), at(7, present), after(START, days(2))));
  expect(await sums(store)).toEqual(expected);
});

test('quotas of reporting sites go to their owners, those of other sites stay', async () => {
  const store = await storeOf([
    spent(`reportingSite ${a}  0`, 1n),
    spent(`reportingSite ${b}  0`, 2n),
    spent(`sourceSite ${a}  0`, 3n),
    spent('reportingSite   0', 4n),
  ]);
  await store.write((tx) => carryAccounts(tx, at(7), at(7, [[b, a]]), after(START, days(2))));
  expect(await sums(store)).toEqual({
    [`reportingSite ${b}  0`]: 3,
    [`sourceSite ${a}  0`]: 3,
    'reportingSite   0': 4,
  });
});

test('another period begins with what was spent in those that it overlaps, and nobody was told more', async () => {
  const day = days(1);
  const accounts = [0, 1, 8].map((at) => spent(`user-publisher ${b} ${a} ${at * day}`, 1n));
  const store = await storeOf([
    ...accounts,
    spent('everyone   0', 2n, NEVER),
    spent(`everyone   ${day}`, 3n, NEVER),
  ]);
  await store.write((tx) => carryAccounts(tx, at(1), at(7), after(START, days(1))));
  expect(await sums(store)).toEqual({
    [`user-publisher ${b} ${a} 0`]: 2,
    [`user-publisher ${b} ${a} ${7 * day}`]: 1,
    'everyone   0': 5,
  });
  expect(await store.read(jointLossSoFar)).toBe(5);
  await store.write((tx) => carryAccounts(tx, at(7), at(1), after(START, days(3))));
  const counted = await sums(store);
  expect(counted).toMatchObject({
    [`user-publisher ${b} ${a} ${3 * day}`]: 2,
    [`everyone   ${3 * day}`]: 5,
  });
  for (const other of [0, 1, 2])
    expect(counted).toMatchObject({
      [`user-publisher   ${other * day}`]: 2,
      [`everyone again  ${other * day}`]: 5,
    });
  // On later days units begin with full budgets. When everyone was told something, nobody knows: perhaps by a clock that was ahead.
  expect(Object.keys(counted).filter((id) => Number(id.split(' ').at(-1)) > 3 * day)).toEqual([
    `user-publisher ${b} ${a} ${7 * day}`,
    ...[6, 5, 4].map((later) => `everyone again  ${later * day}`),
  ]);
  expect(await store.read(jointLossSoFar)).toBe(5);
});

test('conversions of impressions from before a change find what others like them spent', async () => {
  const day = days(1);
  const asked = (id: string): Account => {
    const { report, attribution, end } = spent(id, 3n);
    return { id, report: attribution, attribution: report, end };
  };
  const attributions = async (store: MemoryStore): Promise<Readonly<Record<string, number>>> => {
    const accounts = await store.read((tx) => tx.table('accounts').latest(Infinity));
    return Object.fromEntries(
      accounts.flatMap(({ id, attribution: { count, sum } }) =>
        count === 0 ? [] : [[id, Number(sum.numerator)]],
      ),
    );
  };
  const parts = async (period: number, owners: readonly (readonly Site[])[], day: number) => {
    const store = await storeOf([
      asked(`user-publisher ${c} ${a} 0`),
      spent(`user-publisher ${c} ${a} 0`.replace(c, b), 1n),
    ]);
    await store.write((tx) => carryAccounts(tx, at(7), at(period, owners), after(START, days(day))));
    return { attributions: await attributions(store), sums: await sums(store) };
  };
  // An impression of day 1 was recorded in a period of its own now.
  const shorter = await parts(3, [], 4);
  expect(shorter.attributions).toEqual({
    [`user-publisher ${c} ${a} 0`]: 3,
    [`user-publisher ${c} ${a} ${3 * day}`]: 3,
  });
  expect(shorter.sums).toMatchObject({ [`user-publisher ${b} ${a} ${3 * day}`]: 1 });
  expect(shorter.sums).not.toHaveProperty([`user-publisher ${b} ${a} 0`]);
  // It is of an earlier period, and has not expired.
  const owned = await parts(7, [[b, a]], 20);
  expect(owned.attributions).toEqual({ [`user-publisher ${c} ${b} 0`]: 3 });
  expect(owned.sums).toMatchObject({ [`user-publisher ${b} ${b} 0`]: 1 });
});

test('an ended period is kept without names, and is not what everyone was told', async () => {
  const store = await storeOf([
    spent(`user-publisher ${b} ${a} 0`, 1n),
    spent(`user-publisher ${c} ${a} 0`, 2n),
    spent('impression 5  0', 1n),
    spent('everyone   0', 2n, NEVER),
  ]);
  await endAccounts(store, after(START, days(36)));
  expect(Object.keys(await sums(store))).toHaveLength(4);
  await endAccounts(store, after(START, days(400)));
  expect(await sums(store)).toEqual({ 'user-publisher   0': 3, 'everyone   0': 2 });
  await endAccounts(store, after(START, days(800)));
  expect(await sums(store)).toEqual({ 'user-publisher   0': 3, 'everyone   0': 2 });
  expect(await store.read(jointLossSoFar)).toBe(2);
});

test('ends whatever was moved to accounts without names, in any order', async () => {
  const nameless = spent('user-publisher   0', 4n, after(START, days(40)));
  const store = await storeOf([nameless, spent(`user-publisher ${b} ${a} 0`, 1n)]);
  await endAccounts(store, after(START, days(400)));
  expect(await sums(store)).toEqual({ 'user-publisher   0': 5 });
});

test('a period changed while the clock was ahead by months, or behind, finds what was spent', async () => {
  for (const now of [after(START, days(400)), after(START, days(1))]) {
    const store = await storeOf([spent(`user  ${a} 0`, 1n), spent('everyone   0', 2n, NEVER)]);
    await store.write((tx) => tx.table('spends').put({ id: 1, time: after(START, days(6)) } as Spend));
    await endAccounts(store, now);
    await store.write((tx) => carryAccounts(tx, at(7, [], 'user'), at(1, [], 'user'), now));
    const found = await sums(store);
    const spentOn = (holder: string, day: number): number =>
      Object.entries(found)
        .filter(([id]) => id.startsWith(holder) && id.endsWith(` ${days(day)}`))
        .reduce((sum, [, value]) => sum + value, 0);
    for (const day of [0, 1, 2, 3, 4, 5, 6])
      expect([spentOn('user ', day), spentOn('everyone ', day)]).toEqual([1, 2]);
    expect(await store.read(jointLossSoFar)).toBe(2);
  }
});

test.each<[PrivacyUnit, PrivacyUnit]>([
  ['impression', 'user'],
  ['user', 'user-publisher'],
  ['user-publisher', 'user-advertiser'],
])('after %s, each %s has spent what everyone was told', async (before, present) => {
  const store = await storeOf([
    ...(before === 'impression' ? [] : [spent(`${before}  ${a} 0`, 2n), spent(`${before}  ${b} 0`, 1n)]),
    spent('everyone   0', 3n, NEVER),
  ]);
  const change = (from: PrivacyUnit, to: PrivacyUnit): Promise<void> =>
    store.write((tx) => carryAccounts(tx, at(7, [], from), at(7, [], to), after(START, days(2))));
  await change(before, present);
  expect(await sums(store)).toEqual({ [`${present}   0`]: 3, 'everyone   0': 3 });
  // And back: nothing is counted twice.
  await change(present, before);
  expect(await sums(store)).toEqual({
    ...(before === 'impression' ? {} : { [`${before}   0`]: 3 }),
    'everyone   0': 3,
  });
});

test('what attribution asked counts for each unit of another kind, and for impressions that are kept', async () => {
  const { report, ...rest } = spent(`user-publisher ${c} ${a} 0`, 3n);
  const store = await storeOf([{ ...rest, attribution: report, report: rest.attribution }]);
  const registration = { destinations: [] as readonly Site[] };
  const kept = { id: 7, time: after(START, days(1)), registration } as unknown as Source;
  await store.write((tx) => tx.table('sources').put(kept));
  const change = (from: PrivacyUnit, to: PrivacyUnit): Promise<void> =>
    store.write((tx) => carryAccounts(tx, at(7, [], from), at(7, [], to), after(START, days(2))));
  const asked = async (): Promise<readonly unknown[]> =>
    (await store.read((tx) => tx.table('accounts').latest(Infinity))).map(({ id, attribution }) => [
      id,
      Number(attribution.sum.numerator),
    ]);
  await change('user-publisher', 'user-advertiser');
  expect(await asked()).toEqual([['user-advertiser   0', 3]]);
  await change('user-advertiser', 'impression');
  expect(await asked()).toEqual([['impression 7  0', 3]]);
});

test('an impression is asked in its own period, however often periods change, and forgotten when it is gone', async () => {
  const { report, ...rest } = spent(`impression 7 ${a} 0`, 3n);
  const asked = { ...rest, attribution: report, report: rest.attribution };
  const store = await storeOf([asked, { ...asked, id: `impression 8 ${a} 0` }]);
  const registration = { destinations: [] as readonly Site[] };
  const kept = { id: 7, time: after(START, days(1)), registration } as unknown as Source;
  await store.write((tx) => tx.table('sources').put(kept));
  const change = async (from: number, to: number): Promise<readonly unknown[]> => {
    const [before, present] = [from, to].map((period) => at(period, [], 'impression')) as [
      Accounting,
      Accounting,
    ];
    await store.write((tx) => carryAccounts(tx, before, present, after(START, days(40))));
    const accounts = await store.read((tx) => tx.table('accounts').latest(Infinity));
    return accounts.map(({ id, attribution, end }) => [id, Number(attribution.sum.numerator), end]);
  };
  expect(await change(365, 1)).toEqual([[`impression 7 ${a} ${days(1)}`, 3, after(START, days(32))]]);
  expect(await change(1, 365)).toEqual([[`impression 7 ${a} 0`, 3, after(START, days(395))]]);
});

test('however often a period changes and changes back, nobody has spent more than everyone was told', async () => {
  const kinds = [`user-publisher ${b} ${a}`, `reportingSite ${a} `, `destination ${c} `];
  const store = await storeOf([
    ...kinds.map((kind) => spent(`${kind} 0`, 2n)),
    spent('everyone   0', 3n, NEVER),
    spent(`everyone   ${days(365)}`, 4n, NEVER),
  ]);
  for (const [from, to] of [0, 1, 2].flatMap(() => [[365, 1] as const, [1, 365] as const]))
    await store.write((tx) => carryAccounts(tx, at(from), at(to), after(START, days(380))));
  expect(await sums(store)).toEqual({
    ...Object.fromEntries(kinds.map((kind) => [`${kind} 0`, 2])),
    'user-publisher   0': 7,
    'reportingSite   0': 7,
    'destination   0': 7,
    'everyone   0': 3,
    'everyone again  0': 4,
    [`everyone   ${days(365)}`]: 4,
    [`everyone again  ${days(365)}`]: 3,
  });
  expect(await store.read(jointLossSoFar)).toBe(7);
});

test('new quotas begin with what everyone was told, also if there were some before', async () => {
  const store = await storeOf([spent(`sourceSite ${a}  0`, 1n), spent('everyone   0', 3n, NEVER)]);
  const change = (before: boolean, present: boolean): Promise<void> =>
    store.write((tx) =>
      carryAccounts(tx, { ...at(7), isJoint: before }, { ...at(7), isJoint: present }, after(START, days(2))),
    );
  await change(true, false);
  expect(await sums(store)).toMatchObject({ [`sourceSite ${a}  0`]: 1 });
  await change(false, true);
  expect(await sums(store)).toEqual({
    'everyone   0': 3,
    'reportingSite   0': 3,
    'sourceSite   0': 3,
    'destination   0': 3,
  });
});
