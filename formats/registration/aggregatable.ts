import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { isJsonObject } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import { shown } from '../../src/model/mistakes';
import type {
  AggregatableDeduplicationKey,
  AggregatableKeyValue,
  AggregatableSource,
  AggregatableTrigger,
  AggregatableTriggerData,
  AggregatableValues,
  NamedBudget,
} from '../../src/model/registration';
import type { Duration } from '../../src/model/units';
import {
  Fields,
  integer,
  list,
  oneOf,
  set,
  shortText,
  string,
  uint64,
  utf8Length,
  type Parser,
} from '../codec/fields';
import { filterPair } from './filters';
import type { Place } from '../codec/issues';
import { coordinator, debugReportingIn, keyPiece } from './debug-reporting';
import { clampedSeconds, MIN_REPORT_WINDOW } from './report-windows';

const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 25;
const MAX_NAMED_BUDGETS = 25;
const MAX_TRIGGER_CONTEXT_ID = 64;
const DEFAULT_FILTERING_ID = 0n;
export const DEFAULT_FILTERING_ID_MAX_BYTES = 1;

/** Of a missing dictionary. */
const none: ReadonlyMap<string, never> = new Map<string, never>();

export function aggregatableSource(fields: Fields, expiry: Duration, limits: Limits): AggregatableSource {
  return {
    window: fields.optional('aggregatable_report_window', clampedSeconds(MIN_REPORT_WINDOW, expiry), expiry),
    keys: fields.optional('aggregation_keys', dictionary(keyPiece, MAX_KEYS, MAX_KEY_LENGTH), none),
    namedBudgets: fields.optional(
      'named_budgets',
      dictionary(integer(0, CONTRIBUTION_BUDGET), MAX_NAMED_BUDGETS, MAX_KEY_LENGTH),
      none,
    ),
    ...debugReportingIn(fields, 'source', limits),
  };
}

export function aggregatableTrigger(fields: Fields, place: Place, limits: Limits): AggregatableTrigger {
  const filteringIdMaxBytes = fields.optional(
    'aggregatable_filtering_id_max_bytes',
    integer(1, 8),
    DEFAULT_FILTERING_ID_MAX_BYTES,
  );
  const trigger: AggregatableTrigger = {
    triggerData: fields.optional('aggregatable_trigger_data', list(triggerData), []),
    values: fields.optional('aggregatable_values', values(filteringIdMaxBytes), []),
    deduplicationKeys: fields.optional('aggregatable_deduplication_keys', list(deduplicationKey), []),
    namedBudgets: fields.optional('named_budgets', list(namedBudget), []),
    coordinatorOrigin: fields.optional('aggregation_coordinator_origin', coordinator(limits), null),
    contextId: fields.optional<string | null>('trigger_context_id', shortText(MAX_TRIGGER_CONTEXT_ID), null),
    sourceRegistrationTime:
      fields.optional('aggregatable_source_registration_time', oneOf('exclude', 'include'), null) ??
      'exclude',
    filteringIdMaxBytes,
    ...debugReportingIn(fields, 'trigger', limits),
  };
  if (trigger.sourceRegistrationTime === 'include' && isSentUnconditionally(trigger))
    place.error('registration-time');
  return trigger;
}

/** What decides whether a trigger makes a report in any case. */
export type Unconditional = Pick<AggregatableTrigger, 'contextId' | 'filteringIdMaxBytes'>;

/** ARA, "check if an aggregatable attribution report should be unconditionally sent". */
export const isSentUnconditionally = ({ contextId, filteringIdMaxBytes }: Unconditional): boolean =>
  contextId !== null || filteringIdMaxBytes !== DEFAULT_FILTERING_ID_MAX_BYTES;

/** ARA, "check if an attribution trigger contains aggregatable data". */
export const hasAggregatableData = ({ triggerData, values }: AggregatableTrigger): boolean =>
  triggerData.length > 0 || values.some((configuration) => configuration.values.size > 0);

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

const triggerData: Parser<AggregatableTriggerData> = (place) => {
  const fields = new Fields(place);
  const data: AggregatableTriggerData = {
    keyPiece: fields.required('key_piece', keyPiece, 0n),
    sourceKeys: fields.optional('source_keys', set(string()), []),
    ...filterPair(fields),
  };
  fields.warnUnknown();
  return data;
};

/** ARA, "parse aggregatable values": one configuration without filters, or a list of them. */
const values =
  (maxBytes: number): Parser<readonly AggregatableValues[]> =>
  (place) => {
    const keyValues = dictionary(keyValue(maxBytes));
    if (!Array.isArray(place.value)) return [{ values: keyValues(place), filters: [], notFilters: [] }];
    return list((at): AggregatableValues => {
      const fields = new Fields(at);
      const configuration = {
        values: fields.required('values', keyValues, none),
        ...filterPair(fields),
      };
      fields.warnUnknown();
      return configuration;
    })(place);
  };

const keyValue =
  (maxBytes: number): Parser<AggregatableKeyValue> =>
  (place) => {
    const value = integer(1, CONTRIBUTION_BUDGET);
    // Nearly everybody means an integer, so that is what other values are told to be.
    if (!isJsonObject(place.value)) return { value: value(place), filteringId: DEFAULT_FILTERING_ID };
    const fields = new Fields(place);
    const parsed = {
      value: fields.required('value', value, 1),
      filteringId: fields.optional('filtering_id', filteringId(maxBytes), DEFAULT_FILTERING_ID),
    };
    fields.warnUnknown();
    return parsed;
  };

const filteringId =
  (maxBytes: number): Parser<bigint> =>
  (place) => {
    const id = uint64(place);
    if (id >= 256n ** BigInt(maxBytes)) place.expected('filtering-id', { bytes: maxBytes });
    return id;
  };

const deduplicationKey: Parser<AggregatableDeduplicationKey> = (place) => {
  const fields = new Fields(place);
  const key = {
    deduplicationKey: fields.optional<bigint | null>('deduplication_key', uint64, null),
    ...filterPair(fields),
  };
  fields.warnUnknown();
  return key;
};

const namedBudget: Parser<NamedBudget> = (place) => {
  const fields = new Fields(place);
  const budget = { name: fields.optional<string | null>('name', string(), null), ...filterPair(fields) };
  fields.warnUnknown();
  return budget;
};
