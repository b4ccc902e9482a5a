import fc from 'fast-check';
import { Erasing } from '../../../extension/background/record/erasing';
import { sitesMeant } from '../../../extension/pages/data/site-input';
import { coversRow, type ErasingScope } from '../../../extension/erasing/erase-part';
import type { LabelNoise } from '../../../src/model/mechanisms';
import type { Report } from '../../../src/model/records';
import { after, days, seconds, type Origin } from '../../../src/model/units';
import { recordScenario } from '../../../analysis/scenario/record';
import { chromiumLimits } from '../../../src/model/limits';
import { defaultSettings } from '../../../formats/settings/settings';
import type { Store } from '../../../transactions/store';
import {
  contents,
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const noise: LabelNoise = { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] };
const source = sourceRegistration(
  {
    trigger_specs: [{ trigger_data: [0], event_report_windows: { end_times: [3600] }, summary_buckets: [1] }],
    max_event_level_reports: 1,
    event_level_epsilon: 1,
  },
  'event',
);

test.each<[string, ErasingScope, number]>([
  ['its site', { kind: 'sites', sites: ['https://news.example'] }, 0],
  ['its time', { kind: 'time', from: START, to: START }, 0],
  ['another site', { kind: 'sites', sites: ['https://blog.example'] }, 1],
])(
  'after erasing %s, a source whose output is still to be drawn makes so many reports',
  async (_what, scope, reports) => {
    const { engine, store } = newEngine();
    await engine.register(source, conditions({ kind: 'on' }, { labelNoise: noise }));
    const erasing = new Erasing(store);
    await erasing.erase(scope);
    expect(await engine.due(after(START, days(1)))).toHaveLength(reports);
  },
);

test('what was erased comes back whole, with its output to be drawn, while the spend stayed', async () => {
  const { engine, store } = newEngine();
  await engine.register(source, conditions({ kind: 'on' }, { labelNoise: noise }));
  const erasing = new Erasing(store);
  await erasing.erase({ kind: 'sites', sites: ['https://news.example'] });
  const spends = (): Promise<unknown> => store.read((tx) => tx.table('spends').latest(9));
  // Without the site on which it was spent.
  expect(await spends()).toMatchObject([{ contextSite: '' }]);
  await erasing.undo();
  expect(await spends()).toMatchObject([{ contextSite: 'https://news.example' }]);
  expect(await engine.due(after(START, days(1)))).toHaveLength(1);
});

test('what is erased for good cannot be undone, also while that goes on', async () => {
  const { engine, store } = newEngine();
  await engine.register(source, conditions());
  let undone: Promise<unknown> = Promise.resolve();
  const merge = (): Promise<void> => {
    undone = erasing.undo().catch((error: unknown) => error);
    return Promise.resolve();
  };
  const erasing = new Erasing(store, { files: { merge, replace: () => Promise.resolve() } });
  await erasing.erase({ kind: 'sites', sites: ['https://news.example'] });
  await erasing.eraseForGood();
  expect(await undone).toBeInstanceOf(Error);
  expect(await store.read((tx) => tx.table('sources').count())).toBe(0);
});

describe('a row that waits goes with', () => {
  it.each<[string, string, boolean]>([
    ['https://t.co', 'https://ads.pinterest.com/x', false],
    ['https://t.co', 'https://t.co', true],
    ['https://shop.example', '{"destination":"https://SHOP.example"}', true],
    ['https://shop.example', 'https://www.shop.example:8080/', true],
    ['https://shop.example', 'https://my-shop.example/', false],
    ['https://shop.example', 'https://shop.example.evil.example/', false],
    ['https://shop.example', 'https://shop.example-evil.example/', false],
    ['https://shop.example', 'https://ads.example/?to=https%3A%2F%2Fshop.example%2F', true],
    ['http://127.0.0.1', 'http://127.0.0.1:8080/', true],
    ['http://[::1]', 'http://[::1]:8080/', true],
  ])('%s where it says %s: %s', (site, text, isErased) => {
    expect(coversRow({ kind: 'sites', sites: [site] }, { response: { headers: [text] } }, 0)).toBe(isErased);
  });
});

const newsErased: ErasingScope = { kind: 'sites', sites: ['https://news.example'] };

describe('when the source is gone', () => {
  it.each([
    ['a true one', conditions()],
    ['a fake one', conditions({ kind: 'forced', state: [[0], ...new Array<number[]>(7).fill([])] })],
  ])('its report goes with the site, %s', async (_what, drawn) => {
    const { engine, store } = newEngine();
    const keys = { debug_key: '1', max_event_level_reports: 1 };
    await engine.register(sourceRegistration(keys), drawn);
    const converted = { event_trigger_data: [{}], debug_key: '2' };
    await engine.register(triggerRegistration(converted), conditions());
    await engine.deleteExpiredSources(after(START, days(31)));
    expect((await pendingReports(store)).length).toBeGreaterThan(0);
    await new Erasing(store).erase(newsErased);
    expect(await pendingReports(store)).toEqual([]);
  });
});

describe('a verbose debug report', () => {
  const verbose = { debug_reporting: true };
  const other = 'https://other.example' as Origin;

  it.each<[string, string, number]>([
    ['the source site', 'https://news.example', 0],
    ['a destination that only the source names', 'https://second.example', 1],
    ['another site', 'https://blog.example', 2],
  ])('goes with what it names: after erasing %s', async (_what, site, left) => {
    const { engine, store } = newEngine();
    const destination = ['https://shop.example', 'https://second.example'];
    await engine.register(
      sourceRegistration({ ...verbose, destination, filter_data: { a: ['1'] } }),
      conditions(),
    );
    // The body of a report on a conversion names the page, and the source where there is one.
    await engine.register(
      triggerRegistration({ ...verbose, event_trigger_data: [{}], filters: { a: ['2'] } }),
      conditions(),
    );
    expect((await pendingReports(store)).map(({ kind }) => kind)).toEqual(['verbose-debug', 'verbose-debug']);
    await new Erasing(store).erase({ kind: 'sites', sites: [site] });
    const pending = await pendingReports(store);
    expect(JSON.stringify(pending)).not.toContain(site);
    expect(pending).toHaveLength(left);
  });

  it('of a conversion that came too late goes with the source site, which it does not name', async () => {
    const { engine, store } = newEngine();
    await engine.register(sourceRegistration({ max_event_level_reports: 0 }), conditions());
    await engine.register(triggerRegistration({ ...verbose, event_trigger_data: [{}] }), conditions());
    expect(JSON.stringify(await pendingReports(store))).toContain('trigger-event-excessive-reports');
    await new Erasing(store).erase(newsErased);
    expect(await pendingReports(store)).toEqual([]);
  });

  it.each(['https://other.example', 'https://shop.example'])(
    'of a malformed header goes with %s',
    async (site) => {
      const { engine, store } = newEngine();
      const registration = sourceRegistration({ priority: 5 }, 'event', { contextOrigin: other });
      await engine.register({ ...registration, reportHeaderErrors: true }, conditions());
      expect(await pendingReports(store)).toHaveLength(1);
      await new Erasing(store).erase({ kind: 'sites', sites: [site] });
      expect(await pendingReports(store)).toEqual([]);
    },
  );
});

test.each<[string, readonly string[]]>([
  ['shop.localhost', ['https://shop.localhost', 'http://shop.localhost']],
  ['http://shop.localhost:8080/x', ['http://shop.localhost']],
  ['shop.example', ['https://shop.example', 'http://shop.example']],
  ['http://shop.example', ['http://shop.example']],
  ['ftp://shop.example', []],
  ['', []],
])('who writes %j to erase a site means %j', (text, sites) => {
  expect(sitesMeant(text)).toEqual(sites);
});

test('erasing says how much it erased, of all sites that were meant', async () => {
  const { engine, store } = newEngine();
  const contextOrigin = 'http://shop.localhost' as Origin;
  await engine.register(sourceRegistration({}, 'event', { contextOrigin }), conditions());
  const erasing = new Erasing(store);
  expect(await erasing.erase({ kind: 'sites', sites: sitesMeant('news.example') })).toMatchObject({
    count: 0,
  });
  // The source, what its site, party and pair used of limits, the log's entry, and the site of the spend.
  expect(await erasing.erase({ kind: 'sites', sites: sitesMeant('shop.localhost') })).toMatchObject({
    count: 6,
  });
});

test('a log entry goes with a destination in its header, and so is in no scenario', async () => {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration({ destination: ['https://a.shop.example/x'] }), conditions());
  await engine.register(sourceRegistration({ priority: 5 }), conditions());
  await engine.register(sourceRegistration({ destination: 'https://other.example' }), conditions());
  await new Erasing(store).erase({ kind: 'sites', sites: ['https://shop.example'] });
  const recorded = await store.read(async (tx) => ({
    log: await tx.table('log').latest(Infinity),
    reports: await tx.table('reports').latest(Infinity),
    finished: await tx.table('finished').latest(Infinity),
  }));
  const scenario = recordScenario(recorded, {
    settings: defaultSettings,
    limits: chromiumLimits,
    debug: true,
  });
  expect(recorded.log).toHaveLength(1);
  expect(JSON.stringify(scenario)).not.toContain('shop.example');
});

describe('after erasing a time, a source that adds up values', () => {
  const adding = (buckets: readonly number[]): ReturnType<typeof sourceRegistration> =>
    sourceRegistration({
      trigger_specs: [
        { trigger_data: [0], summary_operator: 'value_sum', summary_buckets: buckets },
        { trigger_data: [1], summary_operator: 'value_sum', summary_buckets: [3, 4] },
      ],
      max_event_level_reports: 20,
      debug_key: '1',
    });

  interface Conversion {
    readonly data: number;
    readonly value: number;
    readonly priority: number;
  }

  const converted = (
    { data, value, priority }: Conversion,
    index: number,
  ): ReturnType<typeof triggerRegistration> =>
    triggerRegistration(
      {
        event_trigger_data: [{ trigger_data: String(data), value, priority: String(priority) }],
        debug_key: String(100 + index),
      },
      { time: after(START, seconds(index + 1)) },
    );

  const at = (index: number): ErasingScope => ({
    kind: 'time',
    from: after(START, seconds(index + 1)),
    to: after(START, seconds(index + 1)),
  });

  /** The collector's input, without random ids and without copies that were sent at once. */
  const toldBy = async (store: Store): Promise<readonly unknown[]> =>
    (await pendingReports(store))
      .filter(({ kind }) => kind === 'event-level')
      .map(({ body, event }: Report) => ({
        body: { ...(body as object), report_id: '' },
        time: event?.triggerTime,
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

  const nine = { data: 0, value: 9, priority: 0 };
  const one = { data: 0, value: 1, priority: 0 };

  it('makes no report of what was erased', async () => {
    const { engine, store } = newEngine();
    await engine.register(adding([10]), conditions());
    await engine.register(converted(nine, 0), conditions());
    await new Erasing(store).erase(at(0));
    await engine.register(converted(one, 1), conditions());
    expect(await toldBy(store)).toEqual([]);
  });

  it('has all of it again when it is brought back', async () => {
    const { engine, store } = newEngine();
    await engine.register(adding([5, 10]), conditions());
    for (const [index, conversion] of [nine, nine].entries())
      await engine.register(converted(conversion, index), conditions());
    const before = await contents(store);
    const erasing = new Erasing(store);
    await erasing.erase(at(0));
    expect(await toldBy(store)).toHaveLength(1);
    await erasing.undo();
    expect(await contents(store)).toEqual(before);
  });

  it('does not take back what has left, nor make it again', async () => {
    const { engine, store } = newEngine();
    await engine.register(adding([5, 10]), conditions());
    await engine.register(converted(nine, 0), conditions());
    const [sent] = await pendingReports(store).then((all) =>
      all.filter(({ kind }) => kind === 'event-level'),
    );
    if (sent === undefined) throw new Error('there is no report');
    await engine.recordAttempt(sent.id, { kind: 'answered', status: 200 }, 'lossless', START);
    await new Erasing(store).erase(at(0));
    // The first bucket was reported. Five more reach the second; four of the nine are forgotten.
    await engine.register(converted({ ...one, value: 4 }, 1), conditions());
    expect(await toldBy(store)).toEqual([]);
    await engine.register(converted(one, 2), conditions());
    expect(await toldBy(store)).toMatchObject([{ body: { trigger_summary_bucket: [10, 2 ** 32 - 1] } }]);
  });

  it('is as if that had never been, also before the next conversion', async () => {
    const conversions = fc.array(
      fc.record({
        data: fc.integer({ min: 0, max: 1 }),
        value: fc.integer({ min: 1, max: 12 }),
        priority: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(conversions, fc.nat(), async (all, pick) => {
        const index = pick % all.length;
        const [whole, without] = [newEngine(), newEngine()];
        for (const { engine } of [whole, without])
          await engine.register(adding([2, 5, 10, 20]), conditions());
        for (const [place, conversion] of all.entries()) {
          await whole.engine.register(converted(conversion, place), conditions());
          if (place !== index) await without.engine.register(converted(conversion, place), conditions());
        }
        await new Erasing(whole.store).erase(at(index));
        expect(await toldBy(whole.store)).toEqual(await toldBy(without.store));
        for (const { engine } of [whole, without])
          await engine.register(converted({ data: 0, value: 7, priority: 1 }, all.length), conditions());
        expect(await toldBy(whole.store)).toEqual(await toldBy(without.store));
      }),
      { numRuns: 60 },
    );
  });
});
