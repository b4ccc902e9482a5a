import { after, days, hours, type Moment, type Origin } from '../../../src/model/units';
import type { StoredEngine } from '../../../transactions/stored-engine';
import type { Store } from '../../../transactions/store';
import { conditions, newEngine, sourceRegistration, START } from '../helpers/engine';

const registerOn = (engine: StoredEngine, site: number, time: Moment): Promise<unknown> =>
  engine.register(
    sourceRegistration({ expiry: '86400' }, 'navigation', {
      time,
      contextOrigin: `https://news${site}.example` as Origin,
    }),
    conditions(),
  );

const sourcesIn = (store: Store): Promise<number> =>
  store.read(async (tx) => (await tx.table('sources').latest(Infinity)).length);

test('expired sources are deleted, also after the clock was a year ahead', async () => {
  const { engine, store } = newEngine();
  await registerOn(engine, 0, after(START, days(365)));
  for (let day = 0; day < 20; day++) {
    await registerOn(engine, day + 1, after(START, days(2 * day)));
    // The latest, and that of the wrong year.
    expect(await sourcesIn(store)).toBe(2);
  }
});

test('two engines that share their caches delete what expired in the store of each', async () => {
  const [one, other] = [newEngine(), newEngine()];
  for (const { engine } of [one, other]) await registerOn(engine, 0, START);
  const later = after(START, hours(25));
  for (const { engine } of [one, other]) await registerOn(engine, 1, later);
  expect(await Promise.all([one, other].map(({ store }) => sourcesIn(store)))).toEqual([1, 1]);
});
