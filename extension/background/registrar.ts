import type { Conditions, Engine, RegistrationEntry } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { DebugCondition } from '../../src/model/facts';
import type { Decided, UndecidedResponse } from '../../src/model/requests';
import { decideRegistration } from '../../src/recording/decide-registration';
import { siteOf } from '../../src/parsing/site';
import type { Transaction } from '../../src/store/store';
import type { IdbStore } from '../store/idb-store';
import type { Badge } from './badge';
import type { Clock } from './clock';
import type { DebugLimits } from './debug-limits';
import type { ForcedState } from './forced-state';
import type { SettingsHolder } from './settings';

/** Further work in the same transaction. */
type Alongside = (tx: Transaction) => Promise<void>;

const nothing: Alongside = () => Promise.resolve();

export interface RegistrarParts {
  readonly store: IdbStore;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly forcedState: ForcedState;
  readonly badge: Badge;
  readonly limits: DebugLimits;
  /** Called when there may be something new to send. */
  readonly onRegistered: () => void;
}

/** Registers under the conditions in force, unless the site is paused or has too much stored already. */
export class Registrar {
  constructor(private readonly parts: RegistrarParts) {}

  /** Registers what a stored response says, and deletes it in the same transaction. */
  async response(response: UndecidedResponse): Promise<void> {
    const { store } = this.parts;
    // It may have been erased while it waited, as when a person joined a trial.
    const isThere = await store.read((tx) => tx.table('undecidedResponses').get(response.id));
    if (isThere !== undefined)
      await this.decided(response, response.decided, (tx) =>
        tx.table('undecidedResponses').delete(response.id),
      );
  }

  private async decided(
    response: UndecidedResponse,
    decided: Decided | null,
    alongside: Alongside,
  ): Promise<void> {
    // A trigger on a redirect hop of a navigation is on no page, so it cannot convert.
    if (decided?.contextOrigin == null) return this.parts.store.write(alongside);
    const { eligibility, contextOrigin, obstacle } = decided;
    const result = decideRegistration({ ...response, eligibility, contextOrigin, obstacle, fenced: false });
    if (result.kind === 'register') {
      const entry = await this.one(result.registration, alongside);
      if (entry !== null) this.parts.badge.count(response.tabId, response.kind === 'navigation');
      return;
    }
    if (this.parts.settings.isPaused(siteOf(contextOrigin))) return this.parts.store.write(alongside);
    await this.ignore(result, alongside);
  }

  /** Logs that something registers nothing, and why. */
  ignore(seen: Parameters<Engine['ignore']>[0], alongside: Alongside = nothing): Promise<void> {
    const { engine, settings, clock } = this.parts;
    return engine.ignore(seen, settings.differences(clock), alongside);
  }

  /**
   * @param alongside done in the same transaction, or alone when nothing is recorded
   * @returns null when the site is paused or has no room
   */
  async one(registration: Registration, alongside: Alongside = nothing): Promise<RegistrationEntry | null> {
    const site = siteOf(registration.occasion.contextOrigin);
    if (this.parts.settings.isPaused(site)) {
      await this.parts.store.write(alongside);
      return null;
    }
    if (registration.register.kind === 'source' && !(await this.parts.store.hasRoom(site))) {
      await this.ignore({ ...registration, reason: { code: 'no-room', values: {} } }, alongside);
      return null;
    }
    const conditions = this.conditionsFor(registration);
    // Debug reports, including those about malformed headers, leave only if the person allows debugging.
    const reportHeaderErrors = registration.reportHeaderErrors && conditions.debugAllowed;
    const entry = await this.parts.engine.register(
      { ...registration, reportHeaderErrors },
      conditions,
      alongside,
    );
    const isStored = entry.kind === 'source' && entry.decision.kind === 'stored';
    if (isStored && conditions.noise.kind === 'forced') await this.parts.forcedState.used();
    this.parts.onRegistered();
    return entry;
  }

  private conditionsFor(registration: Registration): Conditions {
    const { settings, clock, limits, forcedState } = this.parts;
    const conditions = settings.conditions(clock);
    const debug: DebugCondition[] = [...conditions.debug];
    if (limits.changed) debug.push({ id: 'limits-changed' });
    const noise = settings.current.debug.enabled ? forcedState.noiseFor(registration, limits.current) : null;
    return noise === null
      ? { ...conditions, debug }
      : { ...conditions, noise, debug: [...debug, { id: 'state-forced' }] };
  }
}
