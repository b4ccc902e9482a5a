import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor, type Row } from '../../scenarios/kit';
import { FrailCollector, type Mood } from './helpers/collector';
import { EndlessServer } from './helpers/endless-server';
import { source, trigger } from './helpers/registrations';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

const PATH = '/.well-known/attribution-reporting/report-event-attribution';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** One for both browsers: its database takes a second of processor time to start. */
let collector: FrailCollector;

beforeAll(async () => {
  collector = await FrailCollector.start();
});

afterAll(() => collector.close());

describe.each(browsers)('delivery (%s)', (name) => {
  const world = useWorld(name);
  // When to send, where to, and how often to try is for our own code to decide.
  const isOurs = browsersOfRun.includes(name);

  beforeEach(() => {
    collector.mood = { kind: 'well' };
    collector.posts.length = 0;
  });

  /** An ad is seen and something bought: one report waits for two days. Without pages, which main-path.test.ts has. */
  const convert = async (): Promise<Row> => {
    const { sites, extension } = world;
    const reportingOrigin = sites.origin('adtech');
    const ad = source(11, sites.origin('shop'), { event_report_window: '172800' });
    for (const [as, site, headers] of [
      ['event', 'publisher', ad],
      ['trigger', 'shop', trigger(1)],
    ] as const) {
      const [header = ''] = Object.values(headers);
      await extension.register(as, header, { contextOrigin: sites.origin(site), reportingOrigin });
    }
    const [report] = await extension.waitForReports(1);
    if (report === undefined) throw new Error('no report waits');
    return report;
  };

  const attemptsOf = async (): Promise<unknown> => (await world.extension.reports())[0]?.['attempts'];

  const stored = async (report: Row): Promise<readonly unknown[]> => {
    const { report_id: id } = report['body'] as { readonly report_id: string };
    return (await collector.reports()).filter((line) => line.report_id === id);
  };

  if (isOurs)
    it('waits for the end of the window, to the minute', async () => {
      await world.extension.settings({ collector: collector.origin });
      const report = await convert();
      const [kept] = await world.extension.sources();
      expect(Number(report['reportTime']) - Number(kept?.['time'])).toBe(2 * DAY);
      await world.extension.advance(2 * DAY - MINUTE);
      expect(collector.posts).toEqual([]);
      await world.extension.advance(MINUTE);
      expect(await stored(report)).toHaveLength(1);
      expect(await world.extension.reports()).toEqual([]);
      expect(await world.extension.finished()).toMatchObject([{ end: 'delivered' }]);
    });

  it('goes to the collector without cookies or referrer, saying for whom it is', async () => {
    await world.extension.settings({ collector: collector.origin });
    const visited = await world.visit(collector.origin);
    expect(await visited.evaluate(() => document.cookie)).toContain('lax=1');
    const report = await convert();
    await world.extension.advance('next-report');
    const [post, ...others] = collector.posts;
    expect(others).toEqual([]);
    expect(post).toMatchObject({
      path: PATH,
      headers: {
        'content-type': 'application/json',
        'cointoss-report-url': world.sites.origin('adtech') + PATH,
      },
    });
    expect(post?.headers).not.toHaveProperty('cookie');
    expect(post?.headers).not.toHaveProperty('referer');
    // Firefox gives each installation an address of its own, which would link its reports.
    expect(String(post?.headers['origin'])).not.toContain('moz-extension:');
    expect(JSON.parse(post?.body ?? '')).toEqual(report['body']);
  });

  if (isOurs)
    it('goes to the reporting origin where no collector is set', async () => {
      world.sites.serve('adtech', PATH, {});
      const report = await convert();
      expect(report).toMatchObject({ url: world.sites.origin('adtech') + PATH });
      await world.extension.advance('next-report');
      const [request, ...others] = world.sites.received('adtech', PATH);
      expect(others).toEqual([]);
      expect(request?.method).toBe('POST');
      expect(request?.headers).not.toHaveProperty('cointoss-report-url');
      expect(request?.headers).not.toHaveProperty('cookie');
      expect(request?.headers).not.toHaveProperty('referer');
      expect(await world.extension.reports()).toEqual([]);
    });

  /** The outcome of the first try. */
  const troubles: (readonly [title: string, mood: () => Mood, outcome: object])[] = [
    ['answers 500', () => ({ kind: 'answers', status: 500 }), { kind: 'answered', status: 500 }],
    ['closes the connection', () => ({ kind: 'closes' }), { kind: 'unreachable' }],
    [
      'redirects to another origin',
      () => ({ kind: 'answers', status: 307, location: world.sites.origin('elsewhere') + PATH }),
      { kind: 'unreachable', error: 'answered with a redirect, which is not followed' },
    ],
  ];

  // test/unit/src/delivery-steps.test.ts tries more of them.
  if (isLong)
    troubles.push([
      'answers 404',
      () => ({ kind: 'answers', status: 404 }),
      { kind: 'answered', status: 404 },
    ]);

  // What to do after an answer is for our own code to decide; which answers it hears of, for the browser.
  it.each(isOurs ? troubles : troubles.slice(1))(
    'keeps the report when the collector %s, and tries again',
    async (_title, mood, outcome) => {
      await world.extension.settings({ collector: collector.origin });
      const report = await convert();
      collector.mood = mood();
      await world.extension.advance('next-report');
      expect(await attemptsOf()).toMatchObject([{ outcome }]);
      const firstTry = collector.posts.length;
      // The lossless profile waits a minute, then two.
      const [waiting] = await world.extension.reports();
      const attempts = waiting?.['attempts'] as readonly { readonly time: number }[] | undefined;
      expect(Number(waiting?.['nextAttempt']) - Number(attempts?.[0]?.time)).toBe(MINUTE);
      await world.extension.advance(MINUTE);
      expect(await attemptsOf()).toMatchObject([{ outcome }, { outcome }]);
      expect(collector.posts.length).toBeGreaterThan(firstTry);
      expect(await stored(report)).toEqual([]);
      collector.mood = { kind: 'well' };
      await world.extension.advance(2 * MINUTE);
      expect(await stored(report)).toHaveLength(1);
      expect(await world.extension.reports()).toEqual([]);
      expect(world.sites.received('elsewhere')).toEqual([]);
    },
  );

  it('keeps the report while nobody listens', async () => {
    await world.extension.settings({ collector: collector.origin });
    const report = await convert();
    await collector.down();
    await world.extension.advance('next-report');
    expect(await attemptsOf()).toMatchObject([{ outcome: { kind: 'unreachable' } }]);
    await collector.up();
    await world.extension.advance(MINUTE);
    expect(await stored(report)).toHaveLength(1);
  });

  if (isOurs)
    it('sends once to a collector that takes its time', async () => {
      await world.extension.settings({ collector: collector.origin });
      const report = await convert();
      collector.mood = { kind: 'slow', until: sleep(1500) };
      const sending = world.extension.advance('next-report');
      await waitFor('the report to be under way', () => collector.posts.length === 1);
      // Events in the meantime must not send it again.
      await Promise.all([world.extension.sendDue(), world.extension.sendDue(), sending]);
      expect(await stored(report)).toHaveLength(1);
      expect(collector.posts).toHaveLength(1);
      expect(await world.extension.reports()).toEqual([]);
    });

  if (isOurs)
    it('gives up in the profile of Chrome when the third try reaches nobody', async () => {
      await world.extension.settings({ collector: collector.origin, deliveryProfile: 'chrome' });
      await convert();
      await collector.down();
      await world.extension.advance('next-report');
      for (const [minutes, attempts] of [
        [5, 2],
        [15, 3],
      ] as const) {
        expect(await attemptsOf()).toHaveLength(attempts - 1);
        await world.extension.advance(minutes * MINUTE);
      }
      await collector.up();
      expect(await world.extension.reports()).toEqual([]);
      const [finished] = await world.extension.finished();
      expect(finished).toMatchObject({ end: 'given-up' });
      expect((finished?.['report'] as Row | undefined)?.['attempts']).toHaveLength(3);
    });

  if (isOurs)
    it('gives up in the profile of Chrome after any answer', async () => {
      await world.extension.settings({ collector: collector.origin, deliveryProfile: 'chrome' });
      await convert();
      collector.mood = { kind: 'answers', status: 503 };
      await world.extension.advance('next-report');
      expect(await world.extension.reports()).toEqual([]);
      expect(await world.extension.finished()).toMatchObject([{ end: 'given-up' }]);
      expect(collector.posts).toHaveLength(1);
    });

  it('ends answers that do not end, and sends what else is due', async () => {
    const { sites, extension } = world;
    const destination = sites.origin('shop');
    const endless = await EndlessServer.start((path) => (path === '/redirect' ? 302 : 200), {
      ...source(1, destination),
      Location: `${sites.origin('elsewhere')}/`,
    });
    await world.open('publisher', `<img attributionsrc="${endless.origin}/ad ${endless.origin}/redirect">`);
    await world.waitForRecorded(2);
    sites.serve('adtech', PATH, {});
    await world.open(
      'news',
      `<img attributionsrc="${sites.serve('adtech', '/s', { headers: source(2, destination) })}">`,
    );
    await world.waitForRecorded(3);
    for (const reportingOrigin of [endless.origin, sites.origin('adtech')])
      await extension.register(
        'trigger',
        { event_trigger_data: [{}] },
        { contextOrigin: destination, reportingOrigin },
      );
    await extension.advance(31 * DAY);
    expect(sites.received('adtech', PATH)).toHaveLength(1);
    expect(await extension.finished()).toMatchObject([{ end: 'delivered' }, { end: 'delivered' }]);
    await waitFor('the end of all answers', () => endless.answers.every(({ isOver }) => isOver));
    expect(endless.answers.map(({ path }) => path).sort()).toEqual([PATH, '/ad', '/redirect']);
    // What the system's sockets and the browser take before anybody reads is some megabytes, and tens of them on a loaded machine.
    for (const { sent } of endless.answers) expect(sent).toBeLessThan(200e6);
    await endless.close();
  });
});
