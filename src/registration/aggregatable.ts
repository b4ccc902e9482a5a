import type { Json, JsonObject } from '../model/json';
import type { Limits } from '../model/limits';
import { shown } from '../model/mistakes';
import type { Duration } from '../model/units';
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
} from '../parsing/fields';
import { filterPair } from './filters';
import type { Place } from '../parsing/issues';
import { originOfUrl } from '../parsing/origin';
import { clampedSeconds, MIN_REPORT_WINDOW } from './report-windows';

/* The aggregatable half is validated and kept, because Chromium refuses headers over it, but not acted upon. */

const MAX_BUDGET = 65536;
const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 25;
const MAX_NAMED_BUDGETS = 25;
const MAX_TRIGGER_CONTEXT_ID = 64;
const DEFAULT_FILTERING_ID_MAX_BYTES = 1;

const sourceFields = [
  'aggregatable_debug_reporting',
  'aggregatable_report_window',
  'aggregation_keys',
  'named_budgets',
];

const triggerFields = [
  'aggregatable_debug_reporting',
  'aggregatable_deduplication_keys',
  'aggregatable_filtering_id_max_bytes',
  'aggregatable_source_registration_time',
  'aggregatable_trigger_data',
  'aggregatable_values',
  'aggregation_coordinator_origin',
  'named_budgets',
  'trigger_context_id',
];

export function aggregatableSource(fields: Fields, expiry: Duration, limits: Limits): JsonObject {
  fields.optional('aggregatable_report_window', clampedSeconds(MIN_REPORT_WINDOW, expiry), expiry);
  fields.optional('aggregation_keys', dictionary(keyPiece, MAX_KEYS, MAX_KEY_LENGTH), null);
  fields.optional(
    'named_budgets',
    dictionary(integer(0, MAX_BUDGET), MAX_NAMED_BUDGETS, MAX_KEY_LENGTH),
    null,
  );
  fields.lenient('aggregatable_debug_reporting', debugReporting(limits, true), null);
  return fields.verbatim(sourceFields);
}

export function aggregatableTrigger(fields: Fields, place: Place, limits: Limits): JsonObject {
  const maxBytes = fields.optional(
    'aggregatable_filtering_id_max_bytes',
    integer(1, 8),
    DEFAULT_FILTERING_ID_MAX_BYTES,
  );
  fields.optional('aggregatable_trigger_data', list(triggerData), []);
  fields.optional('aggregatable_values', values(maxBytes), null);
  fields.optional('aggregatable_deduplication_keys', list(deduplicationKey), []);
  fields.optional('named_budgets', list(namedBudget), []);
  fields.optional('aggregation_coordinator_origin', coordinator(limits), null);
  fields.lenient('aggregatable_debug_reporting', debugReporting(limits, false), null);
  const contextId = fields.optional<string | null>(
    'trigger_context_id',
    shortText(MAX_TRIGGER_CONTEXT_ID),
    null,
  );
  const registrationTime = fields.optional(
    'aggregatable_source_registration_time',
    oneOf('exclude', 'include'),
    'exclude',
  );
  // ARA, "check if an aggregatable attribution report should be unconditionally sent".
  const unconditional = contextId !== null || maxBytes !== DEFAULT_FILTERING_ID_MAX_BYTES;
  if (registrationTime === 'include' && unconditional) {
    place.error('registration-time');
  }
  return fields.verbatim(triggerFields);
}

/** ARA, "check if an attribution trigger contains aggregatable data". */
export function hasAggregatableData(aggregatable: JsonObject): boolean {
  const fields = new Map(Object.entries(aggregatable));
  const data = fields.get('aggregatable_trigger_data');
  const values = fields.get('aggregatable_values');
  const isEmpty = (value: Json | undefined): boolean =>
    value === undefined || value === null || Object.keys(value as object).length === 0;
  if (!isEmpty(data)) return true;
  return Array.isArray(values)
    ? (values as readonly { readonly values: Json }[]).some((configuration) => !isEmpty(configuration.values))
    : !isEmpty(values);
}

const dictionary =
  (value: Parser<unknown>, maxSize = Infinity, maxKeyLength = Infinity): Parser<null> =>
  (place) => {
    const fields = new Fields(place);
    const names = [...fields.names()];
    if (names.length > maxSize) place.error('too-many-keys', { max: maxSize, count: names.length });
    for (const name of names) {
      if (utf8Length(name) > maxKeyLength)
        place.at(name, null).error('long-key', { max: maxKeyLength, key: shown(name) });
      fields.optional(name, value, null);
    }
    return null;
  };

/** ARA, "parse an aggregation key piece". */
const keyPiece: Parser<null> = (place) => {
  if (typeof place.value !== 'string' || !/^0[xX][0-9a-fA-F]{1,32}$/.test(place.value)) {
    place.expected('key-piece');
  }
  return null;
};

const triggerData: Parser<null> = (place) => {
  const fields = new Fields(place);
  fields.required('key_piece', keyPiece, null);
  fields.optional('source_keys', set(string()), []);
  filterPair(fields);
  fields.warnUnknown();
  return null;
};

const values =
  (maxBytes: number): Parser<null> =>
  (place) => {
    if (!Array.isArray(place.value)) return dictionary(keyValue(maxBytes))(place);
    list((at) => {
      const fields = new Fields(at);
      fields.required('values', dictionary(keyValue(maxBytes)), null);
      filterPair(fields);
      fields.warnUnknown();
    })(place);
    return null;
  };

const keyValue =
  (maxBytes: number): Parser<null> =>
  (place) => {
    if (typeof place.value === 'number') {
      integer(1, MAX_BUDGET)(place);
      return null;
    }
    const fields = new Fields(place);
    fields.required('value', integer(1, MAX_BUDGET), 1);
    fields.optional('filtering_id', filteringId(maxBytes), 0n);
    fields.warnUnknown();
    return null;
  };

const filteringId =
  (maxBytes: number): Parser<bigint> =>
  (place) => {
    const id = uint64(place);
    if (id >= 256n ** BigInt(maxBytes)) place.expected('filtering-id', { bytes: maxBytes });
    return id;
  };

const deduplicationKey: Parser<null> = (place) => {
  const fields = new Fields(place);
  fields.optional('deduplication_key', uint64, 0n);
  filterPair(fields);
  fields.warnUnknown();
  return null;
};

const namedBudget: Parser<null> = (place) => {
  const fields = new Fields(place);
  fields.optional('name', string(), '');
  filterPair(fields);
  fields.warnUnknown();
  return null;
};

const coordinator =
  ({ aggregationCoordinatorOrigins }: Limits): Parser<null> =>
  (place) => {
    const origin = typeof place.value === 'string' ? originOfUrl(place.value) : null;
    if (origin === null || !aggregationCoordinatorOrigins.includes(origin)) {
      place.expected('one-of', { values: aggregationCoordinatorOrigins.join(', ') });
    }
    return null;
  };

/** ARA, "parse an aggregatable debug reporting config"; its mistakes are warnings and leave the default. */
const debugReporting =
  (limits: Limits, needsBudget: boolean): Parser<null> =>
  (place) => {
    const fields = new Fields(place);
    const budget = needsBudget ? fields.required('budget', integer(1, MAX_BUDGET), MAX_BUDGET) : MAX_BUDGET;
    fields.required('key_piece', keyPiece, null);
    fields.optional('aggregation_coordinator_origin', coordinator(limits), null);
    fields.optional('debug_data', list(debugData(budget)), []);
    fields.warnUnknown();
    return null;
  };

const debugData =
  (budget: number): Parser<null> =>
  (place) => {
    const fields = new Fields(place);
    fields.required('key_piece', keyPiece, null);
    fields.required('value', integer(1, budget), 1);
    fields.required('types', list(string(), { min: 1 }), []);
    fields.warnUnknown();
    return null;
  };
