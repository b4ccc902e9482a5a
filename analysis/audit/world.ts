import type { Limits } from '../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import {
  after,
  hours,
  milliseconds,
  moment,
  type Epsilon,
  type Moment,
  type Origin,
} from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { replay } from '../scenario/replay';
import type { ScenarioEvent, ScenarioReport } from '../scenario/scenario';

/** What one person does. `at` is in hours from the start of a period. */
export type Happening =
  | {
      readonly kind: 'impression';
      readonly at: number;
      /** Also its `source_event_id`. */
      readonly id: number;
      readonly publisher: string;
      readonly advertiser: string;
      readonly adTech: string;
    }
  | {
      readonly kind: 'conversion';
      readonly at: number;
      readonly advertiser: string;
      readonly adTech: string;
    };

export type World = readonly Happening[];

/** Everything but the world itself. */
export interface Circumstances {
  readonly settings: Settings;
  readonly limits: Limits;
  /** What each impression registers as its ε. */
  readonly registered: Epsilon;
  /** Debug reports are allowed, which tell the truth. */
  readonly debugReports: boolean;
  /** Null: sources tell whether there was a conversion. */
  readonly bins: readonly number[] | null;
}

const START = moment(0);
export const originOf = (name: string): Origin => `https://${name}.example` as Origin;

/** Whether what an ad tech receives is observed. */
export type IsObserved = (adTech: Origin) => boolean;

/**
 * Runs a world through limits, budget, attribution, noise and delivery.
 * @returns what the observed ad techs receive, as one text: which source reports what, how long after it was shown. Identifiers of
 * reports are left out; they are random and say nothing.
 */
export async function observe(
  world: World,
  circumstances: Circumstances,
  isObserved: IsObserved,
  random: RandomSource,
): Promise<string> {
  const { settings, limits } = circumstances;
  const shuffled: RandomSource = { uint64: () => 0n };
  const reports = await replay(
    {
      config: { limits, navigationRetry: null },
      settings,
      events: world.map((happening) => eventOf(happening, circumstances)),
      reports: [],
    },
    // Stream 0 puts reports that leave together in order, which is the same in all worlds.
    { random: (stream) => (stream === 0 ? shuffled : random), noise: effectiveDebug(settings).noise },
  );
  const received = reports.filter(({ report_url: url }) => isObserved(new URL(url).origin as Origin));
  return received
    .map((report) => inWords(report, world))
    .sort()
    .join('; ');
}

function eventOf(
  happening: Happening,
  circumstances: Circumstances,
): ScenarioEvent & { readonly kind: 'request' } {
  const { debugReports } = circumstances;
  const time = timeOf(happening);
  const reportingOrigin = originOf(happening.adTech);
  const [name, header, site] =
    happening.kind === 'impression'
      ? [REGISTER_SOURCE, sourceHeader(happening, circumstances), happening.publisher]
      : [REGISTER_TRIGGER, triggerHeader(debugReports), happening.advertiser];
  return {
    kind: 'request',
    time,
    contextOrigin: originOf(site),
    eligibility: 'event-source-or-trigger',
    fenced: false,
    responses: [
      {
        time,
        url: `${reportingOrigin}/register`,
        reportingOrigin,
        debugPermission: debugReports,
        randomizedResponse: null,
        nullReportDays: null,
        chance: null,
        headers: new Map([[name.toLowerCase(), JSON.stringify(header)]]),
        path: '',
      },
    ],
  };
}

const HOUR = hours(1);

const timeOf = ({ at }: Happening): Moment => after(START, milliseconds(Math.floor(at * HOUR)));

/** All reports come after a day. Without bins there are the fewest states: one report or none. */
const sourceHeader = (
  { id, advertiser }: Happening & { readonly kind: 'impression' },
  { registered, debugReports, bins }: Circumstances,
): JsonObject => ({
  destination: originOf(advertiser),
  source_event_id: String(id),
  event_level_epsilon: registered,
  event_report_window: 86_400,
  ...(bins === null
    ? { trigger_data: [0], max_event_level_reports: 1 }
    : {
        trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [...bins] }],
        max_event_level_reports: bins.length,
      }),
  ...(debugReports ? { debug_key: '1', debug_reporting: true } : {}),
});

const triggerHeader = (debugReports: boolean): JsonObject => ({
  event_trigger_data: [{ trigger_data: '0' }],
  ...(debugReports ? { debug_key: '2', debug_reporting: true } : {}),
});

function inWords({ report_time: time, report_url: url, payload }: ScenarioReport, world: World): string {
  const path = new URL(url).pathname.replace('/.well-known/attribution-reporting/', '');
  const debug = path === 'report-event-attribution' ? '' : `${path}: `;
  if (!isJsonObject(payload)) return `${debug}${JSON.stringify(payload)}`;
  const { source_event_id: id, trigger_data: data, noisy_value: value } = payload;
  const shown = world.find((happening) => happening.kind === 'impression' && String(happening.id) === id);
  const waited = shown === undefined ? 0 : (Number(time) - timeOf(shown)) / HOUR;
  return `${debug}source ${written(id)} reports ${written(value ?? data)} after ${waited} h`;
}

const written = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
