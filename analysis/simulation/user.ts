import type { Allowance } from '../../src/model/decision';
import type { Limits } from '../../src/model/limits';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import type { Spend } from '../../src/model/spend';
import type { Epsilon, Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { parseJsonHeader } from '../../formats/registration/header';
import { siteOf } from '../../src/model/site';
import { parseSource } from '../../formats/registration/source';
import { sealedBody } from '../../formats/reports/sealed-body';
import type { PublicKey, SealPayload } from '../../formats/reports/sealed-payload';
import { scenarioRegistration, type ScenarioRequest } from '../scenario/scenario-registration';
import { OutcomeError } from '../scenario/outcome';
import { replay, type ReplayOptions, type ReplayOutcome } from '../scenario/replay';
import type { ScenarioEvent, ScenarioReport, ScenarioResponse } from '../scenario/scenario';
import { Caches } from '../../src/work';
import { lotsOf, seededSecret } from '../random/sources';
import { MemoryStore } from '../store/memory-store';
import { allocate, type AllocationPolicy, type Impression } from './allocation';
import { LogError } from './log-error';
import { planCredits } from './matching';
import type { Matching } from './matching-settings';
import { OutcomeCounter, type OutcomeCounts } from './outcome-counter';
import { effectsOn, settingsAsked } from './setting-effects';

/** The configuration of a simulation, the same for all users. */
export interface Simulation {
  /** Only these are used: attribution, label noise, budget, lift test, delivery profile, and in debug mode noise, delay and debug reports. */
  readonly settings: Settings;
  /** What the prior of the label noise cost each source besides its output; if nothing, left out. */
  readonly priorEpsilon?: Epsilon;
  readonly limits: Limits;
  /** The same for all users, to compute less. */
  readonly caches?: Caches;
  readonly noise: ReplayOptions['noise'];
  readonly allocation: AllocationPolicy;
  /** Null: each conversion is credited separately, as on a device. */
  readonly matching: Matching | null;
  /** Aggregatable reports are sealed for one of these; left out: they are in the clear, as scenario files state them. */
  readonly sealing?: { readonly keys: readonly PublicKey[]; readonly seal: SealPayload };
}

export interface SimulatedUser {
  /** In the order sent. */
  readonly reports: readonly ScenarioReport[];
  readonly tally: OutcomeCounts;
  /** What the person's privacy units spent. */
  readonly spends: readonly Spend[];
}

/** Outcomes whose log entries are dropped at once. */
const DRAINED_TOGETHER = 100;

/** The streams for draws before the first registration. Registrations use 1 and up, deliveries 0. */
const ALLOCATION_STREAM = 2 ** 53 - 1;
const MATCHING_STREAM = 2 ** 53 - 2;
/** The stream for sealing reports, so that all other draws are the same without it. */
const SEALING_STREAM = 2 ** 53 - 3;

/**
 * Runs everything that one person did through a separate engine.
 * @param random the person's own randomness: other people's events must not change this person's noise.
 * @param observe receives the outcome of each response; without it, checks are made only to count what settings change.
 * @throws LogError when the events are out of order, or force an outcome that a source cannot have.
 */
export async function simulateUser(
  events: readonly ScenarioEvent[],
  simulation: Simulation,
  random: (stream: number) => RandomSource,
  observe?: (outcome: ReplayOutcome) => void,
): Promise<SimulatedUser> {
  checkOrder(events);
  const { settings, limits, matching, sealing, caches = new Caches() } = simulation;
  const debug = effectiveDebug(settings);
  const noise = debug.noise && simulation.noise;
  const tally = new OutcomeCounter();
  const store = new MemoryStore();
  // No decision reads these, and a user with many events has most of them.
  let undrained = 0;
  const drain = (): void => {
    undrained = 0;
    store.drain('log');
    tally.addFinished(store.drain('finished'));
  };
  const allowed = debug.debugReports ? events.map(allowDebug) : events;
  const allowances = allowancesFor(allowed, simulation, random(ALLOCATION_STREAM));
  const config = { limits, navigationRetry: null };
  const asked = settingsAsked(settings, { noise: noise === true, planned: matching !== null });
  for (const setting of asked) tally.add('setting_effects', setting, 0);
  const isUnread = observe === undefined && asked.length === 0;
  const checks: Pick<ReplayOptions, 'checks'> = isUnread ? { checks: 'unread' } : {};
  const lots: Pick<ReplayOptions, 'lots'> =
    settings.liftTest === null ? {} : { lots: lotsOf(seededSecret(random)) };
  const run = (options: Partial<ReplayOptions>): Promise<readonly ScenarioReport[]> =>
    replay(
      { config, settings, events: allowed, reports: [] },
      {
        random,
        noise,
        caches,
        ...lots,
        ...checks,
        ...(allowances === null ? {} : { allowances }),
        ...options,
      },
    );
  try {
    const drawing = noise === false ? null : random(MATCHING_STREAM);
    const rehearse: Parameters<typeof planCredits>[3] = (options) => run({ ...options, noise: false });
    const creditPlan =
      matching === null
        ? null
        : await planCredits(matching, settings.budget, allowed.flatMap(responsesOf), rehearse, drawing);
    const reports = await run({
      store,
      ...(sealing === undefined ? {} : { payloadOf: sealedWith(sealing, random(SEALING_STREAM)) }),
      observe: (outcome) => {
        if (++undrained === DRAINED_TOGETHER) drain();
        tally.addOutcome(outcome);
        if (outcome.kind !== 'ignored') {
          const effects = effectsOn(outcome);
          for (const setting of asked) if (effects.has(setting)) tally.add('setting_effects', setting);
        }
        observe?.(outcome);
      },
      ...(creditPlan === null ? {} : { creditPlan }),
    });
    drain();
    const spends = store.upTo('spends', 'end', Infinity);
    return { reports, tally: tally.entries(), spends };
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    const { response } = error;
    const place = allowed.findIndex((event) => responsesOf(event).includes(response));
    throw new LogError(place, error.path, error.message);
  }
}

/** The bodies of reports as they are sent, of aggregatable ones sealed for any of the keys. */
function sealedWith(
  { keys, seal }: NonNullable<Simulation['sealing']>,
  random: RandomSource,
): NonNullable<ReplayOptions['payloadOf']> {
  return async (report) => {
    const key = keys[Number(uniformBelow(random, BigInt(keys.length)))];
    return report.aggregatable === undefined || key === undefined
      ? report.body
      : sealedBody(report, key, random, seal);
  };
}

/** @throws LogError unless the events are in the order of time. */
export function checkOrder(events: readonly ScenarioEvent[]): void {
  let last = -Infinity;
  const check = (time: Moment, index: number): void => {
    if (time < last)
      throw new LogError(index, 'timestamp', `must be in the order of time: ${time} comes after ${last}`);
    last = time;
  };
  for (const [index, event] of events.entries())
    if (event.kind !== 'request') check(event.time, index);
    else for (const { time } of event.responses) check(time, index);
}

const responsesOf = (event: ScenarioEvent): readonly ScenarioResponse[] =>
  event.kind === 'request' ? event.responses : [];

/** The debug reports in the settings replace the permission that a response would need. */
const allowDebug = (event: ScenarioEvent): ScenarioEvent =>
  event.kind === 'request'
    ? { ...event, responses: event.responses.map((response) => ({ ...response, debugPermission: true })) }
    : event;

function allowancesFor(
  events: readonly ScenarioEvent[],
  { allocation, settings, limits }: Simulation,
  random: RandomSource,
): ReadonlyMap<ScenarioResponse, Allowance> | null {
  // Skips parsing everything twice when the result is not needed.
  if (allocation === 'per-cap') return null;
  const found = events.flatMap((event) => (event.kind === 'request' ? impressionsOf(event, limits) : []));
  const allowances = allocate(
    allocation,
    settings.budget,
    found.map(({ impression }) => impression),
    random,
  );
  return new Map(
    found.flatMap(({ response }, index) => {
      const allowance = allowances?.[index];
      return allowance === undefined ? [] : [[response, allowance]];
    }),
  );
}

/** The sources that a request registers, where their headers are valid. */
function impressionsOf(
  request: ScenarioRequest,
  limits: Limits,
): readonly { readonly response: ScenarioResponse; readonly impression: Impression }[] {
  return request.responses.flatMap((response) => {
    const result = scenarioRegistration(request, response);
    if (result.kind === 'ignored' || result.registration.register.kind !== 'source') return [];
    const { header, register, occasion } = result.registration;
    const json = parseJsonHeader(header);
    if (json.errors.length > 0) return [];
    const source = parseSource(json.value, register.sourceType, limits).value;
    if (source === null) return [];
    const impression = {
      sourceSite: siteOf(occasion.contextOrigin),
      reportingOrigin: occasion.reportingOrigin,
      time: occasion.time,
      registration: source,
    };
    return [{ response, impression }];
  });
}
