import { decideWindow } from './attribution/close-windows';
import { countsOf, deleteSources } from './attribution/remove-sources';
import type { Occasion } from './model/decision';
import type { DebugCondition } from './model/facts';
import type { Registration } from './model/incoming-registration';
import type { IgnoredReason } from './model/mistakes';
import type { Json } from './model/json';
import type { Limits } from './model/limits';
import type { DeliveryOutcome, InternalId, Report } from './model/records';
import { after, milliseconds, moment, type Duration, type Moment } from './model/units';
import type { RandomSource } from './privacy/random-source';
import { repeatedRandom } from './privacy/repeated-random';
import { shuffle, uniformBelow } from './privacy/uniform';
import { keptHeader } from '../formats/registration/header';
import { siteOf } from './model/site';
import { decideAttempt } from './reports/attempt';
import { LONGEST_WAIT, MAX_OFFLINE_DELAY, type DeliveryProfile } from './reports/next-step';
import {
  decideRegistration,
  needsOf,
  parseRegistration,
  type Conditions,
  type RegistrationEntry,
} from './attribution/register';
import { Trace } from './trace';
import { Caches } from './work';
import type { Need } from './store/draft';
import { expired, isSweepDue, type Expired } from './store/expired';
import type { Store, Transaction } from './store/store';

export type { Conditions, RegistrationEntry } from './attribution/register';

/** What the engine depends on. It reads no clock, draws no randomness and opens no database itself. */
export interface Environment {
  readonly store: Store;
  readonly limits: Limits;
  /** Randomness for one registration. `stream` is different for each, so that a seeded source can be split. */
  readonly random: (stream: InternalId) => RandomSource;
  /** Can be another engine's; its own unless given. */
  readonly caches?: Caches;
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

/** Everything that happens to sources, triggers and reports. Each method is one storage transaction, or part of one that it is given. */
export class Engine {
  /** When expired rows were last deleted. */
  private swept: Moment = moment(0);
  private readonly caches: Caches;

  constructor(private readonly environment: Environment) {
    this.caches = environment.caches ?? new Caches();
  }

  /** Validates and processes a registration (ARA, "process an attribution eligible response"). A malformed one is only logged. */
  async register(registration: Registration, conditions: Conditions): Promise<RegistrationEntry> {
    const { registerIn, completed } = this.prepare(registration, conditions);
    const entry = await this.environment.store.write(registerIn);
    completed();
    return entry;
  }

  /** As `register`, for a transaction that others share. */
  prepare(registration: Registration, conditions: Conditions): PreparedRegistration {
    const { limits, random } = this.environment;
    const { occasion, register } = registration;
    const parsed = parseRegistration(registration, limits, this.caches);
    const needs = needsOf(parsed, registration, conditions);
    // Fresh words after a failed transaction would be another chance for outputs that are too large to be stored.
    const draw = repeatedRandom(random);
    let stream: InternalId | null = null;
    let swept: Moment | null = null;
    const registerIn = async (tx: Transaction): Promise<RegistrationEntry> => {
      const { time, contextOrigin } = occasion;
      const mustSweep =
        register.kind === 'source' &&
        isSweepDue(this.swept, time, await tx.table('originUse').get(contextOrigin), limits);
      if (mustSweep) {
        await this.deleteExpiredIn(tx, await expired(tx, time, 'visible'));
        swept = time;
      }
      return tx.decide(needs, (draft) => {
        const words = draw();
        return decideRegistration(
          // In another transaction it may get another id.
          { draft, limits, random: (id) => words((stream ??= id)), trace: new Trace(), caches: this.caches },
          parsed,
          registration,
          conditions,
        );
      });
    };
    const completed = (): void => {
      // Not before: a transaction that fails has deleted nothing.
      if (swept !== null) this.swept = swept;
    };
    return { needs, registerIn, completed };
  }

  /** Logs within a transaction that a header registers nothing, and why. @returns the id of the entry */
  ignoreIn(
    tx: Transaction,
    seen: { readonly occasion: Occasion; readonly header: string; readonly reason: IgnoredReason },
    debug: readonly DebugCondition[],
  ): InternalId {
    const { occasion, header, reason } = seen;
    const contextSite = siteOf(occasion.contextOrigin);
    const common = { ...occasion, id: tx.nextId(), contextSite, ...keptHeader(header), checks: [], debug };
    tx.table('log').put({ ...common, kind: 'ignored', reason });
    return common.id;
  }

  /** The reports to send by `now`, in random order (ARA, "queue reports for delivery"). Draws due outputs first. */
  async due(now: Moment): Promise<Report[]> {
    await this.closeWindows(now, now);
    const reports = await this.environment.store.read((tx) => tx.table('reports').upTo('nextAttempt', now));
    return reports.length < 2 ? reports : shuffle(this.environment.random(0), reports);
  }

  /** Whether the report still waits to be sent. */
  async isPending(id: InternalId): Promise<boolean> {
    return (await this.environment.store.read((tx) => tx.table('reports').get(id))) !== undefined;
  }

  /** When, after a time, the next report is to be tried or the next output drawn; null if never. */
  async nextDue(after = -Infinity): Promise<Moment | null> {
    return this.environment.store.read(async (tx) => {
      const report = await tx.table('reports').first('nextAttempt', after);
      const undrawn = await tx.table('undrawn').first('closesAt', after);
      const [sending, drawing] = [report?.nextAttempt ?? null, undrawn?.closesAt ?? null];
      return drawing === null || (sending !== null && sending < drawing) ? sending : drawing;
    });
  }

  /**
   * Records a try to send a report. A delivered report is finished; any other is retried or given up.
   * @param sent its body as it was sent, if it was completed for that.
   */
  recordAttempt(
    id: InternalId,
    outcome: DeliveryOutcome,
    profile: DeliveryProfile,
    now: Moment,
    sent?: Json,
  ): Promise<void> {
    const { store, limits } = this.environment;
    return store.write((tx) =>
      tx.decide([{ of: 'reports', id }], (draft) =>
        decideAttempt({ draft, limits }, id, outcome, profile, now, sent),
      ),
    );
  }

  /** Puts off the next try of a report, because its server does not answer. */
  postpone(id: InternalId, until: Moment): Promise<void> {
    return this.environment.store.write(async (tx) => {
      const report = await tx.table('reports').get(id);
      if (report !== undefined) tx.table('reports').put({ ...report, nextAttempt: until });
    });
  }

  /**
   * Delays each overdue report by a random time, so that reports do not show by their arrival that they belong together (ARA, "queue reports
   * for delivery").
   * @param tolerance how long ago a report may have come due and still count as on time.
   */
  async spreadOverdue(now: Moment, tolerance: Duration = milliseconds(0)): Promise<void> {
    await this.closeWindows(now, now);
    const { longestOfflineDelay = MAX_OFFLINE_DELAY } = this.environment;
    const random = this.environment.random(0);
    await this.reschedule(now - tolerance, () =>
      after(now, milliseconds(Number(uniformBelow(random, BigInt(longestOfflineDelay) + 1n)))),
    );
  }

  /** Makes those reports due when they were to be sent whose next try a clock that was ahead has put off: by years, perhaps. */
  async resumePutOff(now: Moment): Promise<void> {
    const latest = now + LONGEST_WAIT;
    const putOff = await this.environment.store.read((tx) =>
      tx.table('reports').first('nextAttempt', latest),
    );
    if (putOff === undefined) return;
    await this.reschedule(Infinity, ({ nextAttempt, reportTime }) =>
      // Not at once: it may have been tried before its window had ended.
      nextAttempt > latest && reportTime <= latest ? reportTime : nextAttempt,
    );
  }

  /** Makes all pending reports due at `now`, whatever their window (WebDriver's "send pending reports"). */
  async hurry(now: Moment): Promise<void> {
    await this.closeWindows(Infinity, now);
    await this.reschedule(Infinity, ({ nextAttempt }) => (nextAttempt > now ? now : nextAttempt));
  }

  /** Sets when each report is tried next that was to be tried by `last`. */
  private async reschedule(last: number, nextAttemptOf: (report: Report) => Moment): Promise<void> {
    await this.environment.store.write(async (tx) => {
      const table = tx.table('reports');
      for (const report of await table.upTo('nextAttempt', last)) {
        const nextAttempt = nextAttemptOf(report);
        if (nextAttempt !== report.nextAttempt) table.put({ ...report, nextAttempt });
      }
    });
  }

  private async closeWindows(end: number, now: Moment): Promise<void> {
    const { store, limits, random } = this.environment;
    // A read first: there is rarely one, and a read does not wait for writers.
    const closed = await store.read((tx) => tx.table('undrawn').upTo('closesAt', end));
    for (const { id } of closed) {
      const draw = repeatedRandom(random);
      const needs = (['undrawn', 'sourceReports', 'sources'] as const).map((of) => ({ of, id }));
      await store.write((tx) =>
        tx.decide(needs, (draft) => {
          decideWindow({ draft, limits, random: draw(), caches: this.caches }, id, now);
        }),
      );
    }
  }

  /** Deletes sources whose expiry has passed, and what no limit and no budget counts any more. */
  async deleteExpiredSources(now: Moment): Promise<void> {
    const { store } = this.environment;
    // A read first: it is asked after each registration, and a write keeps the next one waiting until it is on the disk.
    const { sources, others } = await store.read((tx) => expired(tx, now, 'all'));
    if (sources.length > 0 || others.some(({ ids }) => ids.length > 0))
      await store.write(async (tx) => this.deleteExpiredIn(tx, await expired(tx, now, 'all')));
  }

  async deleteExpiredIn(tx: Transaction, { sources, others }: Expired): Promise<void> {
    for (const { table, ids } of others)
      // Each is the id of a row of that table; TypeScript cannot say so.
      for (const id of ids) tx.table(table as 'spends').delete(id as InternalId);
    if (sources.length === 0) return;
    const ids = sources.map(({ id }) => id);
    const needs = [...ids.map((id): Need => ({ of: 'sources', id })), ...sources.flatMap(countsOf)];
    await tx.decide(needs, (draft) => {
      deleteSources(draft, ids);
    });
  }
}
