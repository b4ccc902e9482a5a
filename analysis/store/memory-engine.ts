import { decideWindow } from '../../src/attribution/close-windows';
import {
  decideRegistration,
  parseRegistration,
  type Conditions,
  type RegistrationEntry,
} from '../../src/attribution/register';
import { deleteSources } from '../../src/attribution/remove-sources';
import type { Environment } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { DeliveryOutcome, InternalId, Report } from '../../src/model/records';
import type { DeliveryProfile } from '../../src/reports/next-step';
import { moment, type Moment } from '../../src/model/units';
import { shuffle } from '../../src/privacy/uniform';
import { decideAttempt } from '../../src/reports/attempt';
import type { Draft } from '../../src/store/draft';
import { isSweepDue } from '../../src/store/expired';
import { Trace, unread } from '../../src/trace';
import { Caches } from '../../src/work';
import type { MemoryStore } from './memory-store';

/** The part of `Engine` that a replay needs, without promises: everything is in memory. */
export class MemoryEngine {
  /** When expired rows were last deleted. */
  private swept: Moment = moment(0);

  private readonly newTrace: () => Trace;
  private readonly caches: Caches;

  /** @param environment `checks`: `unread` if nobody reads those of log entries; left out: they are kept. */
  constructor(
    private readonly environment: Omit<Environment, 'store'> & {
      readonly store: MemoryStore;
      readonly checks?: 'unread';
    },
  ) {
    this.newTrace = environment.checks === 'unread' ? () => unread : () => new Trace();
    this.caches = environment.caches ?? new Caches();
  }

  /** See `Engine.register`. */
  register(registration: Registration, conditions: Conditions): RegistrationEntry {
    const { store, limits, random } = this.environment;
    const { occasion, register } = registration;
    const parsed = parseRegistration(registration, limits, this.caches);
    return store.decide((draft) => {
      if (
        register.kind === 'source' &&
        isSweepDue(this.swept, occasion.time, draft.get('originUse', occasion.contextOrigin), limits)
      )
        this.deleteExpired(draft, occasion.time);
      return decideRegistration(
        { draft, limits, random, trace: this.newTrace(), caches: this.caches },
        parsed,
        registration,
        conditions,
      );
    });
  }

  private deleteExpired(draft: Draft, now: Moment): void {
    const { store } = this.environment;
    const expired = store.upTo('sources', 'expiryTime', now - 1).map(({ id }) => id);
    if (expired.length > 0) deleteSources(draft, expired);
    for (const { id } of store.upTo('spends', 'end', now)) draft.delete('spends', id);
    this.swept = now;
  }

  /** See `Engine.due`. */
  due(now: Moment): readonly Report[] {
    const { store, limits, random } = this.environment;
    for (const { id } of store.upTo('undrawn', 'closesAt', now))
      store.decide((draft) => decideWindow({ draft, limits, random, caches: this.caches }, id, now));
    const reports = store.upTo('reports', 'nextAttempt', now);
    return reports.length < 2 ? reports : shuffle(random(0), reports);
  }

  /** See `Engine.nextDue`. */
  nextDue(): Moment | null {
    const { store } = this.environment;
    const sending = store.first('reports', 'nextAttempt')?.nextAttempt ?? null;
    const drawing = store.first('undrawn', 'closesAt')?.closesAt ?? null;
    return drawing === null || (sending !== null && sending < drawing) ? sending : drawing;
  }

  /** See `Engine.recordAttempt`. */
  recordAttempt(id: InternalId, outcome: DeliveryOutcome, profile: DeliveryProfile, now: Moment): void {
    const { store, limits } = this.environment;
    store.decide((draft) => decideAttempt({ draft, limits }, id, outcome, profile, now));
  }
}
