import type { Json } from '../src/model/json';
import type { Extractor, RecordingRule } from './recording-rule';

export const EXTRACT = '$extract';

/**
 * How a value that a rule reads off a page gets into reports. `number`, `site`: unchanged. `noised`: it decides the source's output,
 * which noise protects. `never`: it is only compared on the device.
 */
type Leaves = 'number' | 'site' | 'noised' | 'never';

/** A value that a rule reads off a page. */
export interface Reading {
  /** The field, such as `event_trigger_data.value`, without the positions in lists. */
  readonly field: string;
  readonly extractor: Extractor;
  readonly leaves: Leaves;
}

interface ReadableField {
  readonly leaves: Leaves;
  readonly as: readonly Extractor['as'][];
}

// The parsers of registrations take 64-bit numbers as strings of digits only.
const digits = ['text'] as const;
const filters: ReadableField = { leaves: 'never', as: ['text', 'integer', 'money', 'origin'] };

/**
 * The fields that may hold a value read off a page. Fields that decide how a source reports, or allow debug reports, are not among them.
 */
const readableFields: Readonly<Record<RecordingRule['register'], Readonly<Record<string, ReadableField>>>> = {
  source: {
    source_event_id: { leaves: 'number', as: digits },
    destination: { leaves: 'site', as: ['origin'] },
    filter_data: filters,
    priority: { leaves: 'never', as: digits },
  },
  trigger: {
    filters,
    not_filters: filters,
    'event_trigger_data.filters': filters,
    'event_trigger_data.not_filters': filters,
    'event_trigger_data.trigger_data': { leaves: 'noised', as: digits },
    'event_trigger_data.value': { leaves: 'noised', as: ['integer', 'money'] },
    'event_trigger_data.priority': { leaves: 'noised', as: digits },
    'event_trigger_data.deduplication_key': { leaves: 'never', as: digits },
  },
};

/** The field at `path` or around it, if it may hold a value read off a page. */
export function readableField(
  register: RecordingRule['register'],
  path: readonly string[],
): (ReadableField & { readonly field: string }) | null {
  for (const [field, readable] of Object.entries(readableFields[register]))
    if (`${path.join('.')}.`.startsWith(`${field}.`)) return { field, ...readable };
  return null;
}

/** Replaces each extractor in `template`, in order. `path` has the names of the fields around it. */
export function replaceExtractors(
  template: Json,
  replace: (extractor: Extractor, path: readonly string[]) => Json,
  path: readonly string[] = [],
): Json {
  if (Array.isArray(template)) return template.map((item: Json) => replaceExtractors(item, replace, path));
  if (typeof template !== 'object' || template === null) return template;
  const entries = new Map(Object.entries(template));
  const extract = entries.get(EXTRACT) as Partial<Extractor> | undefined;
  if (extract !== undefined)
    return replace({ selector: null, attribute: null, as: 'text', ...extract }, path);
  return Object.fromEntries(
    [...entries].map(([key, value]) => [key, replaceExtractors(value, replace, [...path, key])]),
  );
}

/** What a rule reads off a page, in the order in which `fillIn` takes the values. */
export function readingsOf({ register, registration }: RecordingRule): readonly Reading[] {
  const readings: Reading[] = [];
  replaceExtractors(registration, (extractor, path) => {
    const readable = readableField(register, path);
    if (readable !== null) readings.push({ extractor, field: readable.field, leaves: readable.leaves });
    return null;
  });
  return readings;
}
