import { defaultMeasurement } from '../../../src/model/mechanisms';
import { chromiumLimits } from '../../../src/model/limits';
import { epsilon } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { isJsonObject, type Json } from '../../../src/model/json';
import { replaySettings, type ScenarioEvent } from '../../scenario/scenario';
import { simulateUser, type Simulation } from '../../simulation/user';
import { Histogram } from '../designs/histogram';
import { LoggedSources } from '../logged-sources';
import type { Measurement } from '../measurement';
import { withSourceFields } from '../set-fields';
import { SummaryMeasurement } from '../summary-measurement';
import { W3cMeasurement } from '../w3c-measurement';
import { PUBLISHER, type CheatedPerson, type Publisher } from './cheated';

/** The conversions for which publishers are paid, if nothing were noisy. */
export type Paid = Readonly<Record<Publisher, number>>;

export const payingApis = ['event-level', 'summary', 'w3c'] as const;
export type PayingApi = (typeof payingApis)[number];

/** As in scenarios/experiments/cheating.json. */
const EPSILON = epsilon(4);
const simulation: Simulation = {
  settings: {
    ...replaySettings,
    budget: { ...defaultMeasurement.budget, unit: 'user-advertiser', period: 7, epsilon: EPSILON, cap: 2 },
  },
  limits: chromiumLimits,
  noise: false,
  allocation: 'per-cap',
  matching: null,
};

/** As there. A source has at most one report, which says that there was a conversion within 30 days. */
const fields: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['event_level_epsilon', 14],
  ['trigger_specs', null],
  ['trigger_data', [0]],
  ['max_event_level_reports', 1],
  ['event_report_window', 2_592_000],
]);

/** The event as all APIs can measure it. */
export const payable = (event: ScenarioEvent): ScenarioEvent =>
  withSourceFields(event, { navigation: fields, event: fields });

const groups = { columns: [PUBLISHER], levels: [[PUBLISHER]], confidence: 0.95 };

/**
 * Whom an API pays after a cheat, of `payable` events. Yields after each person.
 * @param api null: whom the truth pays.
 * @param hasQuota whether each impression site has a quota in W3C Attribution.
 */
export async function* paidBy(
  api: PayingApi | null,
  people: readonly CheatedPerson[],
  hasQuota: boolean,
  random: (person: number) => (stream: number) => RandomSource,
): AsyncGenerator<undefined, Paid, undefined> {
  const paid = { honest: 0, cheat: 0, drain: 0 };
  const measurement = api === 'event-level' ? new EventLevelCounts(paid) : measuring(api, people, hasQuota);
  for (const [number, { honest, told, forged }] of people.entries()) {
    await measurement.add(api === null ? honest : told, random(number));
    if (api !== null) for (const events of forged) await measurement.add(events, random(number));
    yield;
  }
  if (!(measurement instanceof EventLevelCounts))
    for (const { group, estimate } of measurement.result().groups) {
      const [publisher] = group;
      if (isPublisher(publisher)) paid[publisher] += estimate;
    }
  return paid;
}

function measuring(
  api: 'summary' | 'w3c' | null,
  people: readonly CheatedPerson[],
  hasQuota: boolean,
): Measurement {
  const sources = new LoggedSources(groups.columns);
  for (const { told, forged } of people) for (const event of [told, ...forged].flat()) sources.add(event);
  if (api !== 'summary') {
    const budget = api === null ? null : { epsilon: EPSILON, conversions: 2, hasQuota };
    return new W3cMeasurement(budget, groups, sources.list(), null);
  }
  const { settings } = simulation;
  const given = { ...simulation, settings: { ...settings, aggregatableReports: true } };
  return new SummaryMeasurement(given, groups, new Histogram(groups, sources.list()), 1, null);
}

/** Counts reports by the publisher of their source. */
class EventLevelCounts {
  constructor(private readonly paid: Record<Publisher, number>) {}

  async add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    const publishers = new Map<string, string | undefined>();
    const { reports } = await simulateUser(events, simulation, random, (outcome) => {
      if (outcome.kind !== 'source') return;
      const { source_event_id: id, filter_data: data } = JSON.parse(outcome.header) as {
        readonly source_event_id: string;
        readonly filter_data: Readonly<Record<string, readonly string[]>>;
      };
      publishers.set(id, data[PUBLISHER]?.[0]);
    });
    for (const id of new Set(reports.map(({ payload }) => idIn(payload)))) {
      const publisher = publishers.get(id);
      if (isPublisher(publisher)) this.paid[publisher] += 1;
    }
  }
}

const idIn = (payload: unknown): string =>
  isJsonObject(payload as never) ? String((payload as { source_event_id?: unknown }).source_event_id) : '';

const isPublisher = (name: string | undefined): name is Publisher =>
  name === 'honest' || name === 'cheat' || name === 'drain';
