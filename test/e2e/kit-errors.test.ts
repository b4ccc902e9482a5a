import { setTimeout as sleep } from 'node:timers/promises';
import { launch, type LaunchOptions, type SettingsChange } from '../../scenarios/kit';
import { freePort } from '../../scripts/free-port';
import { REGISTER_SOURCE } from '../../formats/registration/header';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

/** The address of a port on which nobody listens. */
const refusedOrigin = async (): Promise<string> => `http://adtech.localhost:${await freePort()}`;

/** As a test in JavaScript passes what TypeScript would refuse. */
const untyped = (value: object): SettingsChange & LaunchOptions => value as SettingsChange & LaunchOptions;

describe.each(browsersOfRun)('what the kit says when nothing comes (%s)', (name) => {
  const world = useWorld(name, { puppeteer: { networkEnabled: true } });
  const header = (field: string, value: string): string =>
    world.sites.serve('adtech', '/wrong', { headers: { [field]: value } });
  const view = (url: string): string => `<img attributionsrc src="${url}">`;

  /** What the wait for a source says. The time-out is the test's own, so only the reason ends it. */
  const reason = async (body: string): Promise<string> => {
    await world.open('publisher', body);
    return world.extension
      .waitForSources(1, { timeout: 100_000, interval: 20 })
      .then(() => 'a source', String);
  };

  /** Takes longer than a wait of the kit goes on after the last event. */
  const outlast = async (): Promise<void> => {
    for (let asked = 0; asked < 60; asked++) {
      await world.extension.overview();
      await sleep(20);
    }
  };

  type Mistake = readonly [mistake: string, body: () => string | Promise<string>, says: string | RegExp];

  const expectReason = async (...[, body, says]: Mistake): Promise<void> => {
    const said = await reason(await body());
    expect(said).toMatch(/waiting for at least 1 source is in vain: /);
    expect(said).toMatch(says);
    expect(said).toContain('consent status: recording');
  };

  it.each<Mistake>([
    ['a page that is not there', () => view(`${world.sites.origin('adtech')}/none`), /\/none: 404/],
    [
      'a port that refuses',
      async () => view(`${await refusedOrigin()}/`),
      /adtech\.localhost:\d+\/: .*(CONNECTION_REFUSED|UNKNOWN|refused)/i,
    ],
  ])('names %s', expectReason);

  itInSoak('names a context in which the browser runs no extension, or records there', async () => {
    const { browser, extension, sites } = world;
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const source = sites.source('adtech', { destination: sites.origin('shop') });
    await page.goto(sites.page('publisher', view(source)));
    const found = extension.waitForSources(1, { timeout: 100_000, interval: 20 });
    if (name === 'firefox') expect(await found).toHaveLength(1);
    else
      await expect(found).rejects.toThrow(
        /in vain: GET http:.* of a page in a context of createBrowserContext, where Chromium runs no extension; open it with browser\.newPage\(\)/,
      );
    await context.close();
  });

  describe('names what the test answers itself', () => {
    const open = async (body: string): Promise<void> => {
      const { browser, sites } = world;
      const page = await browser.newPage();
      await page.setRequestInterception(true);
      const headers = {
        'Access-Control-Allow-Origin': '*',
        [REGISTER_SOURCE]: JSON.stringify({ destination: sites.origin('shop') }),
      };
      page.on('request', (request) => {
        const isMade = new URL(request.url()).pathname === '/made';
        void (isMade ? request.respond({ status: 200, headers }) : request.continue()).catch(() => undefined);
      });
      await page.goto(sites.page('publisher', body));
    };
    const wait = (): Promise<unknown> =>
      world.extension.waitForSources(1, { timeout: 100_000, interval: 20 });

    itInSoak.each<[string, (url: string) => string, RegExp]>([
      [
        'an element',
        view,
        /in vain: GET .*\/made: 200, attribution-reporting-register-source; the test may have made this answer, and browsers show extensions no answer that request\.respond\(\) makes; let a server answer/,
      ],
      [
        'attributionsrc="URL"',
        (url) => `<img attributionsrc="${url}">`,
        /in vain: response on .* 404 and no registration: correct the URL in attributionsrc; Cointoss itself requests the URLs in attributionsrc, .* if the test is to answer this URL/,
      ],
    ])('to %s', async (_what, body, says) => {
      await open(body(`${world.sites.origin('adtech')}/made`));
      await expect(wait()).rejects.toThrow(says);
    });

    itInSoak('and waits on where a server answers the rest', async () => {
      const { extension, sites } = world;
      const source = (): string => view(sites.source('adtech', { destination: sites.origin('shop') }));
      // The log has nothing of the second answer.
      await open(source() + view(sites.serve('adtech', '/silent', {})));
      const coming = extension.waitForSources(2, { timeout: 100_000, interval: 20 });
      await outlast();
      await open(source());
      expect(await coming).toHaveLength(2);
    });
  });

  itInSoak('names a pause, and who waits for a report learns why there is none', async () => {
    const { extension, sites } = world;
    await world.open('shop', `<img src="${sites.trigger('adtech', { event_trigger_data: [{}] })}">`);
    await expect(extension.waitForReport(undefined, { timeout: 100_000, interval: 20 })).rejects.toThrow(
      'trigger-no-matching-source',
    );
    await extension.settings({ paused: true });
    await expect(extension.waitForReports(1)).rejects.toThrow('recording is paused in the settings');
    const shop = 'http://shop.localhost';
    await extension.settings({ paused: false, pausedSites: [shop] });
    await world.open('shop', `<img src="${sites.trigger('adtech', { event_trigger_data: [{}] })}">`);
    await expect(extension.waitForReports(1, { timeout: 100_000, interval: 20 })).rejects.toThrow(
      `in vain: recording is paused in the settings on ${shop}`,
    );
    await expect(sites.waitForReports(1, { timeout: 1 })).rejects.toThrow(
      /at least 1 report at the sites\n.*\n.*\n?.*\/pixel-\d+: 200/,
    );
  });

  itInSoak('names the report that waits for its window, and what sends it', async () => {
    const { extension, sites } = world;
    await extension.setClock(Date.UTC(2027, 0, 1), { frozen: true });
    await world.open('publisher', view(sites.source('adtech', { destination: sites.origin('shop') })));
    await extension.waitForSources(1);
    await world.open('shop', `<img src="${sites.trigger('adtech', { event_trigger_data: [{}] })}">`);
    await extension.waitForReports(1);
    // An event source has one report, after 30 days.
    const says = /\n {2}1 report waits until 2027-01-31T[\d:.]+Z: call extension\.advance\('next-report'\)/;
    await expect(sites.waitForReports(1, { timeout: 1 })).rejects.toThrow(says);
    await expect(extension.waitForReports(2, { timeout: 1 })).rejects.toThrow(says);
    await extension.deliverAll();
    expect(await sites.waitForReports(1)).toHaveLength(1);
    await expect(sites.waitForReports(2, { timeout: 1 })).rejects.toThrow(/^(?!.*call extension\.advance)/s);
  });

  itInSoak('does not take a mistake of an earlier wait for one of this', async () => {
    const { extension, sites } = world;
    expect(await reason(view(header(REGISTER_SOURCE, '{')))).toContain('in vain');
    const coming = extension.waitForSources(1);
    await outlast();
    await world.open('publisher', view(sites.source('adtech', { destination: sites.origin('shop') })));
    expect(await coming).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ noize: false }, 'settings.noize: is not known; known are paused, pausedSites, collector'],
    [{ noise: false }, 'settings.noise: is not known'],
    [
      { debug: { noize: false } },
      'settings.debug.noize: is not known (did you mean noise?); known are enabled, noise, delay',
    ],
    [{ labelNoise: { kind: 'rr', nois: 1 } }, 'is not a known field'],
  ])('refuses the settings %j', async (settings, message) => {
    const { extension } = world;
    await expect(extension.settings(untyped(settings))).rejects.toThrow(message);
    expect((await extension.settings()).debug.noise).toBe(false);
  });

  itInSoak('names the consent that is missing', async () => {
    await world.extension.send({ kind: 'withdraw' });
    expect(await reason('')).toMatch(/in vain: the consent status is "unanswered"/);
    await world.extension.accept();
  });
});

describe('launch', () => {
  it.each<[object, string]>([
    [{}, 'options.browser: must be "chrome" or "firefox", was undefined'],
    [{ browser: 'safari' }, 'options.browser: must be "chrome" or "firefox", was "safari"'],
    [{ browser: 'chrome', noise: false }, 'options.noise: is not known; known are browser, headless,'],
    [
      { browser: 'chrome', executablePath: '/' },
      'options.executablePath: must be the program of a browser, was /',
    ],
    [{ browser: 'firefox', executablePath: process.execPath }, 'node did not start as firefox: '],
    [{ browser: 'chrome', extensionDir: '/' }, 'there is no extension in /'],
    [
      { browser: 'chrome', puppeteer: { arg: [] } },
      'options.puppeteer.arg: is not known (did you mean args?); known are',
    ],
  ])('refuses %j', async (options, message) => {
    await expect(launch(untyped(options))).rejects.toThrow(message);
  });
});
