import type { Page } from 'puppeteer-core';
import {
  MOST_LISTED,
  type Overview,
  type PageMessage,
  type ParticipationView,
  type Reply,
  type SettingsChange,
  type TableRows,
} from '../../extension/messages';
import type { Json } from '../../src/model/json';
import { defaultSettings, type Settings } from '../../formats/settings/settings';
import type { ExtensionDriver } from './driver';
import { refuseUnknown } from './known-names';
import { sendFromPage } from './page-message';
import { WaitDiagnosis } from './wait-diagnosis';
import {
  matches,
  type FinishedRow,
  type ReportRow,
  type SourceRow,
  type TraceEntry,
  type TraceFilter,
  type TriggerEntry,
} from './rows';
import type { Traffic } from './traffic';
import { W3c } from './w3c';
import { waitFor, type WaitOptions } from './wait';

/** The site of a registration, and the origin that asks for it. */
export interface RegistrationOrigins {
  readonly contextOrigin: string;
  readonly reportingOrigin: string;
}

/** A moment: milliseconds since 1970, or a date. */
export type Time = number | Date;

/** Cointoss in a running browser. Asks its background worker what a person would ask in its pages. */
export class Extension {
  #page: Promise<Page> | null = null;
  readonly #driver: ExtensionDriver;
  readonly #keepsConsentPage: boolean;
  readonly #diagnosis: WaitDiagnosis;
  #hasWarned = false;
  /** `navigator.attribution`, where the setting `w3cAttribution` offers it. */
  readonly w3c: W3c;

  constructor(driver: ExtensionDriver, keepsConsentPage: boolean, traffic: Traffic) {
    this.#driver = driver;
    this.#keepsConsentPage = keepsConsentPage;
    this.w3c = new W3c((message) => this.send(message));
    this.#diagnosis = new WaitDiagnosis(traffic, {
      overview: () => this.overview(),
      log: (limit) => this.send({ kind: 'list', table: 'log', limit }),
      reports: () => this.reports(),
      settings: () => this.settings(),
      undeclared: () => this.send({ kind: 'undeclared' }),
      sources: () => this.send({ kind: 'list', table: 'sources', limit: 1 }),
    });
  }

  /** An extension page with access to the browser's extension API; the same page until it is closed. */
  async page(): Promise<Page> {
    const page = await this.#page;
    if (page && !page.isClosed()) return page;
    this.#page = this.#driver.ownPage(this.#keepsConsentPage);
    return this.#page;
  }

  /** Opens a page of the extension, such as `pages/popup.html`, in a new tab. */
  async openPage(path: string): Promise<Page> {
    return this.#driver.openPage(path, await this.page());
  }

  /**
   * Ends the background, as the browser may at any time. Chrome's worker is killed. Firefox stops its own when idle, so launch with an
   * `idleTimeout` of 500: a page of the extension that is shown asks the background every second or two.
   */
  async stopWorker(): Promise<void> {
    // The background opens this page itself, so it must be open before the stop.
    await this.#driver.stopWorker(await this.page());
  }

  /** Sends a message to the background worker, which the browser wakes if needed. Rejects with the worker's error. */
  async send<Message extends PageMessage>(message: Message): Promise<Reply<Message>> {
    return sendFromPage(await this.page(), message);
  }

  /** The consent question and the person's answer. */
  async participation(): Promise<ParticipationView> {
    return this.send({ kind: 'get-participation' });
  }

  /**
   * Agrees, as on the consent page, to the offered trial or to Cointoss by itself.
   * @param invitation the code, if the trial has tokens
   */
  async accept(invitation?: string): Promise<ParticipationView> {
    const { trial, offer } = await this.participation();
    const code = invitation === undefined ? {} : { invitation };
    return this.send({ kind: 'accept', trial: offer?.trial ?? trial, ...code });
  }

  /** Changes the given settings, keeps the others, and resolves to the settings now in force. Rejects when one is unknown or invalid. */
  async settings(change?: SettingsChange): Promise<Settings> {
    if (change !== undefined) refuseUnknown('settings', change, Object.keys(defaultSettings));
    if (change?.debug !== undefined)
      refuseUnknown('settings.debug', change.debug, Object.keys(defaultSettings.debug));
    return this.send(
      change === undefined ? { kind: 'get-settings' } : { kind: 'set-settings', settings: change },
    );
  }

  async overview(site: string | null = null): Promise<Overview> {
    return this.send({ kind: 'overview', site });
  }

  /** Turns the clock forward, by milliseconds or to the next report. Needs debug mode. */
  async advance(by: number | 'next-report'): Promise<void> {
    await this.send({ kind: 'advance-clock', by });
  }

  /**
   * Sets the clock. It runs on from there or, with `frozen`, stands still, so that times are exact. Needs debug mode. Reports due by then
   * are sent.
   */
  async setClock(to: Time, { frozen = false }: { readonly frozen?: boolean } = {}): Promise<void> {
    await this.send({ kind: 'set-clock', to: Number(to), frozen });
  }

  /** Sends the reports that are due now, without waiting for the next alarm. */
  async sendDue(): Promise<void> {
    await this.send({ kind: 'send-due' });
  }

  /**
   * Registers by hand, without loading a page. Needs debug mode. Resolves to the outcome.
   * @param header an object, or the header's text.
   */
  async register(
    register: 'navigation' | 'event' | 'trigger',
    header: object | string,
    { contextOrigin, reportingOrigin }: RegistrationOrigins,
  ): Promise<TraceEntry> {
    const text = typeof header === 'string' ? header : JSON.stringify(header);
    const message = { kind: 'register', register, header: text, contextOrigin, reportingOrigin } as const;
    return this.send(message);
  }

  /** Erases all records. What was spent of privacy budgets stays spent. */
  async clear(): Promise<void> {
    await this.send({ kind: 'clear' });
  }

  sources(): Promise<readonly SourceRow[]> {
    return this.#list('sources');
  }

  /** The registered triggers, each with its outcome. */
  async triggers(): Promise<readonly TriggerEntry[]> {
    return (await this.#list('log')).filter((entry) => entry.kind === 'trigger');
  }

  /** The pending reports, the one that is due last first. Their ids are in no order. */
  async reports(): Promise<readonly ReportRow[]> {
    return [...(await this.#list('reports'))].sort((a, b) => b.reportTime - a.reportTime);
  }

  /** The reports that were sent, replaced or given up, the latest first. */
  async finished(): Promise<readonly FinishedRow[]> {
    return [...(await this.#list('finished'))].sort((a, b) => b.time - a.time);
  }

  /** Everything that was registered, refused or ignored, newest first, with every check behind the decision. */
  async trace(filter: TraceFilter = {}): Promise<readonly TraceEntry[]> {
    return (await this.#list('log')).filter((entry) => matches(entry, filter));
  }

  /** Resolves to the sources once there are at least `count`. */
  waitForSources(count: number, options?: WaitOptions): Promise<readonly SourceRow[]> {
    return this.#waitForRows('source', () => this.sources(), count, options);
  }

  /** Resolves to the pending reports once there are at least `count`, in the order of `reports()`. */
  waitForReports(count: number, options?: WaitOptions): Promise<readonly ReportRow[]> {
    return this.#waitForRows('report', () => this.reports(), count, options).then((rows) =>
      this.#warned(rows),
    );
  }

  /** Resolves to the first pending report to be sent for which `isIt` holds, once there is one. */
  waitForReport(
    isIt: (report: ReportRow) => boolean = () => true,
    options?: WaitOptions,
  ): Promise<ReportRow> {
    const first = async (): Promise<ReportRow | null> => {
      const found = (await this.reports()).filter(isIt);
      return [...found].sort((a, b) => a.nextAttempt - b.nextAttempt)[0] ?? null;
    };
    return this.#diagnosis.waitFor('a report', first, options).then((row) => this.#warned([row])[0] ?? row);
  }

  /** The same rows. Of noise among them, it warns once: a test that means its conversion should know. */
  #warned<Row extends ReportRow>(rows: readonly Row[]): readonly Row[] {
    const fake = rows.filter(({ event }) => event?.fake === true).length;
    if (fake === 0 || this.#hasWarned) return rows;
    this.#hasWarned = true;
    process.stderr.write(
      `cointoss: ${fake} of these reports ${fake === 1 ? 'is' : 'are'} noise (event.fake); settings.debug.noise: false switches it off\n`,
    );
    return rows;
  }

  /** Exports the records as a scenario file for `cointoss replay`; includes debug reports only if asked. */
  async exportScenario({ debug = false }: { readonly debug?: boolean } = {}): Promise<Json> {
    return this.send({ kind: 'export-scenario', debug });
  }

  /** Turns the clock to each next report and sends it, until none is pending or still to be drawn at the end of a window. */
  async deliverAll(options?: WaitOptions): Promise<void> {
    const noneWaits = async (): Promise<boolean> => {
      const { nextReportTime, now } = await this.overview();
      if (nextReportTime === null) return true;
      // Not to 'next-report', because a delivery that is under way may send the last one first.
      await this.advance(nextReportTime - now);
      await this.sendDue();
      return false;
    };
    await waitFor('every pending report to be sent', noneWaits, options).catch((error: unknown) =>
      this.#diagnosis.explain(error),
    );
  }

  /**
   * All rows of a table, the greatest id first, read in messages of limited size. Leaves out sources and conversions recorded meanwhile; a
   * new report can be among the rows, because its id may be anything.
   */
  async #list<Table extends keyof TableRows>(table: Table): Promise<readonly TableRows[Table][]> {
    const rows: TableRows[Table][] = [];
    for (;;) {
      const last = rows.at(-1);
      const older: readonly TableRows[Table][] = await this.send({
        kind: 'list',
        table,
        limit: MOST_LISTED,
        ...(last === undefined ? {} : { before: last.id }),
      });
      rows.push(...older);
      if (older.length < MOST_LISTED) return rows;
    }
  }

  #waitForRows<Row>(
    name: string,
    read: () => Promise<readonly Row[]>,
    count: number,
    options?: WaitOptions,
  ): Promise<readonly Row[]> {
    const enough = async (): Promise<readonly Row[] | null> => {
      const rows = await read();
      return rows.length >= count ? rows : null;
    };
    return this.#diagnosis.waitFor(`at least ${count} ${name}${count === 1 ? '' : 's'}`, enough, options);
  }
}
