import { anyJson, choice, integer, list, string } from '../../formats/codec/codec';
import { nullable, record, required } from '../../formats/codec/record';
import { time } from '../../formats/codec/time';
import { isJsonObject, type Json } from '../../src/model/json';
import type { Registration } from '../../src/model/incoming-registration';
import type { SourceType } from '../../src/model/limits';
import { siteOfUrl } from '../../src/model/site';
import { parseJsonHeader } from '../../formats/registration/header';
import { days, moment } from '../../src/model/units';
import { groupOf } from '../experiment/logged-sources';
import type { ScenarioEvent } from '../scenario/scenario';
import { scenarioRegistration } from '../scenario/scenario-registration';
import { bucketName, type Profile } from '../w3c/profile';
import { simulateApiUser } from '../w3c/user';
import type { Period } from './journeys';

interface ConversionTemplate {
  readonly context: string;
  readonly url: string;
  readonly header: Json;
}

/** How synthetic sources of one kind are registered, and conversions that are credited to them. All of it is public. */
export interface JourneyKind {
  readonly type: SourceType;
  /** The pages on which impressions happen, each with the same chance. */
  readonly contexts: readonly string[];
  readonly url: string;
  readonly header: Json;
  readonly conversion: ConversionTemplate | null;
}

/** What is public about a log: its period, and which kinds of sources it can have. */
export interface JourneyKinds extends Period {
  /** Keys of filter data, or `source_type`: their values tell kinds apart. */
  readonly columns: readonly string[];
  readonly kinds: readonly JourneyKind[];
}

const MOST_DAYS = 366;
const MOST_KINDS = 1000;
const MOST_CONTEXTS = 50;

const conversion = record<ConversionTemplate>({
  context: required('context', string),
  url: required('url', string),
  header: required('header', anyJson),
});

const kind = record<JourneyKind>({
  type: required('type', choice('navigation', 'event')),
  contexts: required('contexts', list(string, { min: 1, max: MOST_CONTEXTS })),
  url: required('url', string),
  header: required('header', anyJson),
  conversion: nullable('conversion', conversion),
});

export const journeyKinds = record<JourneyKinds>({
  start: required('start', time),
  days: required('days', integer(1, MOST_DAYS)),
  columns: required('columns', list(string, { min: 1, max: 10 })),
  kinds: required('kinds', list(kind, { min: 1, max: MOST_KINDS })),
});

/** The values of the columns of each kind. */
export const groupsOf = ({ columns, kinds }: JourneyKinds): readonly (readonly string[])[] =>
  kinds.map(({ header, type }) => groupOf(JSON.stringify(header), type, columns));

interface Found {
  readonly contexts: Set<string>;
  readonly type: SourceType;
  readonly url: string;
  readonly header: Json;
  conversion: ConversionTemplate | null;
}

/** Collects what must be public before a log is synthesized: it takes the first registrations of each kind, without what may be another one each time. */
export class ProposedKinds {
  private readonly found = new Map<string, Found>();
  private first = Infinity;
  private last = -Infinity;

  /** @param columns as for `groupOf` */
  constructor(private readonly columns: readonly string[]) {}

  /** @throws RangeError for more kinds than a file may have. */
  addSources(events: readonly ScenarioEvent[]): void {
    for (const event of events) {
      this.first = Math.min(this.first, event.time);
      this.last = Math.max(this.last, event.time);
      for (const registered of registrationsOf(event)) this.addSource(registered);
    }
  }

  private addSource({ context, url, header, register }: Registered): void {
    if (register.kind !== 'source') return;
    const { sourceType: type } = register;
    const name = bucketName(groupOf(header, type, this.columns));
    const found = this.found.get(name) ?? {
      ...{ contexts: new Set<string>(), type, url, header: this.template(header), conversion: null },
    };
    this.found.set(name, found);
    if (this.found.size > MOST_KINDS)
      throw new RangeError(
        `must have at most ${MOST_KINDS} kinds of sources, but the columns tell more apart`,
      );
    if (found.contexts.size < MOST_CONTEXTS) found.contexts.add(context);
  }

  get names(): readonly string[] {
    return [...this.found.keys()];
  }

  /** @param profile attributes each conversion to one of `names`. */
  addConversions(events: readonly ScenarioEvent[], profile: Profile): void {
    const kinds = [...this.found.values()];
    if (kinds.every(({ conversion: known }) => known !== null)) return;
    const { reports } = simulateApiUser(events, profile, () => ({ uint64: () => 0n }));
    for (const { time: at, histogram } of reports) {
      const credited = kinds[histogram.findIndex((value) => value > 0)];
      if (credited === undefined || credited.conversion !== null) continue;
      for (const event of events)
        for (const { context, url, header, register } of event.time === at ? registrationsOf(event) : [])
          if (register.kind === 'trigger')
            credited.conversion = { context, url, header: this.template(header) };
    }
  }

  /** Filter data that tell no kinds apart may tell people apart. */
  private template(header: string): Json {
    const whole = withoutIds(parseJsonHeader(header).value ?? {});
    if (!isJsonObject(whole)) return whole;
    const { [DESTINATION]: destination } = whole;
    const json = destination === undefined ? whole : { ...whole, [DESTINATION]: sitesOf(destination) };
    const filterData = json[FILTER_DATA] ?? null;
    if (!isJsonObject(filterData)) return json;
    const kept = Object.entries(filterData).filter(([name]) => this.columns.includes(name));
    return { ...json, [FILTER_DATA]: Object.fromEntries(kept) };
  }

  /** Null for a log without sources. The period begins and ends at midnight UTC. */
  result(): JourneyKinds | null {
    if (this.found.size === 0) return null;
    const day = days(1);
    const start = moment(Math.floor(this.first / day) * day);
    return {
      ...{ start, days: Math.min(MOST_DAYS, Math.floor((this.last - start) / day) + 1) },
      columns: this.columns,
      kinds: [...this.found.values()].map((one) => ({ ...one, contexts: [...one.contexts] })),
    };
  }
}

interface Registered extends Pick<Registration, 'header' | 'register'> {
  readonly context: string;
  readonly url: string;
}

const registrationsOf = (event: ScenarioEvent): readonly Registered[] =>
  event.kind !== 'request'
    ? []
    : event.responses.flatMap((response) => {
        const result = scenarioRegistration(event, response);
        if (result.kind === 'ignored') return [];
        const { header, register } = result.registration;
        const { origin, pathname } = new URL(response.url);
        return [{ header, register, context: event.contextOrigin, url: `${origin}${pathname}` }];
      });

/** Fields whose values are of one registration alone. */
const IDS = ['source_event_id', 'deduplication_key', 'debug_key', 'trigger_context_id'];

const FILTER_DATA = 'filter_data';
const DESTINATION = 'destination';

/** Browsers use no more of destinations, and the rest may be of one person. One without a site is refused anyway. */
function sitesOf(destination: Json): Json {
  if (Array.isArray(destination)) return destination.map(sitesOf);
  return typeof destination === 'string' ? (siteOfUrl(destination) ?? '') : destination;
}

function withoutIds(json: Json): Json {
  if (Array.isArray(json)) return json.map(withoutIds);
  if (!isJsonObject(json)) return json;
  const kept = Object.entries(json).filter(([name]) => !IDS.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutIds(value)]));
}
