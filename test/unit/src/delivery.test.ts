import { Erasing } from '../../../extension/background/record/erasing';
import { StoredEngine } from '../../../transactions/stored-engine';
import { chromiumLimits } from '../../../src/model/limits';
import type { DeliveryOutcome, FinishedReport, Report } from '../../../src/model/records';
import type { DeliveryProfile } from '../../../src/reports/next-step';
import { after, days, milliseconds, minutes, moment, type Moment } from '../../../src/model/units';
import { MemoryStore } from '../../../analysis/store/memory-store';
import {
  conditions,
  contents,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { chiSquare, chiSquareThreshold, ScriptedSource } from '../helpers/random';

const answered = (status: number): DeliveryOutcome => ({ kind: 'answered', status });
const unreachable: DeliveryOutcome = { kind: 'unreachable', error: 'offline' };
const profiles: DeliveryProfile[] = ['lossless', 'chrome'];

const report = (id: number, due: Moment, kind: Report['kind'] = 'event-level'): Report => ({
  id,
  kind,
  reportingOrigin: sourceRegistration().occasion.reportingOrigin,
  url: 'https://adtech.example/',
  body: id,
  reportTime: due,
  nextAttempt: due,
  attempts: [],
  event: null,
});

async function withReports(
  reports: readonly Report[],
): Promise<{ engine: StoredEngine; store: MemoryStore }> {
  const store = new MemoryStore();
  await store.write((tx) => {
    for (const row of reports) tx.table('reports').put(row);
  });
  return { engine: newEngine({ store }).engine, store };
}

const finished = async (store: MemoryStore): Promise<FinishedReport[]> =>
  store.read((tx) => tx.table('finished').latest(1000));

describe('recordAttempt', () => {
  test.each(profiles)(
    'in the profile %s forgets a report that was delivered, and keeps a note of it',
    async (profile) => {
      const { engine, store } = await withReports([report(1, START), report(2, START)]);
      await engine.recordAttempt(1, answered(204), profile, after(START, minutes(1)));
      expect((await pendingReports(store)).map(({ id }) => id)).toEqual([2]);
      const attempt = { time: after(START, minutes(1)), outcome: answered(204) };
      expect(await finished(store)).toEqual([
        {
          id: 1,
          end: 'delivered',
          time: after(START, minutes(1)),
          report: { ...report(1, START), attempts: [attempt] },
        },
      ]);
    },
  );

  test('follows a report through the profile of Chromium', async () => {
    const { engine, store } = await withReports([report(1, START)]);
    let now = START;
    for (const wait of [5, 15]) {
      await engine.recordAttempt(1, unreachable, 'chrome', now);
      now = after(now, minutes(wait));
      // The schedule stated in the report stays.
      expect(await pendingReports(store)).toMatchObject([{ reportTime: START, nextAttempt: now }]);
    }
    await engine.recordAttempt(1, unreachable, 'chrome', now);
    expect(await pendingReports(store)).toEqual([]);
    expect(await finished(store)).toMatchObject([
      { id: 1, end: 'given-up', report: { attempts: [{}, {}, {}] } },
    ]);
  });

  test('lets a report go 30 days after it was due, not before', async () => {
    const { engine, store } = await withReports([report(1, START)]);
    const last = after(START, days(30));
    await engine.recordAttempt(1, answered(500), 'lossless', START);
    await engine.recordAttempt(1, answered(500), 'lossless', last);
    expect(await pendingReports(store)).toMatchObject([{ nextAttempt: after(last, minutes(2)) }]);
    await engine.recordAttempt(1, answered(500), 'lossless', after(last, milliseconds(1)));
    expect(await pendingReports(store)).toEqual([]);
    expect(await finished(store)).toMatchObject([{ id: 1, end: 'aged-out' }]);
  });

  test('lets no report go that was not tried before', async () => {
    const { engine, store } = await withReports([report(1, START)]);
    const late = after(START, days(400));
    for (const tried of [late, after(late, days(30))])
      await engine.recordAttempt(1, unreachable, 'lossless', tried);
    expect(await pendingReports(store)).toHaveLength(1);
    await engine.recordAttempt(1, unreachable, 'lossless', after(late, days(31)));
    expect(await finished(store)).toMatchObject([{ id: 1, end: 'aged-out' }]);
  });

  test('delivers even then', async () => {
    const { engine, store } = await withReports([report(1, START)]);
    await engine.recordAttempt(1, answered(200), 'lossless', after(START, days(40)));
    expect(await finished(store)).toMatchObject([{ id: 1, end: 'delivered' }]);
  });

  test('does nothing for a report that is gone', async () => {
    const { engine, store } = await withReports([report(1, START)]);
    const before = await contents(store);
    await engine.recordAttempt(9, unreachable, 'lossless', START);
    expect(await contents(store)).toEqual(before);
  });
});

describe('reports that are due', () => {
  test('are those whose next try has come, and no others', async () => {
    const { engine } = await withReports([
      report(1, moment(10)),
      report(2, moment(20)),
      report(3, moment(30)),
    ]);
    expect((await engine.due(moment(20))).map(({ id }) => id).sort()).toEqual([1, 2]);
    expect(await engine.due(moment(9))).toEqual([]);
    expect(await engine.nextDue()).toBe(10);
  });

  test('leave in every order, each from one way to draw', async () => {
    const { store } = await withReports([1, 2, 3].map((id) => report(id, START)));
    const orders: string[] = [];
    for (const first of [0n, 1n, 2n]) {
      for (const second of [0n, 1n]) {
        const random = (): ScriptedSource => new ScriptedSource([first, second, 0n]);
        const engine = new StoredEngine({ store, limits: chromiumLimits, random });
        orders.push((await engine.due(START)).map(({ id }) => id).join(''));
      }
    }
    expect(orders.sort()).toEqual(['123', '132', '213', '231', '312', '321']);
  });

  test('are none in an empty store', async () => {
    const { engine } = await withReports([]);
    expect(await engine.nextDue()).toBeNull();
    expect(await engine.due(START)).toEqual([]);
  });

  test('are also those whose next try a clock that was ahead has put off, and no others', async () => {
    const later = after(START, days(400));
    const { engine, store } = await withReports([
      { ...report(1, START), nextAttempt: later },
      report(2, after(START, days(30))),
      report(3, later),
      { ...report(4, after(START, days(20))), nextAttempt: later },
    ]);
    await engine.resumePutOff(after(START, days(1)));
    expect((await pendingReports(store)).map(({ id, nextAttempt }) => [id, nextAttempt])).toEqual([
      [1, START],
      [4, after(START, days(20))],
      [2, after(START, days(30))],
      [3, later],
    ]);
  });

  test('while nothing could be sent, are spread evenly over a minute', async () => {
    const now = after(START, days(1));
    const overdue = Array.from({ length: 600 }, (_, index) => report(index + 1, moment(START + index)));
    const { engine, store } = await withReports([
      ...overdue,
      report(1000, now),
      report(1001, moment(now + 1)),
    ]);
    await engine.spreadOverdue(now);
    const reports = await pendingReports(store);
    const later = reports.find(({ id }) => id === 1001);
    expect(later?.nextAttempt).toBe(now + 1);
    const delays = reports.filter(({ id }) => id !== 1001).map(({ nextAttempt }) => nextAttempt - now);
    expect(delays).toHaveLength(601);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(60_000);
    const bins = Array<number>(15).fill(0);
    for (const delay of delays) {
      const bin = Math.min(Math.floor(delay / 4000), 14);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    // 14 degrees of freedom; an even spread fails once in a million, and with this seed never.
    expect(
      chiSquare(
        bins,
        bins.map(() => 601 / 15),
      ),
    ).toBeLessThan(chiSquareThreshold(14, 1e-6));
    expect(
      reports.filter(({ id }) => id <= 600).every(({ id, reportTime }) => reportTime === START + id - 1),
    ).toBe(true);
  });

  test('are all, once they are hurried', async () => {
    const { engine, store } = await withReports([report(1, moment(5)), report(2, moment(50))]);
    await engine.hurry(moment(10));
    expect(
      (await pendingReports(store)).map(({ id, nextAttempt, reportTime }) => [id, nextAttempt, reportTime]),
    ).toEqual([
      [1, 5, 5],
      [2, 10, 50],
    ]);
  });
});

describe('forgetting', () => {
  test('sources go once their expiry has passed, not when it is reached', async () => {
    const { engine, store } = newEngine();
    await engine.register(sourceRegistration({ expiry: 86400 }), conditions());
    await engine.deleteExpiredSources(after(START, days(1)));
    expect(await store.read((tx) => tx.table('sources').count())).toBe(1);
    await engine.deleteExpiredSources(moment(after(START, days(1)) + 1));
    expect(await store.read((tx) => tx.table('sources').count())).toBe(0);
  });

  test('clearing leaves no row in any table but what everyone was told in all', async () => {
    const { engine, store } = newEngine();
    await engine.register(sourceRegistration(), conditions());
    await engine.register(triggerRegistration(), conditions());
    await engine.register(sourceRegistration({ destination: 1 }), conditions());
    const [first] = await engine.due(after(START, days(2)));
    expect(first).toBeDefined();
    await engine.recordAttempt(first?.id ?? 0, answered(200), 'chrome', START);
    expect(Object.values(await contents(store)).flat().length).toBeGreaterThan(5);
    await new Erasing(store).erase(null);
    expect(Object.values(await contents(store)).flat()).toMatchObject([
      { id: expect.stringMatching(/^everyone /) as string, report: { count: 1 } },
    ]);
    // Ids are never used again, so an old row cannot be taken for a new one.
    const entry = await engine.register(sourceRegistration(), conditions());
    expect(entry.id).toBe(4);
  });
});
