import { mostConversions } from '../../src/attribution/flexible';
import { parseSource } from '../../formats/registration/source';
import { chromiumLimits } from '../../src/model/limits';
import type { JsonObject } from '../../src/model/json';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  triggerRegistration,
} from './helpers/engine';

const spec = (data: readonly number[], operator: string, ...buckets: readonly number[]): JsonObject => ({
  trigger_data: [...data],
  summary_operator: operator,
  summary_buckets: [...buckets],
});

test.each([
  ['as many as a count needs', [spec([0], 'count', 1, 150)], 150],
  ['for each trigger data', [spec([0, 1], 'count', 3), spec([2], 'count', 2)], 8],
  ['a thousand at most', [spec([0], 'count', 5000)], 1000],
  ['of all specs together', [spec([0], 'count', 700), spec([1], 'count', 700)], 1000],
  ['a hundred of a sum', [spec([0], 'value_sum', 5000)], 100],
  ['fewer of a small sum', [spec([0], 'value_sum', 7)], 7],
])('a source keeps conversions: %s', (_name, trigger_specs, most) => {
  const { value } = parseSource(
    { destination: 'https://shop.example', max_event_level_reports: 2, trigger_specs },
    'navigation',
    chromiumLimits,
  );
  expect(value === null ? null : mostConversions(value)).toBe(most);
});

test('a summary bucket of more than a hundred conversions is entered', async () => {
  const { engine, store } = newEngine();
  await engine.register(
    sourceRegistration({ max_event_level_reports: 1, trigger_specs: [spec([0], 'count', 150)] }),
    conditions(),
  );
  for (let count = 1; count <= 150; count++) {
    expect(await pendingReports(store)).toEqual([]);
    await engine.register(triggerRegistration({ event_trigger_data: [{ trigger_data: '0' }] }), conditions());
  }
  expect((await pendingReports(store)).map(({ body }) => body)).toMatchObject([
    { trigger_summary_bucket: [150, 2 ** 32 - 1] },
  ]);
});
