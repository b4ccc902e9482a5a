import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { isJsonObject } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import { shown } from '../codec/shown';
import {
  DEFAULT_FILTERING_ID_MAX_BYTES,
  isSentUnconditionally,
  type AggregatableDeduplicationKey,
  type AggregatableKeyValue,
  type AggregatableSource,
  type AggregatableTrigger,
  type AggregatableTriggerData,
  type AggregatableValues,
  type NamedBudget,
} from '../../src/model/registration';
import type { Duration } from '../../src/model/units';
import { integer, list, choice, set, string, uint64, type Parser } from '../codec/codec';
import { Fields, object } from '../codec/record';
import { filterPair } from './filters';
import type { Place } from '../codec/issues';
import { coordinator, debugReportingIn, keyPiece } from './debug-reporting';
import { clampedSeconds, MIN_REPORT_WINDOW } from './report-windows';
import { shortText, utf8Length } from './short-text';

const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 25;
const MAX_NAMED_BUDGETS = 25;
const MAX_TRIGGER_CONTEXT_ID = 64;
const DEFAULT_FILTERING_ID = 0n;

const dictionary =
  <T>(value: Parser<T>, maxSize = Infinity, maxKeyLength = Infinity): Parser<ReadonlyMap<string, T>> =>
  (place) => {
    const fields = new Fields(place);
    const names = [...fields.names()];
    if (names.length > maxSize) place.error('too-many-keys', { max: maxSize, count: names.length });
    const entries = new Map<string, T>();
    for (const name of names) {
      if (utf8Length(name) > maxKeyLength)
        place.at(name, null).error('long-key', { max: maxKeyLength, key: shown(name) });
      fields.optional(name, (at) => void entries.set(name, value(at)), undefined);
    }
    return entries;
  };

const keyPieces = dictionary(keyPiece, MAX_KEYS, MAX_KEY_LENGTH);
const budgets = dictionary(integer(0, CONTRIBUTION_BUDGET), MAX_NAMED_BUDGETS, MAX_KEY_LENGTH);
const sourceKeys = set(string);

const triggerData = list(
  object<AggregatableTriggerData>((fields) => ({
    keyPiece: fields.required('key_piece', keyPiece, 0n),
    sourceKeys: fields.optional('source_keys', sourceKeys, []),
    ...filterPair(fields),
  })),
);

const contribution = integer(1, CONTRIBUTION_BUDGET);

const keyValue =
  (maxBytes: number): Parser<AggregatableKeyValue> =>
  (place) => {
    // Nearly everybody means an integer, so messages about other values ask for one.
    if (!isJsonObject(place.value)) return { value: contribution(place), filteringId: DEFAULT_FILTERING_ID };
    return object((fields) => ({
      value: fields.required('value', contribution, 1),
      filteringId: fields.optional('filtering_id', filteringId(maxBytes), DEFAULT_FILTERING_ID),
    }))(place);
  };

const filteringId =
  (maxBytes: number): Parser<bigint> =>
  (place) => {
    const id = uint64(place);
    if (id >= 256n ** BigInt(maxBytes)) place.expected('filtering-id', { bytes: maxBytes });
    return id;
  };

/** ARA, "parse aggregatable values": one configuration without filters, or a list of them. */
const values =
  (maxBytes: number): Parser<readonly AggregatableValues[]> =>
  (place) => {
    const keyValues = dictionary(keyValue(maxBytes));
    if (!Array.isArray(place.value)) return [{ values: keyValues(place), filters: [], notFilters: [] }];
    const configuration = object<AggregatableValues>((fields) => ({
      values: fields.required('values', keyValues, new Map()),
      ...filterPair(fields),
    }));
    return list(configuration)(place);
  };

const deduplicationKeys = list(
  object<AggregatableDeduplicationKey>((fields) => ({
    deduplicationKey: fields.optional<bigint | null>('deduplication_key', uint64, null),
    ...filterPair(fields),
  })),
);

const namedBudgets = list(
  object<NamedBudget>((fields) => ({
    name: fields.optional<string | null>('name', string, null),
    ...filterPair(fields),
  })),
);

const contextId = shortText(MAX_TRIGGER_CONTEXT_ID);
const registrationTime = choice('exclude', 'include');
const bytes = integer(1, 8);

/** Stands for a missing dictionary. */
const none: ReadonlyMap<string, never> = new Map<string, never>();

export function aggregatableSource(fields: Fields, expiry: Duration, limits: Limits): AggregatableSource {
  return {
    window: fields.optional('aggregatable_report_window', clampedSeconds(MIN_REPORT_WINDOW, expiry), expiry),
    keys: fields.optional('aggregation_keys', keyPieces, none),
    namedBudgets: fields.optional('named_budgets', budgets, none),
    ...debugReportingIn(fields, 'source', limits),
  };
}

export function aggregatableTrigger(fields: Fields, place: Place, limits: Limits): AggregatableTrigger {
  const filteringIdMaxBytes = fields.optional(
    'aggregatable_filtering_id_max_bytes',
    bytes,
    DEFAULT_FILTERING_ID_MAX_BYTES,
  );
  const trigger: AggregatableTrigger = {
    triggerData: fields.optional('aggregatable_trigger_data', triggerData, []),
    values: fields.optional('aggregatable_values', values(filteringIdMaxBytes), []),
    deduplicationKeys: fields.optional('aggregatable_deduplication_keys', deduplicationKeys, []),
    namedBudgets: fields.optional('named_budgets', namedBudgets, []),
    coordinatorOrigin: fields.optional('aggregation_coordinator_origin', coordinator(limits), null),
    contextId: fields.optional<string | null>('trigger_context_id', contextId, null),
    sourceRegistrationTime: fields.optional(
      'aggregatable_source_registration_time',
      registrationTime,
      'exclude',
    ),
    filteringIdMaxBytes,
    ...debugReportingIn(fields, 'trigger', limits),
  };
  if (trigger.sourceRegistrationTime === 'include' && isSentUnconditionally(trigger))
    place.error('registration-time');
  return trigger;
}
