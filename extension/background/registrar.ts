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
import { siteOf } from '../../src/model/site';
import { originOfPlace } from '../../recording/places';
import type { Need } from '../../src/store/draft';
import type { Transaction } from '../../src/store/store';
import type { IdbStore } from '../store/idb-store';
import type { Badge } from './badge';
import type { Clock } from './clock';
import type { DebugLimits } from './debug-limits';
import type { ForcedState } from './forced-state';
import { NavigationScopes } from './navigation-scopes';
import type { RequestLog } from './request-log';
import type { SettingsHolder } from './settings';

/** What is registered, as far as the database is concerned. */
interface Stored {
  /** What `isThere` looks at. */
  readonly needs: readonly Need[];
  /** Whether it may still be registered. */
  readonly isThere: (tx: Transaction) => Promise<boolean>;
  /** Done in the transaction that registers it, or else alone. */
  readonly forget: (tx: Transaction) => void;
}

/** It was stored nowhere before. */
const unstored: Stored = { needs: [], isThere: () => Promise.resolve(true), forget: () => undefined };

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
    const stored: Stored = {
      needs: [{ of: 'undecidedResponses', id }],
      // It may have been erased while it waited, as when a person joined a trial.
      isThere: (tx) => tx.table('undecidedResponses').has(id),
      forget: (tx) => tx.table('undecidedResponses').delete(id),
    };
    if (decided === null) return store.writeSoon(stored.forget);
    const tell = (entry: InternalId | null): void => this.parts.requests.decided(response, decided, entry);
    // A trigger on a redirect hop of a navigation is on no page, so it cannot convert.
    const { place } = decided;
    if (place.kind === 'redirect') {
      await store.writeSoon(stored.forget);
      tell(null);
      return;
    }
    const seen = {
      occasion: { time, contextOrigin: originOfPlace(place), reportingOrigin, via: 'header' },
      header: headers.source ?? headers.trigger ?? '',
    };
    const entry = await this.orIgnore(seen, stored, () =>
      this.decided({ ...response, ...decided, place, fenced: false }, stored),
    );
    tell(entry);
  }

  /** @returns the id of the log entry; null when nothing was recorded */
  private async decided(
    response: DecidedResponse & Pick<UndecidedResponse, 'kind' | 'tabId'> & Pick<Decided, 'navigation'>,
    stored: Stored,
  ): Promise<InternalId | null> {
    const result = this.withOneSetOfScopes(response.navigation, decideRegistration(response));
    if (result.kind === 'register') {
      const entry = await this.one(result.registration, stored);
      if (entry === null) return null;
      this.parts.badge.count(response.tabId, response.kind === 'navigation');
      return entry.id;
    }
    if (!this.parts.settings.isPaused(siteOf(result.occasion.contextOrigin)))
      return this.ignore(result, stored);
    await this.parts.store.writeSoon(stored.forget);
    return null;
  }

  /** Registers what a rule found, or a person wrote. @returns null when the site is paused or has no room */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    return this.orIgnore(registration, unstored, () => this.one(registration, unstored));
  }

  /** Logs what fails as ignored. Tried again, it would fail again. */
  private async orIgnore<T>(
    { occasion, header }: Pick<Registration, 'occasion' | 'header'>,
    stored: Stored,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.ignore({ occasion, header, reason: { code: 'not-recorded', values: {} } }, stored);
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

  /** Logs that something registers nothing, and why. @returns the id of the entry; null if it is no longer there */
  ignore(
    seen: Parameters<Engine['ignoreIn']>[1],
    { needs, isThere, forget }: Stored = unstored,
  ): Promise<InternalId | null> {
    const { store, engine, settings, clock } = this.parts;
    return store.writeSoon(async (tx) => {
      if (!(await isThere(tx))) return null;
      forget(tx);
      return engine.ignoreIn(tx, seen, settings.differences(clock));
    }, needs);
  }

  /**
   * Looks and registers in one transaction, because each waits for the writers before it.
   * @returns null when the site is paused or has no room, or when it is no longer there
   */
  private async one(
    registration: Registration,
    { needs, isThere, forget }: Stored,
  ): Promise<RegistrationEntry | null> {
    const { store, engine, settings, clock, forcedState } = this.parts;
    const site = siteOf(registration.occasion.contextOrigin);
    if (settings.isPaused(site)) {
      await store.writeSoon(forget);
      return null;
    }
    const conditions = this.conditionsFor(registration);
    // Debug reports, including those about malformed headers, leave only if the person allows debugging.
    const reportHeaderErrors = registration.reportHeaderErrors && conditions.debugAllowed;
    const prepared = engine.prepare({ ...registration, reportHeaderErrors }, conditions);
    const made = await store.writeSoon(
      async (tx) => {
        if (!(await isThere(tx))) return null;
        forget(tx);
        if (!(await store.hasRoom(tx, site))) {
          const reason = { code: 'no-room', values: {} } as const;
          engine.ignoreIn(tx, { ...registration, reason }, settings.differences(clock));
          return null;
        }
        const entry = await prepared.registerIn(tx);
        return { entry, mayBeSent: tx.hasChanged('reports') || tx.hasChanged('undrawn') };
      },
      [...needs, ...prepared.needs],
    );
    if (made === null) return null;
    prepared.completed();
    const { entry, mayBeSent } = made;
    const isStored = entry.kind === 'source' && entry.decision.kind === 'stored';
    if (isStored && conditions.noise.kind === 'forced') await forcedState.used();
    if (entry.kind === 'trigger') forcedState.nullReportDays = null;
    // Nearly all registrations make no report. To look for one takes four transactions, and each keeps the next registration waiting.
    if (mayBeSent) this.parts.onReports();
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
