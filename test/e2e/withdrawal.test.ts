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
/** In ms. Cointoss gives every request up after 30 s, and about then Firefox stops a background that is idle. */
const SOONER = 25_000;

describe.each(browsersOfRun)('what is under way (%s)', (name) => {
  const world = useWorld(name);
  let server: HoldingServer;
  /** Gets one request, which the browser gives up after `SOONER`. */
  let other: HoldingServer;

  beforeEach(async () => {
    server = await HoldingServer.start(source(2, world.sites.origin('shop')));
    other = await HoldingServer.start();
    await world.extension.send({ kind: 'forget-trial' });
    await world.extension.accept();
  });

  afterEach(() => Promise.all([server.close(), other.close()]));

  const rows = async (): Promise<Record<string, number>> =>
    (await world.extension.page()).evaluate(countRows);

  const inFlight = async (count: number): Promise<void> => {
    await waitFor(`${count} requests to be under way`, () => server.requests.length >= count);
    const page = await world.extension.page();
    await page.evaluate(
      (url, delay) => {
        const signal = AbortSignal.timeout(delay);
        void fetch(url, { mode: 'no-cors', signal }).catch(() => undefined);
      },
      other.origin,
      SOONER,
    );
    await waitFor('the other request', () => other.requests.length === 1);
  };

  /** Before the other request: so not because they took too long. */
  const allGivenUp = async (): Promise<void> => {
    await waitFor('the browser to give up what it asked', () =>
      server.requests.every((one) => one.wasGivenUp),
    );
    expect(other.requests).toMatchObject([{ wasGivenUp: false }]);
  };

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
      await extension.send({ kind: 'clear' });
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

    const endsWhen = async (stop: () => Promise<unknown>): Promise<void> => {
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
    };

    it('ends when recording is paused on its site, and registers nothing', async () => {
      await endsWhen(pause({ pausedSites: ['http://publisher.localhost'] }));
    });

    itInSoak.each<[string, () => Promise<unknown>]>([
      ['the person withdraws', withdraw],
      ['recording is paused', pause({ paused: true })],
    ])('ends when %s, and registers nothing', async (_how, stop) => {
      await endsWhen(stop);
    });

    const erase = async (scope: object): Promise<void> => {
      await visit();
      await inFlight(1);
      await world.extension.send({ kind: 'clear', ...scope });
      await allGivenUp();
      server.answer();
      expect(await world.recorded()).toEqual([]);
      await visit();
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by holding']);
    };

    it('ends when its site is erased, and registers nothing', async () => {
      await erase({ scope: { kind: 'sites', sites: ['http://publisher.localhost'] } });
    });

    itInSoak('ends when everything is erased, and registers nothing', () => erase({}));

    itInSoak('goes on when recording is paused on another site', async () => {
      await visit();
      await inFlight(1);
      await world.extension.settings({ pausedSites: ['https://bank.example'] });
      server.answer();
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by holding']);
    });
  });
});
