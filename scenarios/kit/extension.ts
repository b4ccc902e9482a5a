import type { Page } from 'puppeteer';
import { MOST_LISTED, type Overview, type PageMessage, type ParticipationView } from '../../src/messages';
import type { Json } from '../../src/model/json';
import type { DebugSettings, Settings } from '../../src/model/settings';
import type { ExtensionDriver } from './driver';
import { sendFromPage } from './page-message';
import {
  matches,
  type FinishedRow,
  type ReportRow,
  type SourceRow,
  type TableRows,
  type TraceEntry,
  type TraceFilter,
  type TriggerEntry,
} from './rows';
import { waitFor, type WaitOptions } from './wait';

/** Settings to change; those of debug mode one by one, too. */
export type SettingsChange = Partial<Omit<Settings, 'debug'>> & { readonly debug?: Partial<DebugSettings> };

/** Where a registration is said to have happened, and who is said to have asked for it. */
export interface RegistrationOrigins {
  readonly contextOrigin: string;
  readonly reportingOrigin: string;
}

/** A moment: milliseconds since the epoch, or a date. */
export type Time = number | Date;

/** Cointoss in a running browser: asks its background worker what a person would ask in its pages. */
export class Extension {
  #page: Promise<Page> | null = null;
  readonly #driver: ExtensionDriver;
  readonly #keepsConsentPage: boolean;

  constructor(driver: ExtensionDriver, keepsConsentPage: boolean) {
    this.#driver = driver;
    this.#keepsConsentPage = keepsConsentPage;
  }

  /** One of the extension's own pages, with the browser's extension API at hand; it stays the same one until closed. */
  async page(): Promise<Page> {
    const page = await this.#page;
    if (page && !page.isClosed()) return page;
    this.#page = this.#driver.ownPage(this.#keepsConsentPage);
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

  /** What a person is asked before anything is recorded, and what they answered. */
  async participation(): Promise<ParticipationView> {
    return (await this.send({ kind: 'get-participation' })) as ParticipationView;
  }

  /** Agrees, as a person does on the consent page, to what there is: the trial that was offered, or Cointoss by itself. */
  async accept(): Promise<ParticipationView> {
    const { trial } = await this.participation();
    return (await this.send({ kind: 'accept', trial })) as ParticipationView;
  }

  /** Changes settings, if any are given, and resolves to those in force. Fields that are not named keep their values. */
  async settings(change?: SettingsChange): Promise<Settings> {
    const message = (
      change === undefined ? { kind: 'get-settings' } : { kind: 'set-settings', settings: change }
    ) as PageMessage;
    return (await this.send(message)) as Settings;
  }

  async overview(site: string | null = null): Promise<Overview> {
    return (await this.send({ kind: 'overview', site })) as Overview;
  }

  /** Turns the clock forward, by milliseconds or to the next report; needs debug mode. */
  async advance(by: number | 'next-report'): Promise<void> {
    await this.send({ kind: 'advance-clock', by });
  }

  /**
   * Sets the clock, which goes on from there or, while `frozen`, stands still, so that times are exact; needs debug mode.
   * Reports that are due by then are sent.
   */
  async setClock(to: Time, { frozen = false }: { readonly frozen?: boolean } = {}): Promise<void> {
    await this.send({ kind: 'set-clock', to: Number(to), frozen });
  }

  /** Sends the reports that are due now, rather than at the next alarm. */
  async sendDue(): Promise<void> {
    await this.send({ kind: 'send-due' });
  }

  /**
   * Registers by hand, without a page that loads anything; needs debug mode. Resolves to what became of it.
   * @param header an object, or the header's text as it would come.
   */
  async register(
    register: 'navigation' | 'event' | 'trigger',
    header: object | string,
    { contextOrigin, reportingOrigin }: RegistrationOrigins,
  ): Promise<TraceEntry> {
    const text = typeof header === 'string' ? header : JSON.stringify(header);
    const message = { kind: 'register', register, header: text, contextOrigin, reportingOrigin } as const;
    return (await this.send(message)) as TraceEntry;
  }

  /** Forgets all that was recorded. */
  async clear(): Promise<void> {
    await this.send({ kind: 'clear' });
  }

  sources(): Promise<readonly SourceRow[]> {
    return this.#list('sources');
  }

  /** The triggers that were registered, each with what became of it. */
  async triggers(): Promise<readonly TriggerEntry[]> {
    return (await this.#list('log')).filter((entry) => entry.kind === 'trigger');
  }

  /** The reports that wait to be sent. */
  reports(): Promise<readonly ReportRow[]> {
    return this.#list('reports');
  }

  /** The reports that left, or were given up. */
  finished(): Promise<readonly FinishedRow[]> {
    return this.#list('finished');
  }

  /** What was registered, refused or ignored, newest first, with every check on the way to the decision. */
  async trace(filter: TraceFilter = {}): Promise<readonly TraceEntry[]> {
    return (await this.#list('log')).filter((entry) => matches(entry, filter));
  }

  /** Resolves to the sources once there are at least `count`. */
  waitForSources(count: number, options?: WaitOptions): Promise<readonly SourceRow[]> {
    return this.#waitForRows('sources', count, options);
  }

  /** Resolves to the waiting reports once there are at least `count`. */
  waitForReports(count: number, options?: WaitOptions): Promise<readonly ReportRow[]> {
    return this.#waitForRows('reports', count, options);
  }

  /** Resolves to a waiting report, the first to be sent of those for which `isIt` holds, once there is one. */
  waitForReport(
    isIt: (report: ReportRow) => boolean = () => true,
    options?: WaitOptions,
  ): Promise<ReportRow> {
    const first = async (): Promise<ReportRow | null> => {
      const found = (await this.reports()).filter(isIt);
      return [...found].sort((a, b) => a.nextAttempt - b.nextAttempt)[0] ?? null;
    };
    return waitFor('a report', first, options);
  }

  /** What happened so far as a scenario file that `cointoss replay` replays; with debug reports only if asked. */
  async exportScenario({ debug = false }: { readonly debug?: boolean } = {}): Promise<Json> {
    return (await this.send({ kind: 'export-scenario', debug })) as Json;
  }

  /** Turns the clock to each next report and sends it, until none waits any more, nor is to be drawn when a window closes. */
  async deliverAll(options?: WaitOptions): Promise<void> {
    const noneWaits = async (): Promise<boolean> => {
      const { nextReportTime } = await this.overview();
      if (nextReportTime === null) return true;
      await this.advance('next-report');
      await this.sendDue();
      return false;
    };
    await waitFor('every pending report to be sent', noneWaits, options);
  }

  /** All rows of a table, newest first, as many at a time as one message carries. What is recorded meanwhile is left out. */
  async #list<Table extends keyof TableRows>(table: Table): Promise<readonly TableRows[Table][]> {
    const rows: TableRows[Table][] = [];
    for (;;) {
      const last = rows.at(-1);
      const older = (await this.send({
        kind: 'list',
        table,
        limit: MOST_LISTED,
        ...(last === undefined ? {} : { before: last.id }),
      })) as readonly TableRows[Table][];
      rows.push(...older);
      if (older.length < MOST_LISTED) return rows;
    }
  }

  #waitForRows<Table extends 'sources' | 'reports'>(
    table: Table,
    count: number,
    options?: WaitOptions,
  ): Promise<readonly TableRows[Table][]> {
    const enough = async (): Promise<readonly TableRows[Table][] | null> => {
      const rows = await this.#list(table);
      return rows.length >= count ? rows : null;
    };
    return waitFor(`at least ${count} ${table}`, enough, options);
  }
}
