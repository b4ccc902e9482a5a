import type { Json } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import type { EventTriggerData, TriggerRegistration } from '../../src/model/registration';
import { aggregatableTrigger } from './aggregatable';
import {
  boolean,
  Fields,
  int64,
  integer,
  list,
  MAX_UINT32,
  set,
  string,
  uint64,
  type Parser,
} from '../codec/fields';
import { filterPair } from './filters';
import { parseHeader } from './header';
import { parse, type Parsed } from '../codec/issues';
import { Templates } from './templates';

/** ARA, "create an attribution trigger". */
export function parseTrigger(json: Json, limits: Limits): Parsed<TriggerRegistration> {
  return parse(json, triggerRegistration(limits));
}

/** With the deduplication key of the only conversion that has one. */
const templates = new Templates<TriggerRegistration>({
  field: 'deduplication_key',
  of: ({ eventTriggerData }) =>
    eventTriggerData.find(({ deduplicationKey }) => deduplicationKey !== null)?.deduplicationKey ?? null,
  with: (registration, deduplicationKey) => ({
    ...registration,
    eventTriggerData: registration.eventTriggerData.map((data) =>
      data.deduplicationKey === null ? data : { ...data, deduplicationKey },
    ),
  }),
});

/** A trigger from the text of its header. */
export function parseTriggerHeader(header: string, limits: Limits): Parsed<TriggerRegistration> {
  return templates.parse(header, 'trigger', limits, () =>
    parseHeader(header, (json) => parseTrigger(json, limits)),
  );
}

const triggerRegistration =
  (limits: Limits): Parser<TriggerRegistration> =>
  (place) => {
    const fields = new Fields(place);
    const registration: TriggerRegistration = {
      eventTriggerData: fields.optional('event_trigger_data', list(eventTriggerData), []),
      debugKey: fields.lenient<bigint | null>('debug_key', uint64, null),
      debugReporting: fields.lenient('debug_reporting', boolean, false),
      attributionScopes: fields.optional('attribution_scopes', set(string()), []),
      aggregatable: aggregatableTrigger(fields, place, limits),
      ...filterPair(fields),
    };
    fields.warnUnknown();
    return registration;
  };

const eventTriggerData: Parser<EventTriggerData> = (place) => {
  const fields = new Fields(place);
  const data: EventTriggerData = {
    triggerData: fields.optional('trigger_data', uint64, 0n),
    priority: fields.optional('priority', int64, 0n),
    // Only flexible_event_config.md has this field.
    value: fields.lenient('value', integer(1, MAX_UINT32), 1),
    deduplicationKey: fields.optional<bigint | null>('deduplication_key', uint64, null),
    ...filterPair(fields),
  };
  fields.warnUnknown();
  return data;
};
