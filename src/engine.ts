import { decideWindow } from './attribution/close-windows';
import { deleteExpired, isSweepDue } from './attribution/expiry';
import {
  decideRegistration,
  needsOf,
  parseRegistration,
  type Conditions,
  type RegistrationEntry,
} from './attribution/register';
import type { Occasion } from './model/decision';
import type { DebugCondition } from './model/facts';
import type { Registration } from './model/incoming-registration';
import type { IgnoredReason } from '../formats/codec/mistakes';
import type { Json } from './model/json';
import type { Limits } from './model/limits';
import type { DeliveryOutcome, InternalId } from './model/records';
import type { Moment } from './model/units';
import { keptHeader } from '../formats/registration/header';
import { siteOf } from './model/site';
import { decideAttempt } from './reports/attempt';
import type { DeliveryProfile } from './reports/next-step';
import { Trace, unread } from './trace';
import { Caches, type Operation } from './work';

export { expiredRows, expiry } from './attribution/expiry';
export type { Conditions, RegistrationEntry } from './attribution/register';
export { hurrying, postponement, resumption, sendingOrder, spreading } from './reports/reschedule';

/** What the engine depends on. It reads no clock, draws no randomness and opens no database itself. */
export interface Environment {
  readonly limits: Limits;
  /** Left out: the engine makes new ones. Engines may share theirs. */
  readonly caches?: Caches;
  /** `unread`: nobody reads the checks of log entries, and they have none. */
  readonly checks?: 'unread';
}

/** The processing of a registration. */
export interface RegistrationOperation extends Operation<RegistrationEntry> {
  /** Call it when its transaction is complete. */
  readonly completed: () => void;
}

/** What happens to sources, triggers and reports. Each method gives an operation, which a transaction carries out. */
export class Engine {
  private readonly caches: Caches;

  constructor(private readonly environment: Environment) {
    this.caches = environment.caches ?? new Caches();
  }

  /** Validates and processes a registration (ARA, "process an attribution eligible response"). A malformed one is only logged. */
  registration(registration: Registration, conditions: Conditions): RegistrationOperation {
    const { limits, checks } = this.environment;
    const { caches } = this;
    const { occasion, register } = registration;
    const { time, contextOrigin } = occasion;
    const parsed = parseRegistration(registration, limits, caches);
    let swept: Moment | null = null;
    return {
      needs: () => needsOf(parsed, registration, conditions),
      decide: (draft, random) => {
        if (
          register.kind === 'source' &&
          isSweepDue(caches.swept.get(this), time, draft.get('originUse', contextOrigin), limits)
        ) {
          deleteExpired(draft, time, 'listed');
          swept = time;
        }
        const trace = checks === 'unread' ? unread : new Trace();
        return decideRegistration({ draft, limits, random, trace, caches }, parsed, registration, conditions);
      },
      completed: () => {
        // Not before: a transaction that fails has deleted nothing.
        if (swept !== null) caches.swept.set(this, swept);
      },
    };
  }

  /** Draws the output of a source whose window has ended, unless that was done. */
  window(id: InternalId, now: Moment): Operation<void> {
    const { caches } = this;
    const { limits } = this.environment;
    return {
      needs: () => (['undrawn', 'sourceReports', 'sources'] as const).map((of) => ({ of, id })),
      decide: (draft, random) => decideWindow({ draft, limits, random, caches }, id, now),
    };
  }

  /**
   * Records a try to send a report. A delivered report is finished; any other is retried or given up.
   * @param sent its body as it was sent, if it was completed for that.
   */
  attempt(
    id: InternalId,
    outcome: DeliveryOutcome,
    profile: DeliveryProfile,
    now: Moment,
    sent?: Json,
  ): Operation<void> {
    const { limits } = this.environment;
    return {
      needs: () => [{ of: 'reports', id }],
      decide: (draft) => decideAttempt({ draft, limits }, id, outcome, profile, now, sent),
    };
  }
}

/** Logs that a header registers nothing, and why. Decides the id of the entry. */
export const ignored = (
  { occasion, header, reason }: Seen,
  debug: readonly DebugCondition[],
): Operation<InternalId> => ({
  needs: () => [],
  decide: (draft) => {
    const id = draft.nextId('log');
    const contextSite = siteOf(occasion.contextOrigin);
    const common = { ...occasion, id, contextSite, ...keptHeader(header), checks: [], debug };
    draft.put('log', { ...common, kind: 'ignored', reason });
    return id;
  },
});

/** A header that registers nothing. */
export interface Seen {
  readonly occasion: Occasion;
  readonly header: string;
  readonly reason: IgnoredReason;
}
