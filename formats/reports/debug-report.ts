import type { Json } from '../../src/model/json';
import { anyJson, list, plain, type Codec } from '../codec/codec';
import { record, required } from '../codec/record';

/** One item of a verbose debug report (ARA, "verbose debug data"). */
export interface DebugItem {
  readonly type: string;
  readonly body: Json;
}

const nonEmpty: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && place.value !== '') return place.value;
    place.expected('non-empty-string');
    return '';
  },
  { type: 'string', minLength: 1 },
);

/** ARA, "serialize a verbose debug report". */
export const verboseReport: Codec<readonly DebugItem[]> = list(
  record<DebugItem>({ type: required('type', nonEmpty), body: required('body', anyJson) }),
  { min: 1 },
);
