import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { JsonObject } from '../../../src/model/json';
import type { Issue } from '../../../formats/codec/mistakes';
import { parseHeader } from '../../../formats/registration/header';
import { parseTrigger } from '../../../formats/registration/trigger';
import { validateSource } from '../../../formats/registration/validate';

/*
 * What the header validator of WICG/attribution-reporting-api says of the same behaviours: the paths of its errors, in our notation. Of its
 * own 285 cases on sources and triggers, all verdicts agree, and the paths of 174 of 180 refusals. It has no `trigger_specs`, `value` or
 * aggregate reports to check here.
 */

type Case = readonly [fields: JsonObject | string, errorPaths: readonly string[]];

const [A, B, C, D] = ['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'];
const day = 86_400;
const shop = (fields: JsonObject): JsonObject => ({ destination: A, ...fields });
const scopes = (fields: JsonObject): JsonObject => shop({ attribution_scopes: fields });
const windows = (fields: JsonObject): JsonObject => shop({ event_report_windows: fields });

const navigationSources: readonly Case[] = [
  [shop({}), []],
  ['{', ['']],
  ['[]', ['']],
  [{}, ['destination']],
  [{ destination: 7 }, ['destination']],
  [{ destination: [] }, ['destination']],
  [{ destination: [A, 7] }, ['destination[1]']],
  [{ destination: 'http://a.example' }, ['destination']],
  [{ destination: 'a.example' }, ['destination']],
  [{ destination: [A, B, C, D] }, ['destination']],
  [{ destination: [A, B, C, `${A}/again`] }, []],
  [shop({ source_event_id: '18446744073709551615' }), []],
  [shop({ source_event_id: '18446744073709551616' }), ['source_event_id']],
  [shop({ source_event_id: 7 }), ['source_event_id']],
  [shop({ priority: '-9223372036854775808' }), []],
  [shop({ priority: '9223372036854775808' }), ['priority']],
  [shop({ destination_limit_priority: 'x' }), ['destination_limit_priority']],
  [shop({ expiry: day - 1 }), []],
  [shop({ expiry: -1 }), ['expiry']],
  [shop({ expiry: '-1' }), ['expiry']],
  [shop({ expiry: 1.5 }), ['expiry']],
  [shop({ event_report_window: '3601' }), []],
  [shop({ event_report_window: true }), ['event_report_window']],
  [windows({ end_times: [3600, day] }), []],
  [windows({}), ['event_report_windows.end_times']],
  [windows({ end_times: [] }), ['event_report_windows.end_times']],
  [windows({ end_times: [1, 2, 3, 4, 5, 6].map((n) => n * day) }), ['event_report_windows.end_times']],
  [windows({ end_times: [day, day] }), ['event_report_windows.end_times[1]']],
  [windows({ end_times: ['1'] }), ['event_report_windows.end_times[0]']],
  [windows({ start_time: day, end_times: [day] }), ['event_report_windows.end_times[0]']],
  [windows({ start_time: -1, end_times: [day] }), ['event_report_windows.start_time']],
  [{ ...windows({ end_times: [day] }), event_report_window: day }, ['']],
  [shop({ max_event_level_reports: 0 }), []],
  [shop({ max_event_level_reports: 21 }), ['max_event_level_reports']],
  [shop({ max_event_level_reports: 20 }), ['']],
  [shop({ event_level_epsilon: 14.1 }), ['event_level_epsilon']],
  [shop({ trigger_data: [0, 1] }), []],
  [shop({ trigger_data: [1, 1], trigger_data_matching: 'exact' }), ['trigger_data[1]']],
  [shop({ trigger_data: [2 ** 32], trigger_data_matching: 'exact' }), ['trigger_data[0]']],
  [shop({ trigger_data_matching: 'EXACT' }), ['trigger_data_matching']],
  [shop({ trigger_data: [1, 2] }), ['trigger_data_matching']],
  [shop({ filter_data: { a: ['x', 'x'] } }), []],
  [shop({ filter_data: { source_type: [] } }), ['filter_data.source_type']],
  [shop({ filter_data: { _a: [] } }), ['filter_data._a']],
  [shop({ filter_data: { a: [7] } }), ['filter_data.a[0]']],
  [shop({ filter_data: { a: ['x'.repeat(26)] } }), ['filter_data.a[0]']],
  [shop({ debug_key: 7, debug_reporting: 'yes' }), []],
  [scopes({ limit: 1, values: ['x'] }), []],
  [scopes({ values: ['x', 'y'] }), ['attribution_scopes.limit']],
  [scopes({ limit: 1 }), ['attribution_scopes.values']],
  [scopes({ limit: 1, values: ['x', 'y'] }), ['attribution_scopes.values']],
  [scopes({ limit: 1, values: ['x'.repeat(51)] }), ['attribution_scopes.values[0]']],
  [scopes({ limit: 1, values: ['x'], max_event_states: 0 }), ['attribution_scopes.max_event_states']],
  [scopes({ limit: 1000, values: ['x'], max_event_states: 100 }), ['']],
  [shop({ aggregation_keys: { a: '15' } }), ['aggregation_keys.a']],
];

const eventSources: readonly Case[] = [
  [shop({ max_event_level_reports: 3 }), []],
  [scopes({ limit: 1, values: ['x'], max_event_states: 2 }), ['']],
];

const triggers: readonly Case[] = [
  [{}, []],
  ['7', ['']],
  [{ event_trigger_data: {} }, ['event_trigger_data']],
  [{ event_trigger_data: [7] }, ['event_trigger_data[0]']],
  [{ event_trigger_data: [{ trigger_data: 7 }] }, ['event_trigger_data[0].trigger_data']],
  [{ event_trigger_data: [{ value: 19.99 }] }, []],
  [{ event_trigger_data: [{}, { priority: '1.5' }] }, ['event_trigger_data[1].priority']],
  [{ event_trigger_data: [{ deduplication_key: '-1' }] }, ['event_trigger_data[0].deduplication_key']],
  [{ event_trigger_data: [{ filters: 'x' }] }, ['event_trigger_data[0].filters']],
  [{ filters: [{ a: ['x'] }, { b: 7 }] }, ['filters[1].b']],
  [{ filters: { source_type: ['Event'] } }, []],
  [{ not_filters: { _lookback_window: 0 } }, ['not_filters._lookback_window']],
  [{ attribution_scopes: ['x', 7] }, ['attribution_scopes[1]']],
  [{ aggregatable_trigger_data: [{ key_piece: '0x' }] }, ['aggregatable_trigger_data[0].key_piece']],
  [{ aggregatable_trigger_data: [{}] }, ['aggregatable_trigger_data[0].key_piece']],
  [{ aggregatable_values: { a: 65_537 } }, ['aggregatable_values.a']],
  [{ trigger_context_id: 'x'.repeat(65) }, ['trigger_context_id']],
  [{ debug_key: 'x' }, []],
];

/** A missing field is reported with the path of its object. */
const pathOf = (issue: Issue): string =>
  issue.code === 'missing-field' ? [issue.path, issue.values.name].filter(Boolean).join('.') : issue.path;

const text = (fields: JsonObject | string): string =>
  typeof fields === 'string' ? fields : JSON.stringify(fields);

const source =
  (type: SourceType) =>
  (header: string): readonly Issue[] =>
    validateSource(header, type, chromiumLimits).errors;

const told = [
  ...navigationSources.map((one) => [source('navigation'), ...one] as const),
  ...eventSources.map((one) => [source('event'), ...one] as const),
  ...triggers.map(
    (one) =>
      [
        (header: string) => parseHeader(header, (json) => parseTrigger(json, chromiumLimits)).errors,
        ...one,
      ] as const,
  ),
].map(([errorsOf, fields, paths]) => ({ fields, paths, ours: errorsOf(text(fields)).map(pathOf) }));

test('all verdicts are the peer’s', () => {
  const others = told.filter(({ paths, ours }) => (paths.length === 0) !== (ours.length === 0));
  expect(others).toEqual([]);
});

test('the paths of at least 95 % of the errors are the peer’s', () => {
  const refused = told.filter(({ paths }) => paths.length > 0);
  const others = refused.filter(({ paths, ours }) => paths.some((path) => !ours.includes(path)));
  // The rule of modulus is told at the data that break it, and that of two kinds of windows at one of them.
  expect(others.map(({ ours }) => ours)).toEqual([['event_report_window'], ['trigger_data']]);
  expect(others.length / refused.length).toBeLessThan(0.05);
});
