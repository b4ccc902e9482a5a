import type { Page } from 'puppeteer';
import type { Overview, PageMessage } from '../../extension/messages';
import type { Settings } from '../../src/model/settings';
import type { ExtensionDriver } from './driver';
import { sendFromPage } from './page-message';
import { waitFor, type WaitOptions } from './wait';

/** A row of one of the extension's tables; 64-bit numbers arrive as decimal strings. */
export type Row = Readonly<Record<string, unknown>>;
type Table = Extract<PageMessage, { kind: 'list' }>['table'];

const MOST_ROWS = 10_000;

/** Cointoss in a running browser: asks its background worker what a person would ask in its pages. */
export class Extension {
  #page: Promise<Page> | null = null;
  readonly #driver: ExtensionDriver;

  constructor(driver: ExtensionDriver) {
    this.#driver = driver;
  }

  /** One of the extension's own pages, with the browser's extension API at hand; it stays the same one until closed. */
  async page(): Promise<Page> {
    const page = await this.#page;
    if (page && !page.isClosed()) return page;
    this.#page = this.#driver.ownPage();
    return this.#page;
  }

  /** Opens a page of the extension, `pages/popup.html` say, in a tab of its own. */
  async openPage(path: string): Promise<Page> {
    return this.#driver.openPage(path, await this.page());
  }

  /**
   * Ends the background, as the browser does at will. Chrome's is killed; Firefox stops its own when it is idle, for which
   * `idleTimeout` of the launch must be short.
   */
  async stopWorker(): Promise<void> {
    // Opened by the background itself, so it must be there first.
    await this.#driver.stopWorker(await this.page());
  }

  /** Asks the background worker, which the browser wakes when it sleeps. Rejects with what the worker rejected with. */
  async send(message: PageMessage): Promise<unknown> {
    return sendFromPage(await this.page(), message);
  }

  async settings(settings: Partial<Settings>): Promise<void> {
    await this.send({ kind: 'set-settings', settings });
  }

  async overview(site: string | null = null): Promise<Overview> {
    return (await this.send({ kind: 'overview', site })) as Overview;
  }

  /** Turns the clock forward, by milliseconds or to the next report; needs debug mode. */
  async advance(by: number | 'next-report'): Promise<void> {
    await this.send({ kind: 'advance-clock', by });
  }

  /** Sends the reports that are due now, rather than at the next alarm. */
  async sendDue(): Promise<void> {
    await this.send({ kind: 'send-due' });
  }

  /** Forgets all that was recorded. */
  async clear(): Promise<void> {
    await this.send({ kind: 'clear' });
  }

  sources(): Promise<readonly Row[]> {
    return this.#list('sources');
  }

  /** The reports that wait to be sent. */
  reports(): Promise<readonly Row[]> {
    return this.#list('reports');
  }

  /** The reports that left, or were given up. */
  finished(): Promise<readonly Row[]> {
    return this.#list('finished');
  }

  log(): Promise<readonly Row[]> {
    return this.#list('log');
  }

  /** Resolves to the sources once there are at least `count`. */
  waitForSources(count: number, options?: WaitOptions): Promise<readonly Row[]> {
    return this.#waitForRows('sources', count, options);
  }

  /** Resolves to the waiting reports once there are at least `count`. */
  waitForReports(count: number, options?: WaitOptions): Promise<readonly Row[]> {
    return this.#waitForRows('reports', count, options);
  }

  /** Turns the clock to each next report and sends it, until none waits any more. */
  async deliverAll(options?: WaitOptions): Promise<void> {
    const noneWaits = async (): Promise<boolean> => {
      const { pendingReports } = await this.overview();
      if (pendingReports === 0) return true;
      await this.advance('next-report');
      await this.sendDue();
      return false;
    };
    await waitFor('every pending report to be sent', noneWaits, options);
  }

  async #list(table: Table): Promise<readonly Row[]> {
    return (await this.send({ kind: 'list', table, limit: MOST_ROWS })) as readonly Row[];
  }

  #waitForRows(table: Table, count: number, options?: WaitOptions): Promise<readonly Row[]> {
    const enough = async (): Promise<readonly Row[] | null> => {
      const rows = await this.#list(table);
      return rows.length >= count ? rows : null;
    };
    return waitFor(`at least ${count} ${table}`, enough, options);
  }
}
