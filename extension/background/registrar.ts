import type { Conditions, Engine, RegistrationEntry } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { DebugCondition } from '../../src/model/facts';
import type { InternalId } from '../../src/model/records';
import type { Decided, UndecidedResponse } from '../../src/model/requests';
import {
  decideRegistration,
  type DecidedResponse,
  type RegistrationResult,
} from '../../recording/decide-registration';
import { siteOf } from '../../src/parsing/site';
import type { Transaction } from '../../src/store/store';
import type { IdbStore } from '../store/idb-store';
import type { Badge } from './badge';
import type { Clock } from './clock';
import type { DebugLimits } from './debug-limits';
import type { ForcedState } from './forced-state';
import { NavigationScopes } from './navigation-scopes';
import type { RequestLog } from './request-log';
import type { SettingsHolder } from './settings';

/** Further work in the same transaction. */
type Alongside = (tx: Transaction) => void | Promise<void>;

const nothing: Alongside = () => undefined;

export interface RegistrarParts {
  readonly store: IdbStore;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly forcedState: ForcedState;
  readonly badge: Badge;
  readonly limits: DebugLimits;
  readonly requests: Pick<RequestLog, 'declared' | 'decided'>;
  /** Called when a registration has changed what is to be sent. */
  readonly onReports: () => void;
}

/** Registers under the conditions in force, unless the site is paused or has too much stored already. */
export class Registrar {
  private readonly scopes = new NavigationScopes();

  constructor(private readonly parts: RegistrarParts) {}

  /** Registers what a stored response says, and deletes it in the same transaction. */
  async response(response: UndecidedResponse): Promise<void> {
    const { store } = this.parts;
    const { id, decided, time, reportingOrigin, headers } = response;
    const contextOrigin = decided?.contextOrigin ?? null;
    // Together, because each waits for the writers before it.
    const [isThere, hasRoom] = await Promise.all([
      store.read((tx) => tx.table('undecidedResponses').has(id)),
      contextOrigin !== null && store.hasRoom(siteOf(contextOrigin)),
    ]);
    // It may have been erased while it waited, as when a person joined a trial.
    if (!isThere) return;
    const forget: Alongside = (tx) => tx.table('undecidedResponses').delete(id);
    if (decided === null) return store.write(forget);
    const tell = (entry: InternalId | null): void => this.parts.requests.decided(response, decided, entry);
    // A trigger on a redirect hop of a navigation is on no page, so it cannot convert.
    if (contextOrigin === null) {
      await store.write(forget);
      tell(null);
      return;
    }
    const seen = {
      occasion: { time, contextOrigin, reportingOrigin, via: 'header' },
      header: headers.source ?? headers.trigger ?? '',
    };
    const entry = await this.orIgnore(seen, forget, () =>
      this.decided({ ...response, ...decided, contextOrigin, fenced: false }, hasRoom, forget),
    );
    tell(entry);
  }

  /** @returns the id of the log entry; null when nothing was recorded */
  private async decided(
    response: DecidedResponse & Pick<UndecidedResponse, 'kind' | 'tabId'> & Pick<Decided, 'navigation'>,
    hasRoom: boolean,
    alongside: Alongside,
  ): Promise<InternalId | null> {
    const result = this.withOneSetOfScopes(response.navigation, decideRegistration(response));
    if (result.kind === 'register') {
      const entry = await this.one(result.registration, hasRoom, alongside);
      if (entry === null) return null;
      this.parts.badge.count(response.tabId, response.kind === 'navigation');
      return entry.id;
    }
    if (!this.parts.settings.isPaused(siteOf(response.contextOrigin))) return this.ignore(result, alongside);
    await this.parts.store.write(alongside);
    return null;
  }

  /** Registers what a rule found, or a person wrote. @returns null when the site is paused or has no room */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    return this.orIgnore(registration, nothing, async () => {
      const hasRoom = await this.parts.store.hasRoom(siteOf(registration.occasion.contextOrigin));
      return this.one(registration, hasRoom, nothing);
    });
  }

  /** Logs what fails as ignored. Tried again, it would fail again. */
  private async orIgnore<T>(
    { occasion, header }: Pick<Registration, 'occasion' | 'header'>,
    alongside: Alongside,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.ignore({ occasion, header, reason: { code: 'not-recorded', values: {} } }, alongside);
      throw error;
    }
  }

  private withOneSetOfScopes(navigation: string | undefined, result: RegistrationResult): RegistrationResult {
    if (navigation === undefined || result.kind === 'ignored') return result;
    const { registration } = result;
    return this.scopes.allow(navigation, registration, this.parts.limits.current)
      ? result
      : { kind: 'ignored', ...registration, reason: { code: 'other-scopes', values: {} } };
  }

  /** Logs that something registers nothing, and why. @returns the id of the entry */
  ignore(seen: Parameters<Engine['ignore']>[0], alongside: Alongside = nothing): Promise<InternalId> {
    const { engine, settings, clock } = this.parts;
    return engine.ignore(seen, settings.differences(clock), alongside);
  }

  /**
   * @param alongside done in the same transaction, or alone when nothing is recorded
   * @returns null when the site is paused or has no room
   */
  private async one(
    registration: Registration,
    hasRoom: boolean,
    alongside: Alongside,
  ): Promise<RegistrationEntry | null> {
    if (this.parts.settings.isPaused(siteOf(registration.occasion.contextOrigin))) {
      await this.parts.store.write(alongside);
      return null;
    }
    if (!hasRoom) {
      await this.ignore({ ...registration, reason: { code: 'no-room', values: {} } }, alongside);
      return null;
    }
    const conditions = this.conditionsFor(registration);
    // Debug reports, including those about malformed headers, leave only if the person allows debugging.
    const reportHeaderErrors = registration.reportHeaderErrors && conditions.debugAllowed;
    const changed = { reports: false };
    const entry = await this.parts.engine.register(
      { ...registration, reportHeaderErrors },
      conditions,
      async (tx) => {
        changed.reports = tx.hasChanged('reports') || tx.hasChanged('undrawn');
        await alongside(tx);
      },
    );
    const isStored = entry.kind === 'source' && entry.decision.kind === 'stored';
    if (isStored && conditions.noise.kind === 'forced') await this.parts.forcedState.used();
    if (entry.kind === 'trigger') this.parts.forcedState.nullReportDays = null;
    // Nearly all registrations make no report. To look for one takes four transactions, and each keeps the next registration waiting.
    if (changed.reports) this.parts.onReports();
    return entry;
  }

  private conditionsFor(registration: Registration): Conditions {
    const { settings, clock, limits, forcedState } = this.parts;
    const conditions = settings.conditions(clock);
    const debug: DebugCondition[] = [...conditions.debug];
    if (limits.changed) debug.push({ id: 'limits-changed' });
    if (!settings.current.debug.enabled) return { ...conditions, debug };
    const { nullReportDays } = forcedState;
    if (registration.register.kind === 'trigger' && nullReportDays !== null)
      return { ...conditions, nullReportDays, debug: [...debug, { id: 'null-reports-forced' }] };
    const noise = forcedState.noiseFor(registration, limits.current);
    return noise === null
      ? { ...conditions, debug }
      : { ...conditions, noise, debug: [...debug, { id: 'state-forced' }] };
  }
}
