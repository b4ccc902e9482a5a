import type { Json, JsonObject } from '../../src/model/json';
import {
  DEFAULT_FILTERING_ID_MAX_BYTES,
  type AggregatableSource,
  type AggregatableTrigger,
  type AggregatableValues,
} from '../../src/model/registration';
import type { Duration } from '../../src/model/units';
import { inSeconds, serializeFilterPair } from './serialize-filters';

/* As in serialize.ts, but without fields that have their default: most registrations have none of them. */

export const serializeAggregatableSource = (
  { keys, window, namedBudgets, debugReporting }: AggregatableSource,
  expiry: Duration,
): JsonObject => ({
  ...debugReporting,
  ...(window === expiry ? {} : { aggregatable_report_window: inSeconds(window) }),
  ...(keys.size === 0 ? {} : { aggregation_keys: objectOf(keys, keyPiece) }),
  ...(namedBudgets.size === 0 ? {} : { named_budgets: Object.fromEntries(namedBudgets) }),
});

export const serializeAggregatableTrigger = (trigger: AggregatableTrigger): JsonObject => ({
  ...trigger.debugReporting,
  ...unlessEmpty(
    'aggregatable_trigger_data',
    trigger.triggerData.map((data) => ({
      key_piece: keyPiece(data.keyPiece),
      source_keys: data.sourceKeys,
      ...serializeFilterPair(data),
    })),
  ),
  ...unlessEmpty('aggregatable_values', trigger.values.map(serializeValues)),
  ...unlessEmpty(
    'aggregatable_deduplication_keys',
    trigger.deduplicationKeys.map(({ deduplicationKey: key, ...filters }) => ({
      ...(key === null ? {} : { deduplication_key: String(key) }),
      ...serializeFilterPair(filters),
    })),
  ),
  ...unlessEmpty(
    'named_budgets',
    trigger.namedBudgets.map(({ name, ...filters }) => ({
      ...(name === null ? {} : { name }),
      ...serializeFilterPair(filters),
    })),
  ),
  ...(trigger.coordinatorOrigin === null
    ? {}
    : { aggregation_coordinator_origin: trigger.coordinatorOrigin }),
  ...(trigger.sourceRegistrationTime === 'exclude'
    ? {}
    : { aggregatable_source_registration_time: 'include' }),
  ...(trigger.contextId === null ? {} : { trigger_context_id: trigger.contextId }),
  ...(trigger.filteringIdMaxBytes === DEFAULT_FILTERING_ID_MAX_BYTES
    ? {}
    : { aggregatable_filtering_id_max_bytes: trigger.filteringIdMaxBytes }),
});

const serializeValues = ({ values, ...filters }: AggregatableValues): Json => ({
  values: objectOf(values, ({ value, filteringId }) => ({ value, filtering_id: String(filteringId) })),
  ...serializeFilterPair(filters),
});

const keyPiece = (piece: bigint): string => `0x${piece.toString(16)}`;

const objectOf = <T>(map: ReadonlyMap<string, T>, write: (value: T) => Json): JsonObject =>
  Object.fromEntries([...map].map(([name, value]) => [name, write(value)]));

const unlessEmpty = (name: string, items: readonly Json[]): JsonObject =>
  items.length === 0 ? {} : { [name]: items };
