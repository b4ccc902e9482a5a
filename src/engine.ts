import { closeWindow } from './attribution/close-windows';
import { deleteExpiredSources, hasExpired } from './attribution/remove-sources';
import { processSource, type SourceCandidate } from './attribution/process-source';
import { processTrigger } from './attribution/process-trigger';
import type { ConsideredSource } from './model/considered-source';
import type { CreditPlan } from './model/credit-plan';
import type { Allowance, LogEntry, Occasion } from './model/decision';
import type { DebugCondition } from './model/facts';
import type { Registration } from './model/incoming-registration';
import type { IgnoredReason } from './model/mistakes';
import type { Json } from './model/json';
import type { Limits } from './model/limits';
import type { DeliveryOutcome, FinishedReport, InternalId, Report } from './model/records';
import { defaultMeasurement, type MeasurementSettings } from './model/mechanisms';
import type { DeliveryProfile } from './model/settings';
import { after, milliseconds, type Duration, type Moment, type Origin } from './model/units';
import { Trace, type NoiseMode, type Work } from './work';
import type { RandomSource } from './privacy/random-source';
import { shuffle, uniformBelow } from './privacy/uniform';
import { keptHeader, REGISTER_SOURCE, REGISTER_TRIGGER } from './registration/header';
import type { Parsed } from './parsing/issues';
import { siteOf } from './parsing/site';
import { parseSourceHeader } from './registration/source';
import { parseTriggerHeader } from './registration/trigger';
import { isTooOld, LONGEST_WAIT, MAX_OFFLINE_DELAY, nextStep } from './reports/next-step';
import { finishReport } from './reports/remove';
import { headerErrorData, storeVerboseReport } from './reports/verbose';
import type { Store, Transaction } from './store/store';

/** What the engine depends on. It reads no clock, draws no randomness and opens no database itself. */
export interface Environment {
  readonly store: Store;
  readonly limits: Limits;
  /** Randomness for one registration. `stream` is different for each, so that a seeded source can be split. */
  readonly random: (stream: InternalId) => RandomSource;
}

/** The settings in force for one registration. */
export interface Conditions {
  readonly measurement: MeasurementSettings;
  /** The collector that gets the reports of a new source. Missing: they go to their own URL. */
  readonly recipient?: Origin;
  /** What a new source may spend, if known beforehand; otherwise the budget decides. */
  readonly allowance?: Allowance;
  /** Who gets the credit, if planned beforehand; otherwise the attribution model decides. */
  readonly creditPlan?: CreditPlan;
  /** The null reports that a trigger makes, if not left to chance: how many days before it their sources are said to be. */
  readonly nullReportDays?: readonly number[];
  readonly noise: NoiseMode;
  readonly delay: boolean;
  readonly debugAllowed: boolean;
  readonly debug: readonly DebugCondition[];
}

/** The log entry of a header that was processed. */
export type RegistrationEntry = Exclude<LogEntry, { readonly kind: 'ignored' }>;

/** Of a conversion's candidates. There can be thousands, for each conversion again. */
const MOST_CONSIDERED = 100;

/** Everything that happens to sources, triggers and reports. Each method is one storage transaction, or part of one that it is given. */
export class Engine {
  constructor(private readonly environment: Environment) {}

  /** Validates and processes a registration (ARA, "process an attribution eligible response"). A malformed one is only logged. */
  register(registration: Registration, conditions: Conditions): Promise<RegistrationEntry> {
    return this.environment.store.write((tx) => this.registerIn(tx, registration, conditions));
  }

  /** As `register`, within a transaction of the engine's store. */
  async registerIn(
    tx: Transaction,
    registration: Registration,
    conditions: Conditions,
  ): Promise<RegistrationEntry> {
    const entry = await this.process(tx, registration, conditions);
    tx.table('log').put(entry);
    return entry;
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

  private async process(
    tx: Transaction,
    registration: Registration,
    conditions: Conditions,
  ): Promise<RegistrationEntry> {
    const { occasion, register, header } = registration;
    const id = tx.nextId();
    const { limits } = this.environment;
    const trace = new Trace();
    const work: Work = { tx, limits, trace, random: this.environment.random(id), ...conditions };
    const kept = keptHeader(header);
    const common = {
      id,
      contextSite: siteOf(occasion.contextOrigin),
      checks: trace.checks,
      debug: conditions.debug,
      header: kept.header,
      ...(conditions.debugAllowed ? { debugAllowed: true as const } : {}),
      ...occasion,
    };
    const refused = (parsed: Parsed<unknown>): RegistrationEntry =>
      refuse(work, registration, { warnings: kept.warnings, ...common }, parsed);
    const { fenced } = registration;
    const { debugAllowed } = conditions;
    if (register.kind === 'source') {
      const { sourceType } = register;
      const parsed = parseSourceHeader(header, sourceType, limits);
      if (parsed.value === null) return refused(parsed);
      const candidate: SourceCandidate = {
        occasion,
        sourceType,
        registration: parsed.value,
        debugAllowed,
        fenced,
      };
      const { decision, debugReport } = await processSource(work, candidate);
      return {
        kind: 'source',
        sourceType,
        decision,
        warnings: parsed.warnings,
        ...(debugReport === null ? {} : { debugReport }),
        ...common,
      };
    }
    const parsed = parseTriggerHeader(header, limits);
    if (parsed.value === null) return refused(parsed);
    const { decision, aggregatable, debugReport } = await processTrigger(work, {
      id,
      destination: common.contextSite,
      reportingOrigin: occasion.reportingOrigin,
      time: occasion.time,
      registration: parsed.value,
      debugAllowed,
      fenced,
    });
    return {
      kind: 'trigger',
      decision,
      warnings: parsed.warnings,
      ...(aggregatable === null ? {} : { aggregatable }),
      ...(debugReport === null ? {} : { debugReport }),
      ...listed(trace.considered()),
      ...common,
    };
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
    return this.environment.store.write(async (tx) => {
      const report = await tx.table('reports').get(id);
      if (report === undefined) return;
      const body = sent ?? report.body;
      const tried: Report = { ...report, body, attempts: [...report.attempts, { time: now, outcome }] };
      const step = nextStep(profile, tried, outcome, tried.attempts.length);
      const end = endOf(step, tried, now);
      if (end !== null) finishReport(tx, tried, end, now);
      else if (step.kind === 'retry')
        tx.table('reports').put({ ...tried, nextAttempt: after(now, step.after) });
    });
  }

  /** Puts off the next try of a report, because its server does not answer. */
  postpone(id: InternalId, until: Moment): Promise<void> {
    return this.environment.store.write(async (tx) => {
      const report = await tx.table('reports').get(id);
      if (report !== undefined) tx.table('reports').put({ ...report, nextAttempt: until });
    });
  }

  /**
   * Delays each overdue report by a random time of up to a minute, so that reports do not show by their arrival that they belong
   * together.
   * @param tolerance how long ago a report may have come due and still count as on time.
   */
  async spreadOverdue(now: Moment, tolerance: Duration = milliseconds(0)): Promise<void> {
    await this.closeWindows(now, now);
    const random = this.environment.random(0);
    await this.environment.store.write(async (tx) => {
      for (const report of await tx.table('reports').upTo('nextAttempt', now - tolerance)) {
        const delay = milliseconds(Number(uniformBelow(random, BigInt(MAX_OFFLINE_DELAY) + 1n)));
        tx.table('reports').put({ ...report, nextAttempt: after(now, delay) });
      }
    });
  }

  /** Makes those reports due when they were to be sent whose next try a clock that was ahead has put off: by years, perhaps. */
  async resumePutOff(now: Moment): Promise<void> {
    const { store } = this.environment;
    const latest = now + LONGEST_WAIT;
    // A read first: there is rarely one.
    const putOff = await store.read((tx) => tx.table('reports').first('nextAttempt', latest));
    if (putOff === undefined) return;
    await store.write(async (tx) => {
      for (const report of await tx.table('reports').upTo('nextAttempt', Infinity))
        if (report.nextAttempt > latest && report.reportTime <= latest)
          // Not at once: it may have been tried before its window had ended.
          tx.table('reports').put({ ...report, nextAttempt: report.reportTime });
    });
  }

  /** Makes all pending reports due at `now`, whatever their window (WebDriver's "send pending reports"). */
  async hurry(now: Moment): Promise<void> {
    await this.closeWindows(Infinity, now);
    await this.environment.store.write(async (tx) => {
      for (const report of await tx.table('reports').upTo('nextAttempt', Infinity)) {
        if (report.nextAttempt > now) tx.table('reports').put({ ...report, nextAttempt: now });
      }
    });
  }

  private async closeWindows(end: number, now: Moment): Promise<void> {
    const { store, limits, random } = this.environment;
    // A read first: there is rarely one, and a read does not wait for writers.
    const closed = await store.read((tx) => tx.table('undrawn').upTo('closesAt', end));
    for (const { id } of closed)
      await store.write(async (tx) => {
        const undrawn = await tx.table('undrawn').get(id);
        if (undrawn === undefined) return;
        const work: Work = {
          tx,
          limits,
          trace: new Trace(),
          random: random(id),
          noise: { kind: 'on' },
          delay: true,
          measurement: { ...defaultMeasurement, labelNoise: undrawn.noise },
        };
        await closeWindow(work, undrawn, now);
      });
  }

  /** Deletes sources whose expiry has passed; until then they count against limits. */
  async deleteExpiredSources(now: Moment): Promise<void> {
    const { store } = this.environment;
    // A read first: it is asked after each registration, and a write keeps the next one waiting until it is on the disk.
    if (await store.read((tx) => hasExpired(tx, now)))
      await store.write((tx) => deleteExpiredSources(tx, now));
  }
}

function listed(
  all: readonly ConsideredSource[],
): Pick<Extract<LogEntry, { kind: 'trigger' }>, 'considered' | 'unlisted'> {
  const considered = all.filter(({ verdict }, index) => index < MOST_CONSIDERED || verdict === 'chosen');
  const unlisted = all.length - considered.length;
  return { considered, ...(unlisted === 0 ? {} : { unlisted }) };
}

function refuse(
  work: Work,
  { occasion, register, fenced, reportHeaderErrors }: Registration,
  common: Omit<Extract<LogEntry, { kind: 'refused' }>, 'kind' | 'register' | 'errors'>,
  { errors, warnings }: Parsed<unknown>,
): RegistrationEntry {
  if (reportHeaderErrors && !fenced) {
    const name = register.kind === 'source' ? REGISTER_SOURCE : REGISTER_TRIGGER;
    const data = headerErrorData(common.contextSite, name, common.header);
    storeVerboseReport(work, [data], null, occasion.reportingOrigin, occasion.time);
  }
  return {
    ...common,
    kind: 'refused',
    register: register.kind,
    errors,
    warnings: [...common.warnings, ...warnings],
  };
}

function endOf(step: ReturnType<typeof nextStep>, report: Report, now: Moment): FinishedReport['end'] | null {
  if (step.kind === 'delivered') return 'delivered';
  if (step.kind === 'give-up') return 'given-up';
  return isTooOld(report, now) ? 'aged-out' : null;
}
