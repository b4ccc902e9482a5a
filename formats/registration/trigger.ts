import type { Json } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import { MAX_UINT32, type EventTriggerData, type TriggerRegistration } from '../../src/model/registration';
import { aggregatableTrigger } from './aggregatable';
import { boolean, int64, integer, list, set, string, uint64, type Parser } from '../codec/codec';
import { object } from '../codec/record';
import { filterPair } from './filters';
import { parseHeader } from './header';
import { parse, type Parsed } from '../codec/issues';
import { Templates } from './templates';
import type { ReadHeaders } from '../../src/work';

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

/** A trigger from the text of its header. @param read the headers that were read before */
export function parseTriggerHeader(
  header: string,
  limits: Limits,
  read: ReadHeaders<TriggerRegistration>,
): Parsed<TriggerRegistration> {
  return templates.parse(header, 'trigger', limits, read, () =>
    parseHeader(header, (json) => parseTrigger(json, limits)),
  );
}

const conversionValue = integer(1, MAX_UINT32);

const eventTriggerData = list(
  object<EventTriggerData>((fields) => ({
    triggerData: fields.optional('trigger_data', uint64, 0n),
    priority: fields.optional('priority', int64, 0n),
    // Only flexible_event_config.md has this field.
    value: fields.lenient('value', conversionValue, 1),
    deduplicationKey: fields.optional<bigint | null>('deduplication_key', uint64, null),
    ...filterPair(fields),
  })),
);

const scopes = set(string);

const triggerRegistration = (limits: Limits): Parser<TriggerRegistration> =>
  object((fields, place) => ({
    eventTriggerData: fields.optional('event_trigger_data', eventTriggerData, []),
    debugKey: fields.lenient<bigint | null>('debug_key', uint64, null),
    debugReporting: fields.lenient('debug_reporting', boolean, false),
    attributionScopes: fields.optional('attribution_scopes', scopes, []),
    aggregatable: aggregatableTrigger(fields, place, limits),
    ...filterPair(fields),
  }));
