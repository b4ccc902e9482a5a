import { choice, described, integer, list, number, orNull, plain } from '../../formats/codec/codec';
import { defaultSettings } from '../../formats/settings/settings';
import { settings } from '../../formats/settings/parse-settings';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { defaultMeasurement } from '../../src/model/mechanisms';
import { allocationPolicies } from '../simulation/allocation';
import { matchingMechanisms } from '../simulation/matching-settings';
import { api } from './api';
import { cheating } from './cheating/cheating';

const anyObject = plain<JsonObject>(() => ({}), { type: 'object' });

/** Fields of registrations, with dots between names. Others are allowed, too: the parser of registrations checks all. */
const sourceFields: Readonly<Record<string, { readonly schema: JsonObject }>> = {
  event_level_epsilon: described(number(0, 14), 'ε of the output of a source'),
  max_event_level_reports: integer(0, 20),
  event_report_window: described(orNull(integer(3600)), 'Seconds'),
  'event_report_windows.end_times': described(
    list(integer(3600, 2_592_000), { min: 1, max: 5 }),
    'The ends of the report windows, in seconds after the source',
  ),
  trigger_specs: described(orNull(list(anyObject)), 'Windows and summary buckets by trigger data'),
  expiry: described(integer(86_400), 'Seconds'),
  trigger_data: orNull(list(integer(0))),
};

const fieldsOf = ({ properties = {} }: JsonObject): readonly (readonly [string, JsonObject])[] =>
  Object.entries(properties as JsonObject).flatMap(([name, schema]) =>
    isJsonObject(schema) ? [[name, schema] as const] : [],
  );

/** The settings of measurement, which decide what a simulation finds. */
const measured = fieldsOf(settings(defaultSettings).schema).filter(
  ([name]) => Object.hasOwn(defaultMeasurement, name) || name === 'deliveryProfile',
);

/** Other settings are allowed, and change nothing here. */
export const settingsSchema: JsonObject = {
  type: 'object',
  description: 'What the grid does not vary; as the file of `simulate --settings`',
  properties: Object.fromEntries(measured),
};

/** A setting and the fields of its variants, with all schemas that each has. */
function settingPaths([name, schema]: readonly [string, JsonObject]): readonly [string, JsonObject][] {
  const variants = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as readonly JsonObject[]) : [schema];
  const byName = new Map<string, Map<string, Json>>();
  for (const [field, one] of variants.flatMap(fieldsOf)) {
    const schemas = byName.get(field) ?? new Map<string, Json>();
    byName.set(field, schemas.set(JSON.stringify(one), one));
  }
  return [
    [name, schema],
    ...[...byName].map(([field, schemas]): [string, JsonObject] => [
      `${name}.${field}`,
      { anyOf: [...schemas.values()] },
    ]),
  ];
}

const varied = (schema: Json): JsonObject => ({
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: schema,
});

export const gridSchema: JsonObject = {
  type: 'object',
  description:
    'What cells vary: one cell for each combination. `settings.` and the fields of the settings, with dots; `source.`, `navigation_source.` or `event_source.` and the fields of the registration, where null removes a field',
  properties: Object.fromEntries<JsonObject>([
    ...['source', 'navigation_source', 'event_source'].flatMap((section) =>
      Object.entries(sourceFields).map(
        ([name, { schema }]) => [`${section}.${name}`, varied(schema)] as const,
      ),
    ),
    ...measured.flatMap(settingPaths).map(([name, schema]) => [`settings.${name}`, varied(schema)] as const),
    [
      'allocation',
      {
        ...varied(choice(...allocationPolicies).schema),
        description: 'How impressions share the budget of a unit',
      },
    ],
    [
      'matching',
      {
        ...varied(orNull(choice(...matchingMechanisms)).schema),
        description: 'Whether each click is credited with at most one conversion',
      },
    ],
    [
      'api',
      {
        ...varied(api.schema),
        description: 'Event-level reports, summary reports or W3C Attribution; docs/experiments.md',
      },
    ],
    [
      'cheating',
      {
        ...varied(cheating.schema),
        description: 'What a dishonest publisher does; takes an api; docs/cheating.md',
      },
    ],
  ]),
  patternProperties: {
    '^(settings|source|navigation_source|event_source)\\..+$': { type: 'array', minItems: 1 },
  },
  additionalProperties: false,
};
