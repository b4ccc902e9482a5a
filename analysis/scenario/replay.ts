import type { IgnoredReason } from '../../formats/codec/mistakes';
import type { Conditions, RegistrationEntry } from '../../src/engine';
import type { CreditPlan } from '../../src/model/credit-plan';
import type { Registration } from '../../src/model/incoming-registration';
import type { Allowance } from '../../src/model/decision';
import type { Json } from '../../src/model/json';
import type { InternalId, Report } from '../../src/model/records';
import { after, minutes, moment, type Moment } from '../../src/model/units';
import { effectiveDebug } from '../../formats/settings/settings';
import { inLiftTest, type Lots } from '../../recording/lift-test';
import type { Caches, NoiseMode } from '../../src/work';
import type { RandomSource } from '../../src/privacy/random-source';
import { MemoryEngine } from '../store/memory-engine';
import { MemoryStore } from '../store/memory-store';
import { forcedOutcome } from './outcome';
import { scenarioPayload } from './payload';
import { scenarioRegistration, type ScenarioRequest } from './scenario-registration';
import type { RegistrationScenario, ScenarioEvent, ScenarioReport, ScenarioResponse } from './scenario';

/** What a scenario does not determine. */
export interface ReplayOptions {
  /** Randomness for each source or trigger, by its number in the store. */
  readonly random: (stream: InternalId) => RandomSource;
  /** Whether to noise sources whose response does not force an outcome; with `attribution`, only private attributions are random. */
  readonly noise: boolean | 'attribution';
  /** The ε of each source, by its response, if planned beforehand; otherwise the budget decides. */
  readonly allowances?: ReadonlyMap<ScenarioResponse, Allowance>;
  /** Who gets the credit for each conversion, if planned beforehand; otherwise the attribution model decides. */
  readonly creditPlan?: CreditPlan;
  /** Receives the outcome of each response. */
  readonly observe?: (outcome: ReplayOutcome) => void;
  /** Where to keep the data; default: a new one. */
  readonly store?: MemoryStore;
  /** `unread`: nobody reads the checks of outcomes, and they have none. */
  readonly checks?: 'unread';
  /** The caches of an earlier replay, to compute less. */
  readonly caches?: Caches;
  /** Draws the arms of lift tests, if the settings have them; without it, nobody is in one. */
  readonly lots?: Lots;
  /** The payload of a report that is sent; default: as scenario files state it. */
  readonly payloadOf?: (report: Report) => Promise<Json>;
}

/** The outcome of a response: its log entry, or why it registers nothing. */
export type ReplayOutcome = RegistrationEntry | { readonly kind: 'ignored'; readonly reason: IgnoredReason };

/** Later than any time in a scenario; used for a report that waits for a navigation. */
const NEVER = moment(8.64e15);
const NAVIGATION_RETRY_DELAY = minutes(5);

/**
 * Runs a scenario through the engine in virtual time, with the delivery of Chromium unless the file says otherwise.
 * @returns the reports in the order sent.
 * @throws ScenarioError when the file asks for something that its configuration does not allow.
 */
export async function replay(
  scenario: RegistrationScenario,
  options: ReplayOptions,
): Promise<readonly ScenarioReport[]> {
  const run = new Replay(scenario, options);
  for (const event of scenario.events) run.play(event);
  run.deliverUntil(NEVER);
  const { payloadOf } = options;
  const reports: ScenarioReport[] = [];
  for (const { report, time } of run.sent) {
    const payload = payloadOf === undefined ? scenarioPayload(report) : await payloadOf(report);
    reports.push({ report_time: String(time), report_url: report.url, payload });
  }
  return reports;
}

class Replay {
  readonly sent: { readonly report: Report; readonly time: Moment }[] = [];
  private readonly store: MemoryStore;
  private readonly engine: MemoryEngine;
  private online = true;
  /** The conditions of all registrations. */
  private readonly always: Omit<Conditions, 'noise' | 'debugAllowed'>;
  /** When the next report or output is due, `NEVER` if none is; null: not known. */
  private nextDue: Moment | null = null;

  constructor(
    private readonly scenario: RegistrationScenario,
    private readonly options: ReplayOptions,
  ) {
    this.store = options.store ?? new MemoryStore();
    this.always = {
      measurement: scenario.settings,
      delay: effectiveDebug(scenario.settings).delay,
      debug: [],
      ...(options.creditPlan !== undefined && { creditPlan: options.creditPlan }),
    };
    this.engine = new MemoryEngine({
      store: this.store,
      limits: scenario.config.limits,
      random: options.random,
      ...(options.checks === undefined ? {} : { checks: options.checks }),
      ...(options.caches === undefined ? {} : { caches: options.caches }),
    });
  }

  play(event: ScenarioEvent): void {
    if (event.kind === 'request') {
      for (const response of event.responses) this.respond(event, response);
      return;
    }
    this.deliverUntil(event.time);
    if (event.kind === 'connection') this.online = event.up;
    else this.retryAfterNavigation(event.time);
  }

  private respond(request: ScenarioRequest, response: ScenarioResponse): void {
    this.deliverUntil(response.time);
    const result = scenarioRegistration(request, response);
    const outcome = result.kind === 'ignored' ? result : this.register(result.registration, response);
    if (result.kind === 'register') this.nextDue = null;
    this.options.observe?.(outcome);
    this.deliverUntil(response.time);
  }

  private register(given: Registration, response: ScenarioResponse): RegistrationEntry {
    const { lots } = this.options;
    const registration = lots === undefined ? given : inLiftTest(given, this.scenario.settings, lots);
    return this.engine.register(registration, this.conditions(registration, response));
  }

  private conditions(registration: Registration, response: ScenarioResponse): Conditions {
    const { nullReportDays, debugPermission: debugAllowed } = response;
    const allowance = this.options.allowances?.get(response);
    return {
      noise: this.noise(registration, response),
      debugAllowed,
      ...this.always,
      ...(allowance !== undefined && { allowance }),
      ...(nullReportDays !== null && { nullReportDays }),
    };
  }

  private noise(registration: Registration, response: ScenarioResponse): NoiseMode {
    if (response.randomizedResponse === null) return { kind: this.isNoised(registration) ? 'on' : 'off' };
    const forced = forcedOutcome(registration, response, this.scenario.config.limits);
    return forced === null ? { kind: 'off' } : { kind: 'forced', state: forced.state };
  }

  private isNoised({ register }: Registration): boolean {
    const { noise } = this.options;
    return noise === 'attribution' ? register.kind === 'trigger' : noise;
  }

  /** Sends everything that is due, in order of time. */
  deliverUntil(end: Moment): void {
    for (;;) {
      const due = (this.nextDue ??= this.engine.nextDue() ?? NEVER);
      if (due > end || due === NEVER) return;
      this.nextDue = null;
      for (const report of this.engine.due(due)) this.deliver(report, due);
    }
  }

  private deliver(report: Report, now: Moment): void {
    const { deliveryProfile } = this.scenario.settings;
    if (this.online) {
      this.sent.push({ report, time: now });
      this.engine.recordAttempt(report.id, { kind: 'answered', status: 200 }, deliveryProfile, now);
    } else if (
      (report.kind === 'event-level' || report.kind === 'aggregatable') &&
      report.attempts.length + 1 === this.scenario.config.navigationRetry
    ) {
      this.reschedule(report, NEVER);
    } else {
      this.engine.recordAttempt(
        report.id,
        { kind: 'unreachable', error: 'no connection' },
        deliveryProfile,
        now,
      );
    }
  }

  private retryAfterNavigation(now: Moment): void {
    const waiting = this.store.upTo('reports', 'nextAttempt', NEVER);
    for (const report of waiting.filter(({ nextAttempt }) => nextAttempt === NEVER)) {
      this.reschedule(report, after(now, NAVIGATION_RETRY_DELAY));
    }
  }

  private reschedule(report: Report, nextAttempt: Moment): void {
    this.nextDue = null;
    this.store.decide((draft) => draft.put('reports', { ...report, nextAttempt }));
  }
}
