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
import { leave } from './leave';
import { inWords } from './registrations';
import { thrifty } from './thrifty';
import { describeInSoak, isLong, itInSoak } from '../../unit/helpers/is-long';
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

const ALL_TIMES = { kind: 'time', from: 0, to: Number.MAX_SAFE_INTEGER } as const;

/** To ask for the log ten times a second takes a tenth of a processor. In ms. */
const SPARING = { interval: 250 };

/** A browser with Cointoss, and sites to visit. */
export class World {
  #launched: Launched | null = null;
  #sites: Sites | null = null;
  /** A profile that is kept. */
  #profile: string | undefined;
  /** Tabs of visits, and those of them that the test before left behind: a new tab takes as long as two visits. */
  #tabs = new WeakSet<Page>();
  #left: Page[] = [];

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
    this.#left = [];
    await this.#launched?.close();
    this.#launched = null;
  }

  /** Ends the browser as a power cut does; resolves once its process is gone. */
  async killBrowser(): Promise<void> {
    const process = this.browser.process();
    if (process === null) throw new Error('the browser has no process');
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    this.#left = [];
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

  /**
   * Restores the initial state for the next test. What stays: the clock of W3C Attribution's epochs, if it was used; what everyone together has
   * spent, and the list of what was spent, on which without a joint budget nothing depends; and in a trial, what units have spent of a budget.
   */
  async reset(): Promise<void> {
    await this.closeTabs();
    await this.extension.send({ kind: 'reset-clock' });
    await this.extension.settings(calm);
    await this.erase();
    this.sites.reset();
  }

  /** To erase everything replaces the files of the databases, which takes 150 ms of processor time. To erase all times does not. */
  private async erase(): Promise<void> {
    const { calls, impressions, budgets } = await this.extension.send({ kind: 'w3c' });
    if (calls.length + impressions.length + budgets.length > 0) await this.extension.clear();
    else await this.extension.send({ kind: 'clear', scope: ALL_TIMES });
    const { trial } = await this.extension.overview();
    if (trial !== null || !(await isMoreKept(await this.extension.page()))) return;
    // Nothing else gives budgets back.
    await this.extension.send({ kind: 'withdraw' });
    await this.extension.accept();
    if (await isMoreKept(await this.extension.page()))
      throw new Error('a test left more behind than a reset can erase');
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
    const page = this.#left.shift() ?? (await this.browser.newPage());
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

  /** Closes all tabs, except for those that the next test may use. */
  private async closeTabs(): Promise<void> {
    const own = await this.extension.page();
    const others = (await this.browser.pages()).filter((page) => page !== own);
    const kept = others.filter((page) => this.#tabs.has(page)).slice(0, KEPT[this.name]);
    this.#left = [];
    await Promise.all(others.map((page) => (kept.includes(page) ? this.keep(page) : page.close())));
  }

  private async keep(page: Page): Promise<void> {
    try {
      await leave(page, this.name);
      this.#left.push(page);
    } catch {
      await page.close();
    }
  }
}

/** Whether there are accounts of units, or reports of later sources may be for other collectors than theirs. @param page of the extension */
const isMoreKept = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error('the database does not answer'));
      });
    const database = await done(indexedDB.open('cointoss'));
    const reading = database.transaction(['accounts', 'meta']);
    const [accounts, addressees] = await Promise.all([
      done(
        reading.objectStore('accounts').getAll() as IDBRequest<{ readonly row: { readonly id: string } }[]>,
      ),
      done(
        reading.objectStore('meta').get('addressees') as IDBRequest<
          { readonly newest: object | null; readonly earlier: readonly object[] } | undefined
        >,
      ),
    ]);
    database.close();
    return (
      accounts.some(({ row }) => !row.id.startsWith('everyone ')) ||
      (addressees?.earlier ?? []).length + Object.keys(addressees?.newest ?? {}).length > 0
    );
  });

/** How many tabs the next test may use. Most tests visit two pages. */
const KEPT = { chrome: 2, firefox: 1 };

export const browsers = ['chrome', 'firefox'] as const;

export { describeInSoak, isLong, itInSoak };

/**
 * Chrome in `npm test`, both in `npm run soak`: for what our own code decides in any browser, and for the finer cases of what the browser
 * decides. docs/testing.md says what is tried in both in each run.
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
