import fc from 'fast-check';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json } from '../../../src/model/json';
import { parseJsonHeader } from '../../../formats/registration/header';
import { serializeSource, serializeTrigger } from '../../../formats/registration/serialize';
import { parseSource } from '../../../formats/registration/source';
import { parseTrigger } from '../../../formats/registration/trigger';
import { accepted, parsedSource, parsedTrigger } from '../helpers/parsing';
import { anySource, anySourceType, anyTrigger } from '../helpers/registrations';
import { isLong } from '../helpers/is-long';

/** Through the text of a header, as it would travel. */
const sent = (json: Json): Json => accepted(parseJsonHeader(JSON.stringify(json)));

test('a source is what its serialization parses as', () => {
  const sources = anySourceType.chain((type) => fc.tuple(fc.constant(type), anySource(type)));
  fc.assert(
    fc.property(sources, ([sourceType, source]) => {
      const parsed = parseSource(sent(serializeSource(source)), sourceType, chromiumLimits);
      // A warning about buckets says nothing against it.
      expect([parsed.value, parsed.errors]).toEqual([source, []]);
    }),
    { numRuns: isLong ? 500 : 150 },
  );
});

test('a trigger is what its serialization parses as', () => {
  fc.assert(
    fc.property(anyTrigger, (trigger) => {
      expect(accepted(parseTrigger(sent(serializeTrigger(trigger)), chromiumLimits))).toEqual(trigger);
    }),
    { numRuns: isLong ? 500 : 150 },
  );
});

test('a source with nothing but a destination is serialized with every default', () => {
  expect(serializeSource(accepted(parsedSource({}, 'event')))).toEqual({
    destination: ['https://shop.example'],
    source_event_id: '0',
    expiry: 2592000,
    priority: '0',
    destination_limit_priority: '0',
    filter_data: {},
    debug_reporting: false,
    max_event_level_reports: 1,
    trigger_data_matching: 'modulus',
    event_level_epsilon: 14,
    trigger_data: [0, 1],
    event_report_windows: { start_time: 0, end_times: [2592000] },
  });
});

test('a flexible source is serialized with the windows and buckets of each of its specs', () => {
  const source = accepted(
    parsedSource({ trigger_specs: [{ trigger_data: [0], summary_buckets: [5] }, { trigger_data: [1] }] }),
  );
  const windows = { start_time: 0, end_times: [172800, 604800, 2592000] };
  expect(serializeSource(source)).toMatchObject({
    trigger_specs: [
      { trigger_data: [0], event_report_windows: windows, summary_operator: 'count', summary_buckets: [5] },
      {
        trigger_data: [1],
        event_report_windows: windows,
        summary_operator: 'count',
        summary_buckets: [1, 2, 3],
      },
    ],
  });
  expect(serializeSource(source)).not.toHaveProperty('trigger_data');
  expect(serializeSource(source)).not.toHaveProperty('event_report_windows');
});

test('a trigger is serialized with every default', () => {
  expect(serializeTrigger(accepted(parsedTrigger({ event_trigger_data: [{}] })))).toEqual({
    event_trigger_data: [{ trigger_data: '0', priority: '0', value: 1, filters: [], not_filters: [] }],
    filters: [],
    not_filters: [],
    debug_reporting: false,
    attribution_scopes: [],
  });
});
