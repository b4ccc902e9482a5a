import type { StoredEngine } from '../../transactions/stored-engine';
import { type Json } from '../../src/model/json';
import type { ErasingScope } from '../erasing/erase-part';
import { moment, type Origin } from '../../src/model/units';
import { recordScenario } from '../../analysis/scenario/record';
import {
  MOST_LISTED,
  type Cleared,
  type Overview,
  type PageMessage,
  type Reply,
  type TableRows,
} from '../messages';
import { t } from '../i18n';
import { nextEnd } from '../window-ends';
import { originOfUrl } from '../../src/model/origin';
import { hurryReport } from './deliver/hurry-report';
import type { Clock } from './state/clock';
import type { Delivery } from './deliver/delivery';
import type { Erasing } from './record/erasing';
import type { IdbStore } from '../store/idb-store';
import { overviewOf, type OverviewParts } from './overview';
import type { ParticipationMessages } from './consent/participation-messages';
import type { Recorder } from './record/recorder';
import type { SettingsHolder } from './state/settings';
import type { W3cApi } from './w3c/api';
import type { W3cLimits } from './w3c/limits';
import { asJson, toJson } from '../../formats/codec/plain-json';

/** The parts of the background that pages can query or change. */
interface Parts extends OverviewParts {
  readonly delivery: Delivery;
  readonly recorder: Recorder;
  readonly erasing: Erasing;
  readonly participationMessages: ParticipationMessages;
  readonly w3c: W3cApi;
  readonly w3cLimits: W3cLimits;
}

type MessageOf<Kind extends PageMessage['kind']> = Extract<PageMessage, { readonly kind: Kind }>;

type Handlers = {
  readonly [Kind in PageMessage['kind']]: (message: MessageOf<Kind>) => Promise<Reply<MessageOf<Kind>>>;
};

export class PageMessages {
  private readonly store: IdbStore;
  private readonly engine: StoredEngine;
  private readonly clock: Clock;
  private readonly settings: SettingsHolder;
  private readonly delivery: Delivery;

  constructor(private readonly parts: Parts) {
    ({
      store: this.store,
      engine: this.engine,
      clock: this.clock,
      settings: this.settings,
      delivery: this.delivery,
    } = parts);
  }

  /** @throws Error with a message for the person when the request cannot be carried out */
  async answer(message: PageMessage): Promise<unknown> {
    if (!Object.hasOwn(this.handlers, message.kind))
      throw new Error(`there is no message ${JSON.stringify(message.kind)}`);
    const handler: (message: never) => Promise<unknown> = this.handlers[message.kind];
    return handler(message as never); // each takes its own kind
  }

  private readonly handlers: Handlers = {
    overview: ({ site }) => overviewOf(this.parts, site),
    list: (message) => this.list(message),
    undeclared: () => Promise.resolve(asJson(this.parts.recorder.undeclared.slice(-MOST_LISTED))),
    'get-settings': () => Promise.resolve(this.settings.current),
    // Between two registrations: each is decided and counted under the same settings.
    'set-settings': ({ settings }) => this.parts.recorder.alone(() => this.settings.update(toJson(settings))),
    'advance-clock': (message) => this.advanceClock(message),
    'set-clock': ({ to, frozen }) => this.setClock(to, frozen),
    'reset-clock': async () => {
      await this.clock.reset();
      return this.clockMoved();
    },
    'send-due': () => this.send(),
    'send-pending': async () => {
      this.requireDebugMode();
      await this.engine.hurry(this.clock.now());
      return this.send();
    },
    'send-report': ({ id }) => this.sendReport(id),
    'force-state': async ({ state }) => {
      this.requireDebugMode();
      await this.parts.forcedState.set(state);
      return overviewOf(this.parts, null);
    },
    'force-null-reports': ({ days }) => {
      this.requireDebugMode();
      this.parts.forcedState.nullReportDays = days;
      return overviewOf(this.parts, null);
    },
    register: (message) => this.registerByHand(message),
    'set-limits': async ({ limits }) => {
      this.requireDebugMode();
      await this.parts.limits.set(limits);
      return overviewOf(this.parts, null);
    },
    'export-scenario': ({ debug }) => this.exportScenario(debug),
    clear: ({ scope }) => this.clear(scope ?? null),
    'undo-clear': async () => {
      const { recorder, erasing } = this.parts;
      await recorder.alone(() => erasing.undo());
      this.sendWithoutWaiting();
      return overviewOf(this.parts, null);
    },
    w3c: () => this.parts.w3c.view(),
    'set-w3c-limits': async ({ limits }) => {
      this.requireDebugMode();
      await this.parts.w3cLimits.set(limits);
      return this.parts.w3c.view();
    },
    'call-w3c': ({ call, options, site, intermediarySite }) => {
      this.requireDebugMode();
      const { w3c } = this.parts;
      const callerHost = intermediarySite ?? site;
      const isOff = w3c.isOffOn(`https://${site}`);
      return w3c.call({ call, via: 'by hand', topLevelHost: site, callerHost, options, isOff });
    },
    'set-w3c-state': async ({ epochStart, lastClear }) => {
      this.requireDebugMode();
      await this.parts.w3c.setState({ epochStart, lastClear });
      return this.parts.w3c.view();
    },
    'force-w3c-credit': ({ credit }) => {
      this.requireDebugMode();
      this.parts.w3c.forcedCredit = credit;
      return this.parts.w3c.view();
    },
    'clear-impressions': async ({ site }) => {
      this.requireDebugMode();
      await this.parts.w3c.clearForSite(site);
      return this.parts.w3c.view();
    },
    'forget-site-data': async ({ sites }) => {
      await this.parts.w3c.forgetSiteData(sites);
      return this.parts.w3c.view();
    },
    'get-participation': (message) => this.parts.participationMessages.answer(message),
    'offer-trial': (message) => this.parts.participationMessages.answer(message),
    'look-at-trial': (message) => this.parts.participationMessages.answer(message),
    accept: (message) => this.parts.participationMessages.answer(message),
    decline: (message) => this.parts.participationMessages.answer(message),
    withdraw: (message) => this.parts.participationMessages.answer(message),
    'forget-trial': (message) => this.parts.participationMessages.answer(message),
  };

  /** Sends what is due. */
  private async send(): Promise<Overview> {
    await this.delivery.run();
    return overviewOf(this.parts, null);
  }

  private async clear(scope: ErasingScope | null): Promise<Cleared> {
    const { recorder, erasing } = this.parts;
    const { count, endUndo } = await recorder.alone(() => erasing.erase(scope));
    try {
      this.sendWithoutWaiting();
      return { ...(await overviewOf(this.parts, null)), erased: count };
    } finally {
      endUndo();
    }
  }

  /** A server that does not answer must not keep a person waiting who erases. */
  private sendWithoutWaiting(): void {
    this.delivery.run().catch((error: unknown) => console.error('Cointoss could not send', error));
  }

  private async list({ table, limit, before }: MessageOf<'list'>): Promise<Reply<MessageOf<'list'>>> {
    return asJson(
      await this.store.read((tx) => tx.table(table).latest(Math.min(limit, MOST_LISTED), before)),
    );
  }

  private async advanceClock({ by, command }: MessageOf<'advance-clock'>): Promise<Overview> {
    this.requireDebugMode();
    if (command === undefined || command !== this.clock.command) {
      const step = typeof by === 'number' ? by : await this.stepTo(by);
      if (!Number.isFinite(step))
        throw new Error(`by: must be milliseconds, "next-report" or "next-window", was ${by}`);
      await this.clock.advance(step, command);
    }
    return this.clockMoved();
  }

  private async exportScenario(debug: boolean): Promise<Json> {
    const recorded = await this.store.read(async (tx) => ({
      log: await tx.table('log').latest(Infinity),
      reports: await tx.table('reports').latest(Infinity),
      finished: await tx.table('finished').latest(Infinity),
    }));
    const limits = this.parts.limits.current;
    const w3c = await this.parts.w3c.recorded();
    return recordScenario({ ...recorded, w3c }, { settings: this.settings.current, limits, debug });
  }

  private async setClock(to: number, frozen: boolean): Promise<Overview> {
    this.requireDebugMode();
    if (!Number.isSafeInteger(to) || to < 0)
      throw new Error(`to: must be milliseconds since 1970, a whole number, was ${to}`);
    await this.clock.setTo(moment(to), frozen);
    return this.clockMoved();
  }

  /** Handles everything that is due at the clock's new time. */
  private async clockMoved(): Promise<Overview> {
    await this.parts.recorder.catchUp();
    this.parts.participation.changed();
    return this.send();
  }

  private async stepTo(what: 'next-report' | 'next-window'): Promise<number> {
    const time = await (what === 'next-report' ? this.engine.nextDue() : this.nextWindowEnd());
    if (time === null)
      throw new Error(t(what === 'next-report' ? 'mistakes_no_report_waiting' : 'mistakes_no_window_ends'));
    return time - this.clock.now();
  }

  private async nextWindowEnd(): Promise<number | null> {
    const now = this.clock.now();
    // Every stored source has an open window or is about to expire.
    const sources = await this.store.read((tx) => tx.table('sources').latest(Infinity));
    return nextEnd(sources, now);
  }

  private async sendReport(id: number): Promise<Overview> {
    this.requireDebugMode();
    const found = await this.store.write((tx) => hurryReport(tx, id, this.clock.now()));
    if (!found) throw new Error(t('background_not_waiting', { id }));
    return this.send();
  }

  private async registerByHand({
    register,
    header,
    ...origins
  }: MessageOf<'register'>): Promise<TableRows['log']> {
    this.requireDebugMode();
    const contextOrigin = originNamed('contextOrigin', origins.contextOrigin);
    const reportingOrigin = originNamed('reportingOrigin', origins.reportingOrigin);
    const entry = await this.parts.recorder.byHand({
      occasion: { time: this.clock.now(), contextOrigin, reportingOrigin, via: 'by hand' },
      register: register === 'trigger' ? { kind: 'trigger' } : { kind: 'source', sourceType: register },
      header,
      fenced: false,
      reportHeaderErrors: false,
    });
    if (entry === null) throw new Error(t('background_not_recorded'));
    return asJson(entry);
  }

  private requireDebugMode(): void {
    if (!this.settings.current.debug.enabled) throw new Error(t('background_needs_debug_mode'));
  }
}

function originNamed(name: string, url: string): Origin {
  const origin = originOfUrl(url);
  if (origin === null) throw new Error(t('mistakes_origin', { name }));
  return origin;
}
