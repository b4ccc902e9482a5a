import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TargetType, type Browser, type CDPSession, type Target } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { FrailCollector } from './helpers/collector';
import { fill, press, shows } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { researcher, trialFor } from './helpers/trials';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Something that can be cut off from the background. */
interface Line {
  down(): Promise<unknown>;
  up(): Promise<unknown>;
}

/** Chrome's own: the background has no network. */
function networkOf(browser: Browser): Line {
  const isWorker = (target: Target): boolean =>
    target.type() === TargetType.SERVICE_WORKER && target.url().startsWith('chrome-extension://');
  // What one session switches off, another one cannot switch on.
  let session: CDPSession | undefined;
  const set = async (offline: boolean): Promise<void> => {
    session ??= await (await browser.waitForTarget(isWorker)).createCDPSession();
    await session.send('Network.enable');
    const speed = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await session.send('Network.emulateNetworkConditions', { offline, ...speed });
  };
  return { down: () => set(true), up: () => set(false) };
}

/** Serves one file at a port that stays the same. */
class FileServer implements Line {
  #server = createServer();
  #port = 0;

  constructor(private readonly body: string) {}

  get origin(): string {
    return `http://uni.localhost:${this.#port}`;
  }

  async up(): Promise<void> {
    this.#server = createServer((_request, response) => void response.end(this.body));
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }
}

describe.each(browsersOfRun)('without a network (%s)', (name) => {
  const world = useWorld(name);
  let collector: FrailCollector;

  beforeAll(async () => {
    collector = await FrailCollector.start();
  });
  afterAll(() => collector.close());

  /** Firefox cannot cut off its background, so there the server is down. */
  const lineTo = (server: Line): Line => (name === 'chrome' ? networkOf(world.browser) : server);

  it('a report that cannot leave is kept, and leaves once there is one', async () => {
    const { sites, extension } = world;
    await extension.settings({ collector: collector.origin });
    const origins = (site: string): { contextOrigin: string; reportingOrigin: string } => ({
      contextOrigin: sites.origin(site),
      reportingOrigin: sites.origin('adtech'),
    });
    const [ad = ''] = Object.values(source(11, sites.origin('shop'), { event_report_window: '172800' }));
    const [sale = ''] = Object.values(trigger(1));
    await extension.register('event', ad, origins('publisher'));
    await extension.register('trigger', sale, origins('shop'));
    await extension.waitForReports(1);
    const network = lineTo(collector);
    await network.down();
    await extension.advance('next-report');
    const [report] = await extension.reports();
    // Chrome says that there is no network, so nothing is tried.
    const tried = name === 'chrome' ? [] : [{ outcome: { kind: 'unreachable' } }];
    expect(report?.['attempts']).toMatchObject(tried);
    // Nothing of it left.
    expect(collector.posts).toEqual([]);
    await network.up();
    await extension.advance(2 * MINUTE);
    // Chrome's next alarm may be half a minute away.
    await waitFor('the report', async () => (await extension.reports()).length === 0, { interval: 1000 });
    expect(await collector.reports()).toHaveLength(1);
  });

  itInSoak(
    'a trial that cannot be fetched changes nothing, and can be looked at once there is one',
    async () => {
      const { extension } = world;
      const page = await extension.openPage('pages/consent.html');
      const server = new FileServer(JSON.stringify(await researcher.sign(trialFor(30 * DAY))));
      await server.up();
      const network = lineTo(server);
      await network.down();
      await page.waitForSelector('#trial-link');
      await fill(page, '#trial-link', `${server.origin}/trial.json`);
      await press(page, '#look');
      await shows(page, '#problem', /^The server did not answer/);
      expect((await extension.participation()).offer).toBeNull();
      await network.up();
      await press(page, '#look');
      await shows(page, '#trial h2', 'Ad recall 2027');
      await page.close();
      await server.down();
      await extension.send({ kind: 'forget-trial' });
    },
  );
});
