import type { Conditions, RegistrationEntry, Seen } from '../../../src/engine';
import type { Registration } from '../../../src/model/incoming-registration';
import type { ClickLack } from '../../../formats/codec/mistakes';
import type { DebugCondition } from '../../../src/model/facts';
import type { InternalId } from '../../../src/model/records';
import type { Site } from '../../../src/model/units';
import { resultOf, type RegistrationResult } from '../../../recording/decide-registration';
import { siteOf } from '../../../src/model/site';
import { originOfPlace } from '../../../recording/places';
import type { Transaction } from '../../../transactions/store';
import type { PreparedRegistration, StoredEngine } from '../../../transactions/stored-engine';
import type { IdbStore } from '../../store/idb-store';
import type { Badge } from '../state/badge';
import type { Clock } from '../state/clock';
import type { DebugLimits } from '../state/debug-limits';
import type { ForcedState } from './forced-state';
import type { DecidedRow, Inbox } from './inbox';
import { NavigationScopes } from './navigation-scopes';
import type { Requester } from '../../../recording/requests';
import type { Documents } from '../documents/documents';
import type { RequestLog } from '../documents/request-log';
import type { Asked } from '../state/asked';
import type { SettingsHolder } from '../state/settings';

export interface RegistrarParts {
  readonly store: IdbStore;
  readonly inbox: Inbox;
  readonly engine: StoredEngine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly forcedState: ForcedState;
  readonly badge: Pick<Badge, 'count'>;
  readonly documents: Pick<Documents, 'wasLeft'>;
  readonly limits: DebugLimits;
  readonly requests: Pick<RequestLog, 'declared' | 'decided'>;
  /** What the click of a navigation lacked, by the browser's id of its request. */
  readonly lackOf: (requestId: string) => ClickLack;
  /** Resolves once what was spent counts under the settings in force. */
  readonly accountsKept: () => Promise<void>;
  /** Registers a source that is in a lift test with its arm. */
  readonly inLiftTest: <T>(
    registration: Registration,
    register: (registration: Registration) => Promise<T>,
  ) => Promise<T>;
  /** Called when a registration has changed what is to be sent. */
  readonly onReports: () => void;
}

/** Registers under the conditions in force, unless the site is paused or has too much stored already. */
export class Registrar {
  private readonly scopes = new NavigationScopes();

  constructor(private readonly parts: RegistrarParts) {}

  /** Registers what a response says. When this resolves, its row is not needed any more. */
  async response(row: DecidedRow): Promise<void> {
    const { id, response, decided } = row;
    // It was erased while it waited.
    if (!this.parts.inbox.has(id)) return;
    const { headers, reportingOrigin, startedOn, time } = response;
    let entry: InternalId | null = null;
    try {
      const lack = this.parts.lackOf(response.requestId);
      const result = resultOf(response, decided, lack);
      if (result !== null)
        entry = await this.decided(row, this.withOneSetOfScopes(decided.navigation, result));
    } catch (error) {
      console.error('Cointoss could not register', error);
      const contextOrigin = originOfPlace(decided.place) ?? startedOn;
      const header = headers.source ?? headers.trigger ?? '';
      if (contextOrigin !== undefined)
        entry = await this.failed(
          { occasion: { time, contextOrigin, reportingOrigin, via: 'header' }, header },
          id,
        );
    }
    this.parts.requests.decided(response, decided, entry);
  }

  /** @returns the id of the log entry; null when nothing was recorded */
  private async decided(
    { id, response }: DecidedRow,
    result: RegistrationResult,
  ): Promise<InternalId | null> {
    if (result.kind === 'ignored') return this.ignore(result, id);
    const entry = await this.one(result.registration, id);
    if (entry === null) return null;
    const { requestId, requester, kind, prerenderedIn } = response;
    // A page that was prepared is shown by now.
    this.count(requester, kind === 'navigation' && prerenderedIn === undefined ? requestId : null);
    return entry.id;
  }

  /**
   * Counts a registration on the button, which shows the tab's present page.
   * @param navigation the browser's id of the request that led to another page; null: a page's own
   */
  count({ tabId, documentId }: Pick<Requester, 'tabId' | 'documentId'>, navigation: string | null): void {
    if (navigation !== null || !this.parts.documents.wasLeft(documentId))
      this.parts.badge.count(tabId, navigation);
  }

  /** Registers what a rule found, or a person wrote. @returns null when the site is paused or has no room, or it was erased */
  async byHand(registration: Registration, asked: Asked): Promise<RegistrationEntry | null> {
    try {
      return await this.one(registration, asked);
    } catch (error) {
      await this.failed(registration, asked);
      throw error;
    }
  }

  /** Logs what fails as ignored. Tried again, it would fail again. */
  private async failed(
    { occasion, header }: Pick<Registration, 'occasion' | 'header'>,
    waiting: number | Asked,
  ): Promise<InternalId | null> {
    return this.ignore({ occasion, header, reason: { code: 'not-recorded', values: {} } }, waiting);
  }

  private withOneSetOfScopes(navigation: string | undefined, result: RegistrationResult): RegistrationResult {
    if (navigation === undefined || result.kind === 'ignored') return result;
    const { registration } = result;
    return this.scopes.allow(navigation, registration, this.parts.limits.current)
      ? result
      : { kind: 'ignored', ...registration, reason: { code: 'other-scopes', values: {} } };
  }

  /**
   * Logs that something registers nothing, and why.
   * @returns the id of the entry; null if the site is paused by now, or what waited was erased
   */
  ignore(seen: Seen, waiting: number | Asked): Promise<InternalId | null> {
    const { store, engine, settings, clock } = this.parts;
    return store.writeSoon((tx) =>
      this.begin(tx, seen, waiting) ? engine.ignoreIn(tx, seen, settings.differences(clock)) : null,
    );
  }

  /**
   * Notes that a row is registered in this transaction.
   * @param waiting a row's id; without a row, when it was asked for
   * @returns false if its site is paused by now, or if it was registered before, or erased while it waited, as when a person joined a trial
   */
  private begin(tx: Transaction, seen: Pick<Seen, 'occasion'>, waiting: number | Asked): boolean {
    const { store, inbox, settings } = this.parts;
    if (settings.isPaused(siteOf(seen.occasion.contextOrigin))) return false;
    if (typeof waiting !== 'number') return !inbox.erasures.cover(waiting, seen);
    return inbox.has(waiting) && store.noteRegistered(tx, waiting);
  }

  /**
   * Looks and registers in one transaction, because each waits for the writers before it.
   * @param waiting as of `begin`
   * @returns null when the site is paused or has no room, or when what waited was erased
   */
  private async one(given: Registration, waiting: number | Asked): Promise<RegistrationEntry | null> {
    await this.parts.accountsKept();
    if (this.parts.settings.isPaused(siteOf(given.occasion.contextOrigin))) return null;
    return this.parts.inLiftTest(given, (registration) => this.stored(registration, waiting));
  }

  private async stored(
    registration: Registration,
    waiting: number | Asked,
  ): Promise<RegistrationEntry | null> {
    const { store, engine, settings, clock, forcedState } = this.parts;
    const site = siteOf(registration.occasion.contextOrigin);
    const conditions = this.conditionsFor(registration);
    // Debug reports, including those about malformed headers, leave only if the person allows debugging.
    const reportHeaderErrors = registration.reportHeaderErrors && conditions.debugAllowed;
    const prepare = (given: Conditions): PreparedRegistration =>
      engine.prepare({ ...registration, reportHeaderErrors }, given);
    const full = prepare(conditions);
    // Prepared once: fresh words after a failed transaction would be another chance.
    let lean: PreparedRegistration | null = null;
    let prepared = full;
    const made = await store.writeSoon(async (tx) => {
      if (!this.begin(tx, registration, waiting)) return null;
      if (!(await this.hasRoom(tx, site, registration))) {
        const reason = { code: 'no-room', values: {} } as const;
        await engine.ignoreIn(tx, { ...registration, reason }, settings.differences(clock));
        return null;
      }
      prepared = (await store.hasRoom(tx, site, 'conversions'))
        ? full
        : (lean ??= prepare(withoutMore(conditions, registration)));
      const entry = await prepared.registerIn(tx);
      return { entry, mayBeSent: tx.hasChanged('reports') || tx.hasChanged('undrawn') };
    }, full.needs);
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

  /** Whether a source finds room. When expired ones were deleted depends on what was sent, so they must not count. */
  private async hasRoom(tx: Transaction, site: Site, { register, occasion }: Registration): Promise<boolean> {
    const { store, engine } = this.parts;
    // Nothing that a trigger makes is counted with sources.
    if (register.kind === 'trigger' || (await store.hasRoom(tx, site, 'sources'))) return true;
    await engine.deleteExpiredIn(tx, occasion.time);
    return store.hasRoom(tx, site, 'sources');
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

/** Only with event-level reports: the site has no room for others. What those say does not change. */
const withoutMore = (conditions: Conditions, { register }: Registration): Conditions => ({
  ...conditions,
  debugAllowed: false,
  measurement: {
    ...conditions.measurement,
    // That of a source says only whether it may make some later.
    aggregatableReports: register.kind === 'source' && conditions.measurement.aggregatableReports,
  },
});
