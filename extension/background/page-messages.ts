import type { Engine } from '../../src/engine';
import type { LogEntry } from '../../src/model/decision';
import { toJson, type Json } from '../../src/model/json';
import type { ErasingScope } from '../../src/erasing/erase-part';
import type { Trial } from '../../src/model/trial';
import { moment } from '../../src/model/units';
import { recordScenario } from '../../analysis/scenario/record';
import { kindAndSiteKey } from '../../src/store/store';
import { MOST_LISTED, type Cleared, type Overview, type PageMessage } from '../../src/messages';
import { forReader, t } from '../i18n';
import { effectiveDebug } from '../../src/model/settings';
import { windowEnds } from '../../src/registration/window-ends';
import { originOfUrl } from '../../src/parsing/origin';
import { hurryReport } from '../../src/reports/hurry';
import type { Clock } from './clock';
import { countedReports } from './counted-reports';
import type { DebugLimits } from './debug-limits';
import type { Delivery } from './delivery';
import type { Erasing } from './erasing';
import type { ForcedState } from './forced-state';
import type { IdbStore } from '../store/idb-store';
import type { Participation } from './participation';
import type { ParticipationMessages } from './participation-messages';
import type { Recorder } from './recorder';
import type { SettingsHolder } from './settings';

/** The parts of the background that pages can query or change. */
interface Parts {
  readonly store: IdbStore;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly delivery: Delivery;
  readonly recorder: Recorder;
  readonly forcedState: ForcedState;
  readonly erasing: Erasing;
  readonly limits: DebugLimits;
  readonly participation: Participation;
  readonly participationMessages: ParticipationMessages;
}

export class PageMessages {
  private readonly store: IdbStore;
  private readonly engine: Engine;
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
    switch (message.kind) {
      case 'overview':
        return this.overview(message.site);
      case 'list':
        return this.list(message);
      case 'get-settings':
        return this.settings.current;
      case 'set-settings':
        return this.settings.update(message.settings as unknown as Json);
      case 'advance-clock':
        return this.advanceClock(message.by);
      case 'set-clock':
        return this.setClock(message.to, message.frozen);
      case 'reset-clock':
        await this.clock.reset();
        return this.clockMoved();
      case 'send-due':
        await this.delivery.run();
        return this.overview(null);
      case 'send-pending':
        this.requireDebugMode();
        await this.engine.hurry(this.clock.now());
        await this.delivery.run();
        return this.overview(null);
      case 'send-report':
        return this.sendReport(message.id);
      case 'force-state':
        this.requireDebugMode();
        await this.parts.forcedState.set(message.state);
        return this.overview(null);
      case 'register':
        return this.registerByHand(message);
      case 'set-limits':
        this.requireDebugMode();
        await this.parts.limits.set(message.limits);
        return this.overview(null);
      case 'export-scenario':
        return this.exportScenario(message.debug);
      case 'clear':
        return this.clear(message.scope ?? null);
      case 'undo-clear':
        await this.parts.erasing.undo();
        await this.delivery.run();
        return this.overview(null);
      case 'get-participation':
      case 'offer-trial':
      case 'accept':
      case 'decline':
      case 'withdraw':
      case 'forget-trial':
        return this.parts.participationMessages.answer(message);
      default:
        throw new Error(`there is no message ${JSON.stringify((message as { kind: unknown }).kind)}`);
    }
  }

  private async overview(site: string | null): Promise<Overview> {
    const nextReportTime = await this.engine.nextDue();
    const { paused, pausedSites, debug } = this.settings.current;
    const { standing, trial, agreedTrial } = this.parts.participation;
    const here = await this.store.read(async (tx) => {
      const count = (kind: LogEntry['kind']): Promise<number> =>
        tx.table('log').countWhere('kindAndSite', kindAndSiteKey(kind, site ?? ''));
      return {
        sources: await count('source'),
        triggers: await count('trigger'),
        refused: await count('refused'),
      };
    });
    const forced = debug.enabled ? this.parts.forcedState.current : null;
    return {
      now: this.clock.now(),
      clockAhead: this.clock.ahead,
      differences: [
        ...this.settings.differences(this.clock),
        ...(forced === null ? [] : [{ id: 'next-state-forced', state: String(forced) } as const]),
        ...(this.parts.limits.changed ? [{ id: 'limits-changed' } as const] : []),
      ],
      debugEnabled: debug.enabled,
      debug: effectiveDebug(this.settings.current),
      forcedState: forced === null ? null : String(forced),
      paused,
      pausedHere: pausedSites.includes(site ?? ''),
      standing,
      trial: trial === null ? null : inShort(trial),
      settingsLocked: agreedTrial !== null,
      nextReportTime,
      sources: await this.store.count('sources'),
      ...(await countedReports(this.store)),
      here,
    };
  }

  private async clear(scope: ErasingScope | null): Promise<Cleared> {
    const erased = await this.parts.erasing.erase(scope);
    await this.delivery.run();
    return { ...(await this.overview(null)), erased };
  }

  private async list({ table, limit, before }: Extract<PageMessage, { kind: 'list' }>): Promise<Json> {
    return toJson(
      await this.store.read((tx) => tx.table(table).latest(Math.min(limit, MOST_LISTED), before)),
    );
  }

  private async advanceClock(by: number | 'next-report' | 'next-window'): Promise<Overview> {
    this.requireDebugMode();
    const step = typeof by === 'number' ? by : await this.stepTo(by);
    if (!Number.isFinite(step))
      throw new Error(`by: must be milliseconds, "next-report" or "next-window", was ${by}`);
    await this.clock.advance(step);
    return this.clockMoved();
  }

  private async exportScenario(debug: boolean): Promise<Json> {
    const recorded = await this.store.read(async (tx) => ({
      log: await tx.table('log').latest(Infinity),
      reports: await tx.table('reports').latest(Infinity),
      finished: await tx.table('finished').latest(Infinity),
    }));
    const limits = this.parts.limits.current;
    return recordScenario(recorded, { settings: this.settings.current, limits, debug });
  }

  private async setClock(to: number, frozen: boolean): Promise<Overview> {
    this.requireDebugMode();
    if (!Number.isSafeInteger(to) || to < 0)
      throw new Error(`to: must be milliseconds since the epoch, a whole number, was ${to}`);
    await this.clock.setTo(moment(to), frozen);
    return this.clockMoved();
  }

  /** Handles everything that is due at the clock's new time. */
  private async clockMoved(): Promise<Overview> {
    await this.parts.recorder.settle();
    this.parts.participation.changed();
    await this.delivery.run();
    return this.overview(null);
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
    const ends = sources.flatMap((source) => windowEnds(source).filter((end) => end > now));
    return ends.length === 0 ? null : Math.min(...ends);
  }

  private async sendReport(id: number): Promise<Overview> {
    this.requireDebugMode();
    const found = await this.store.write((tx) => hurryReport(tx, id, this.clock.now()));
    if (!found) throw new Error(t('background_not_waiting', { id }));
    await this.delivery.run();
    return this.overview(null);
  }

  private async registerByHand({
    register,
    header,
    ...origins
  }: Extract<PageMessage, { kind: 'register' }>): Promise<Json> {
    this.requireDebugMode();
    const contextOrigin = originOfUrl(origins.contextOrigin);
    const reportingOrigin = originOfUrl(origins.reportingOrigin);
    for (const [name, origin] of Object.entries({ contextOrigin, reportingOrigin })) {
      if (origin === null) throw new Error(t('mistakes_origin', { name }));
    }
    if (contextOrigin === null || reportingOrigin === null) return null;
    const entry = await this.parts.recorder.byHand({
      occasion: { time: this.clock.now(), contextOrigin, reportingOrigin, via: 'by hand' },
      register: register === 'trigger' ? { kind: 'trigger' } : { kind: 'source', sourceType: register },
      header,
      fenced: false,
      reportHeaderErrors: false,
    });
    if (entry === null) throw new Error(t('background_not_recorded'));
    return toJson(entry);
  }

  private requireDebugMode(): void {
    if (!this.settings.current.debug.enabled) throw new Error(t('background_needs_debug_mode'));
  }
}

function inShort({ title, start, end }: Trial): Overview['trial'] {
  const { text, language } = forReader(title);
  return { title: text, titleLanguage: language, start, end };
}
