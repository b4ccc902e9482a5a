import { waitFor } from '../../scenarios/kit';
import type { SettingsChange } from '../../scenarios/kit';
import type { JsonObject } from '../../src/model/json';
import { HoldingServer } from './helpers/holding-server';
import { source, trigger } from './helpers/registrations';
import { countRows, trialFor } from './helpers/trials';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

const DAY = 86_400_000;
/** How many reports are sent at a time. */
const PARALLEL = 6;

describe.each(browsersOfRun)('what is under way (%s)', (name) => {
  const world = useWorld(name);
  let server: HoldingServer;

  beforeEach(async () => {
    server = await HoldingServer.start(source(2, world.sites.origin('shop')));
    await world.extension.send({ kind: 'forget-trial' });
    await world.extension.accept();
  });

  afterEach(() => server.close());

  const rows = async (): Promise<Record<string, number>> =>
    (await world.extension.page()).evaluate(countRows);

  const inFlight = (count: number): Promise<unknown> =>
    waitFor(`${count} requests to be under way`, () => server.requests.length >= count);

  const allGivenUp = (): Promise<unknown> =>
    waitFor('the browser to give up what it asked', () => server.requests.every((one) => one.wasGivenUp), {
      // Before Firefox stops an idle background, which aborts its requests, too.
      timeout: 5000,
    });

  describe('of reports', () => {
    // A trial keeps its settings, which are put back after each test.
    afterEach(() => world.extension.send({ kind: 'withdraw' }));

    const offer = async (more: JsonObject): Promise<{ readonly trial: JsonObject }> => {
      const trial = trialFor(30 * DAY, more);
      await world.extension.send({ kind: 'offer-trial', trial });
      return { trial };
    };

    /** Each of one source, and due within two days. */
    const haveReports = async (count: number): Promise<void> => {
      const reportingOrigin = 'https://adtech.example';
      for (let number = 1; number <= count; number++) {
        const shop = `https://shop${number}.example`;
        const steps = [
          ['event', 'https://publisher.example', source(number, shop, { event_report_window: '172800' })],
          ['trigger', shop, trigger(1)],
        ] as const;
        for (const [register, contextOrigin, headers] of steps) {
          const [header = ''] = Object.values(headers);
          await world.extension.send({ kind: 'register', register, header, contextOrigin, reportingOrigin });
        }
      }
      expect(await world.extension.reports()).toHaveLength(count);
    };

    /** @returns more reports than are sent at a time, some of which are under way, the others next in line */
    const startSending = async (): Promise<{ readonly sending: Promise<void> }> => {
      await haveReports(PARALLEL + 2);
      const sending = world.extension.advance(3 * DAY);
      await inFlight(PARALLEL);
      return { sending };
    };

    const collectHere = (): Promise<unknown> => world.extension.settings({ collector: server.origin });

    it('ends with a withdrawal, and nothing is left of them, nor leaves any more', async () => {
      const { extension } = world;
      await collectHere();
      const { sending } = await startSending();
      await extension.send({ kind: 'withdraw' });
      expect(await rows()).toEqual({});
      await allGivenUp();
      await sending;
      server.answer();
      // Anything that is left, here or in a queue, would leave now.
      await extension.accept();
      await extension.advance(3 * DAY);
      expect(server.requests).toHaveLength(PARALLEL);
      expect(await rows()).toEqual({});
    });

    itInSoak('ends when all is erased, which waits for no server', async () => {
      const { extension } = world;
      await collectHere();
      const { sending } = await startSending();
      const start = performance.now();
      await extension.send({ kind: 'clear' });
      // A server may take 30 seconds.
      expect(performance.now() - start).toBeLessThan(15_000);
      await allGivenUp();
      await sending;
      server.answer();
      await extension.advance(3 * DAY);
      expect(server.requests).toHaveLength(PARALLEL);
    });

    itInSoak(
      'goes on while the person looks at a change, and reports under way end when they leave for another trial',
      async () => {
        const { extension } = world;
        const { trial } = await offer({ id: 'first', settings: { collector: server.origin } });
        await extension.accept();
        const { sending } = await startSending();
        await extension.send({ kind: 'offer-trial', trial: { ...trial, version: 2 } });
        expect(server.requests.filter(({ wasGivenUp }) => wasGivenUp)).toEqual([]);
        await extension.accept();
        await allGivenUp();
        await sending;
        server.answer();
        await extension.advance(3 * DAY);
        expect(server.requests).toHaveLength(PARALLEL);
        expect(await rows()).toEqual({});
      },
    );

    itInSoak('goes on while recording is paused', async () => {
      const { extension } = world;
      await collectHere();
      const { sending } = await startSending();
      await extension.settings({ paused: true });
      server.answer();
      await sending;
      expect(await extension.finished()).toHaveLength(PARALLEL + 2);
      expect(server.requests.filter(({ wasGivenUp }) => wasGivenUp)).toEqual([]);
    });

    itInSoak('goes on when the trial ends', async () => {
      const { extension } = world;
      await offer({ id: 'first', settings: { collector: server.origin } });
      await extension.accept();
      const { sending } = await startSending();
      const ending = extension.advance(60 * DAY);
      await waitFor('the end', async () => (await extension.participation()).consentStatus === 'ended');
      server.answer();
      await Promise.all([sending, ending]);
      expect(await extension.finished()).toHaveLength(PARALLEL + 2);
      expect(server.requests.filter(({ wasGivenUp }) => wasGivenUp)).toEqual([]);
    });
  });

  describe('for a page', () => {
    const visit = async (): Promise<void> => {
      await world.open('publisher', `<img attributionsrc="${server.origin}/s">`);
    };

    const withdraw = (): Promise<unknown> => world.extension.send({ kind: 'withdraw' });
    const pause = (change: SettingsChange) => (): Promise<unknown> => world.extension.settings(change);

    const ends: readonly (readonly [how: string, stop: () => Promise<unknown>])[] = [
      ['the person withdraws', withdraw],
      ['recording is paused', pause({ paused: true })],
      ['recording is paused on its site', pause({ pausedSites: ['http://publisher.localhost'] })],
    ];

    itInSoak.each(ends)('ends when %s, and registers nothing', async (_how, stop) => {
      const { extension } = world;
      await visit();
      await inFlight(1);
      await stop();
      await allGivenUp();
      await extension.accept();
      await extension.settings({ paused: false, pausedSites: [] });
      server.answer();
      expect(await world.recorded()).toEqual([]);
      // Otherwise nothing could be recorded at all.
      await visit();
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by holding']);
    });

    const erase = (sites: readonly string[] | null) => (): Promise<unknown> =>
      world.extension.send({ kind: 'clear', ...(sites === null ? {} : { scope: { kind: 'sites', sites } }) });

    itInSoak.each([
      ['everything', erase(null)],
      ['its site', erase(['http://publisher.localhost'])],
    ])('ends when %s is erased, and registers nothing', async (_what, stop) => {
      await visit();
      await inFlight(1);
      await stop();
      await allGivenUp();
      server.answer();
      expect(await world.recorded()).toEqual([]);
      await visit();
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by holding']);
    });

    itInSoak('goes on when recording is paused on another site', async () => {
      await visit();
      await inFlight(1);
      await world.extension.settings({ pausedSites: ['https://bank.example'] });
      server.answer();
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by holding']);
    });
  });
});
