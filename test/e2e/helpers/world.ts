import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Browser, Page } from 'puppeteer-core';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import {
  launch,
  serveSites,
  waitFor,
  type BrowserName,
  type Extension,
  type Launched,
  type LaunchOptions,
  type Sites,
} from '../../../scenarios/kit';
import { borrow, canBorrow } from './borrow';
import { inWords } from './registrations';
import { thrifty } from './thrifty';
import { isLong } from '../../unit/helpers/is-long';
import { english } from '../../../words/english';
import { DECLARATION_TIME } from '../../../recording/requests';

/** Debug mode allows the clock to be turned; without noise the results are predictable. */
export const calm: Partial<Settings> = {
  ...defaultSettings,
  debug: {
    enabled: true,
    noise: false,
    delay: true,
    seed: null,
    debugReports: false,
    privateNetworks: false,
  },
};

/** To ask for the log ten times a second takes a tenth of a processor. In ms. */
const SPARING = { interval: 250 };

/** A browser with Cointoss, and sites to visit. */
export class World {
  #launched: Launched | null = null;
  #sites: Sites | null = null;
  /** A profile that is kept. */
  #profile: string | undefined;
  /** Tabs of visits, and the one of them that the test before left behind: a new tab takes as long as two visits. */
  #tabs = new WeakSet<Page>();
  #left: Page | null = null;

  constructor(readonly name: BrowserName) {}

  get browser(): Browser {
    return this.launched.browser;
  }

  get extension(): Extension {
    return this.launched.extension;
  }

  get sites(): Sites {
    if (this.#sites === null) throw new Error('the sites are not up');
    return this.#sites;
  }

  async start(options: Partial<LaunchOptions> = {}): Promise<void> {
    this.#sites = await serveSites();
    await this.launchBrowser(options);
  }

  async launchBrowser(options: Partial<LaunchOptions> = {}): Promise<void> {
    const all = { browser: this.name, settings: calm, ...options };
    this.#profile = all.userDataDir;
    this.#launched = await (canBorrow(all) ? borrow(all) : launch({ ...all, puppeteer: thrifty(all) }));
  }

  async closeBrowser(): Promise<void> {
    this.#left = null;
    await this.#launched?.close();
    this.#launched = null;
  }

  /** Ends the browser as a power cut does; resolves once its process is gone. */
  async killBrowser(): Promise<void> {
    const process = this.browser.process();
    if (process === null) throw new Error('the browser has no process');
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    this.#left = null;
    await exited;
    await this.browser.close().catch(() => undefined);
    this.#launched = null;
    // Puppeteer puts back the profile's preferences meanwhile.
    const profile = this.#profile;
    if (profile !== undefined)
      await waitFor('puppeteer to tidy up the profile', async () =>
        (await readdir(profile)).every((file) => !file.endsWith('.puppeteer')),
      );
  }

  /** Restores the initial state for the next test. */
  async reset(): Promise<void> {
    await this.closeTabs();
    await this.extension.send({ kind: 'reset-clock' });
    await this.extension.settings(calm);
    await this.extension.clear();
    this.sites.reset();
  }

  /** As `reset`, after tests that answer the question of consent: takes the answers and trials back, and agrees. */
  async agreeAnew(): Promise<void> {
    await this.asInstalled();
    await this.extension.accept();
    await this.reset();
  }

  /** As `reset`, before anybody has agreed. */
  async asInstalled(): Promise<void> {
    await this.closeTabs();
    await this.extension.send({ kind: 'reset-clock' });
    await this.extension.send({ kind: 'withdraw' });
    await this.extension.send({ kind: 'forget-trial' });
    await this.extension.settings(calm);
    this.sites.reset();
  }

  async stop(): Promise<void> {
    await this.closeBrowser();
    await this.#sites?.close();
  }

  async visit(url: string): Promise<Page> {
    const page = this.#left ?? (await this.browser.newPage());
    this.#left = null;
    this.#tabs.add(page);
    await page.bringToFront();
    // The test's own time-out decides, because a page may take long on a loaded machine.
    await page.goto(url, { waitUntil: 'load', timeout: 0 });
    return page;
  }

  open(site: string, body: string): Promise<Page> {
    return this.visit(this.sites.page(site, body));
  }

  /** Everything registered or refused so far, in words, sorted. */
  async recorded(): Promise<string[]> {
    const log = await this.extension.trace();
    return log
      .filter(({ kind }) => kind !== 'ignored')
      .map(inWords)
      .sort();
  }

  /** Why ignored headers registered nothing, each reason once. */
  async ignored(): Promise<string[]> {
    const log = await this.extension.trace();
    return [
      ...new Set(
        log.flatMap((entry) => (entry.kind === 'ignored' ? [english.mistakeText(entry.reason)] : [])),
      ),
    ].sort();
  }

  /**
   * Resolves once the log has so many entries. Turns the clock past the time in which a document may still declare a request; again, because
   * a response may only just have come.
   */
  async waitForUndeclared(count: number): Promise<void> {
    const isLogged = async (): Promise<boolean> => (await this.extension.trace()).length >= count;
    const isTurned = async (): Promise<boolean> => {
      await this.extension.advance(DECLARATION_TIME);
      return isLogged();
    };
    await waitFor(`${count} log entries`, async () => (await isLogged()) || isTurned(), { interval: 500 });
  }

  /** Resolves to the records once there are that many. */
  async waitForRecorded(count: number): Promise<string[]> {
    const enough = async (): Promise<string[] | null> => {
      const recorded = await this.recorded();
      return recorded.length >= count ? recorded : null;
    };
    return waitFor(`${count} recorded`, enough, SPARING).catch(async (error: unknown) => {
      throw new Error(`${String(error)}, where there was ${await this.inBrief()}`, { cause: error });
    });
  }

  /** Events and outcomes, for the message of a failed test. */
  private async inBrief(): Promise<string> {
    const log = (await this.extension.trace()).map((entry) =>
      entry.kind === 'ignored' ? `ignored: ${english.mistakeText(entry.reason)}` : inWords(entry),
    );
    const requests = this.sites
      .received()
      .map(
        ({ site, path, headers }) => `${site}${path} ${String(headers['attribution-reporting-eligible'])}`,
      );
    return JSON.stringify({ log, requests });
  }

  private get launched(): Launched {
    if (this.#launched === null) throw new Error('the browser is not up');
    return this.#launched;
  }

  /** Closes all tabs, except for one that the next test may use. */
  private async closeTabs(): Promise<void> {
    const own = await this.extension.page();
    const others = (await this.browser.pages()).filter((page) => page !== own);
    const kept = others.find((page) => this.#tabs.has(page));
    this.#left = null;
    await Promise.all(others.map((page) => (page === kept ? this.leave(page) : page.close())));
  }

  private async leave(page: Page): Promise<void> {
    try {
      // A page may ask whether it may be left.
      await page.goto('about:blank', { timeout: 5000 });
      this.#left = page;
    } catch {
      await page.close();
    }
  }
}

export const browsers = ['chrome', 'firefox'] as const;

export { isLong };

/**
 * Chrome in `npm test`, both in `npm run soak`: for what our own code decides in any browser, and for the finer cases of what the browser
 * decides. CONTRIBUTING.md says what is tried in both in each run.
 */
export const browsersOfRun: readonly BrowserName[] = isLong ? browsers : ['chrome'];

/** One world for all tests of a `describe`, reset between two of them. */
export function useWorld(name: BrowserName, options: Partial<LaunchOptions> = {}): World {
  const world = new World(name);
  let isUsed = false;
  beforeAll(() => world.start(options));
  beforeEach(async () => {
    if (isUsed) await world.reset();
    isUsed = true;
  });
  afterAll(() => world.stop());
  return world;
}
