import {
  Engine,
  expiredRows,
  expiry,
  hurrying,
  ignored,
  postponement,
  resumption,
  sendingOrder,
  spreading,
  type Conditions,
  type Environment,
  type RegistrationEntry,
  type Seen,
} from '../src/engine';
import type { DebugCondition } from '../src/model/facts';
import type { Registration } from '../src/model/incoming-registration';
import type { Json } from '../src/model/json';
import type { DeliveryOutcome, InternalId, Report } from '../src/model/records';
import { milliseconds, type Duration, type Moment } from '../src/model/units';
import type { DeliveryProfile } from '../src/reports/next-step';
import { latestTry } from '../src/reports/reschedule';
import type { Need } from '../src/store/draft';
import type { Operation, RandomStreams } from '../src/work';
import { repeatedRandom } from './repeated-random';
import type { Store, Transaction } from './store';

/** What an engine with a store depends on. */
export interface StoredEnvironment extends Environment {
  readonly store: Store;
  readonly random: RandomStreams;
  /** Within how long overdue reports leave; a minute unless given. */
  readonly longestOfflineDelay?: Duration;
}

/** A registration with its random words. */
export interface PreparedRegistration {
  /** What it looks at in any case. */
  readonly needs: readonly Need[];
  /** Processes it within a transaction of the engine's store; if that fails, in another, with the same words. */
  readonly registerIn: (tx: Transaction) => Promise<RegistrationEntry>;
  /** Call it when that transaction is complete. */
  readonly completed: () => void;
}

/** The engine with a store: each of its operations is one transaction, or part of one that it is given. */
export class StoredEngine {
  private readonly engine: Engine;

  constructor(private readonly environment: StoredEnvironment) {
    this.engine = new Engine(environment);
  }

  /** See `Engine.registration`. */
  async register(registration: Registration, conditions: Conditions): Promise<RegistrationEntry> {
    const { registerIn, completed } = this.prepare(registration, conditions);
    const entry = await this.environment.store.write(registerIn);
    completed();
    return entry;
  }

  /** As `register`, for a transaction that others share. */
  prepare(registration: Registration, conditions: Conditions): PreparedRegistration {
    const operation = this.engine.registration(registration, conditions);
    return { needs: operation.needs(), registerIn: this.within(operation), completed: operation.completed };
  }

  /** Logs within a transaction that a header registers nothing, and why. @returns the id of the entry */
  ignoreIn(tx: Transaction, seen: Seen, debug: readonly DebugCondition[]): Promise<InternalId> {
    return this.within(ignored(seen, debug))(tx);
  }

  /** Deletes, within a transaction, what nothing depends on any more. */
  deleteExpiredIn(tx: Transaction, now: Moment): Promise<void> {
    return this.within(expiry(now))(tx);
  }

  /** The reports to send by `now`, in random order. Draws due outputs first. */
  async due(now: Moment): Promise<readonly Report[]> {
    await this.closeWindows(now, now);
    const { store, random } = this.environment;
    return sendingOrder(await store.read((tx) => tx.table('reports').upTo('nextAttempt', now)), random);
  }

  /** The waiting report; undefined if it no longer waits. */
  pending(id: InternalId): Promise<Report | undefined> {
    return this.environment.store.read((tx) => tx.table('reports').get(id));
  }

  /** The first time after `after` at which a report is tried or an output is drawn; null: none. */
  async nextDue(after = -Infinity): Promise<Moment | null> {
    return this.environment.store.read(async (tx) => {
      const report = await tx.table('reports').first('nextAttempt', after);
      const undrawn = await tx.table('undrawn').first('closesAt', after);
      const [sending, drawing] = [report?.nextAttempt ?? null, undrawn?.closesAt ?? null];
      return drawing === null || (sending !== null && sending < drawing) ? sending : drawing;
    });
  }

  /** See `Engine.attempt`. */
  recordAttempt(
    id: InternalId,
    outcome: DeliveryOutcome,
    profile: DeliveryProfile,
    now: Moment,
    sent?: Json,
  ): Promise<void> {
    return this.run(this.engine.attempt(id, outcome, profile, now, sent));
  }

  /** Puts off the next try of a report, because its server does not answer. */
  postpone(id: InternalId, until: Moment): Promise<void> {
    return this.run(postponement(id, until));
  }

  /**
   * Delays each overdue report by a random time.
   * @param tolerance how long ago a report may have come due and still count as on time.
   */
  async spreadOverdue(now: Moment, tolerance: Duration = milliseconds(0)): Promise<void> {
    await this.closeWindows(now, now);
    await this.run(spreading(now - tolerance, now, this.environment.longestOfflineDelay));
  }

  /** Resets reports whose retry was scheduled far in the future because the clock was ahead: each is due at its original time again. */
  async resumePutOff(now: Moment): Promise<void> {
    const putOff = await this.environment.store.read((tx) =>
      tx.table('reports').first('nextAttempt', latestTry(now)),
    );
    if (putOff !== undefined) await this.run(resumption(now));
  }

  /** Makes all pending reports due at `now`. */
  async hurry(now: Moment): Promise<void> {
    await this.closeWindows(Infinity, now);
    await this.run(hurrying(now));
  }

  /** See `expiry`. */
  async deleteExpiredSources(now: Moment): Promise<void> {
    // Reads first: this runs after each registration, and a write would delay the next registration until it is on the disk.
    const expired = await this.environment.store.read((tx) =>
      Promise.all(
        // Each index is one of that table; TypeScript cannot say so.
        expiredRows(now).map(({ of, index, upTo }) => tx.table(of as 'spends').upTo(index as 'end', upTo)),
      ),
    );
    if (expired.some((rows) => rows.length > 0)) await this.run(expiry(now));
  }

  private async closeWindows(end: number, now: Moment): Promise<void> {
    // Reads first: a window rarely closes, and a read does not wait for writers.
    const closed = await this.environment.store.read((tx) => tx.table('undrawn').upTo('closesAt', end));
    for (const { id } of closed) await this.run(this.engine.window(id, now));
  }

  private run<T>(operation: Operation<T>): Promise<T> {
    return this.environment.store.write(this.within(operation));
  }

  /** @returns a function that carries the operation out in a transaction. If that fails, call it with another: the random words are the same. */
  private within<T>({ needs, decide }: Operation<T>): (tx: Transaction) => Promise<T> {
    // Fresh words after a failed transaction would be another chance for outputs that are too large to be stored.
    const draw = repeatedRandom(this.environment.random);
    let stream: InternalId | null = null;
    return (tx) =>
      tx.decide(needs(), (draft) => {
        const words = draw();
        // In another transaction a registration may get another id.
        return decide(draft, (id) => words((stream ??= id)));
      });
  }
}
