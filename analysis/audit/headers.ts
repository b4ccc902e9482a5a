import type { JsonObject } from '../../src/model/json';
import type { Epsilon } from '../../src/model/units';
import type { Shape } from './shapes';
import { originOf, type Conversion, type Impression } from './world';

/**
 * A source's header. It asks for debug reports and aggregatable ones, too: whether they are made is for the device to decide.
 * @param usual of sources that do not say otherwise
 */
export const sourceHeader = (
  { id, advertisers, shape, epsilon, fields }: Impression,
  usual: { readonly shape: Shape; readonly registered: Epsilon },
): JsonObject => ({
  destination: advertisers.map(originOf),
  source_event_id: String(id),
  event_level_epsilon: epsilon ?? usual.registered,
  debug_key: '1',
  debug_reporting: true,
  aggregation_keys: { purchase: '0x1' },
  ...(shape ?? usual.shape).fields,
  ...fields,
});

export const triggerHeader = ({
  data = 0,
  value = 1,
  priority = 0,
  key,
  contextId,
  fields,
}: Conversion): JsonObject => ({
  event_trigger_data: [
    {
      trigger_data: String(data),
      value,
      priority: String(priority),
      ...(key === undefined ? {} : { deduplication_key: key }),
    },
  ],
  debug_key: '2',
  debug_reporting: true,
  aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: ['purchase'] }],
  aggregatable_values: { purchase: value },
  aggregatable_source_registration_time: 'exclude',
  ...(contextId === undefined ? {} : { trigger_context_id: contextId }),
  ...fields,
});
