import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiConfig } from '../../../analysis/scenario/api-config';
import { readJson } from '../../../cli/io/input';
import { chromiumLimits } from '../../../src/model/limits';
import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import { fillIn } from '../../../recording/rules';
import { eventLevelReport } from '../../../formats/reports/event-level-report';
import { feature } from '../../../formats/sources/source-row';
import { report } from '../helpers/collector-client';

test.each(['1e999', '-1e999', '[1e400]'])('%s is refused where JSON is read', (text) => {
  expect(readJsonText(text).problem).toMatchObject({ code: 'json-number' });
});

test.each([
  ['integer', '9007199254740991', 9007199254740991],
  ['integer', '9007199254740993', null],
  ['integer', '9'.repeat(400), null],
  ['money', '90071992547409.91', 9007199254740991],
  ['money', '90071992547409.92', null],
] as const)('a page has the %s %s: %s', (as, text, value) => {
  expect(fillIn({ $extract: { as } }, [text])).toBe(value);
});

test.each([1e21, -1e308, Infinity])('a report with the noisy value %s is refused', (noisy_value) => {
  const { errors } = parse({ ...report, noisy_value }, eventLevelReport);
  expect(errors.map(({ path }) => path)).toEqual(['noisy_value']);
});

test('a source has no infinite feature', () => {
  expect(parse(Infinity, feature).errors).toHaveLength(1);
});

test.each([
  'rate_limit_time_window_in_days',
  'destination_rate_limit_window_in_minutes',
  'max_settable_event_level_epsilon',
])('api_config has no %s above 2^53', (name) => {
  const { errors } = parse({ [name]: '9007199254740991' }, apiConfig(chromiumLimits));
  expect(errors.map(({ path }) => path)).toEqual([name]);
});

test('a command reads a field named __proto__ as a field', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'cointoss-proto-')), 'settings.json');
  writeFileSync(file, '{"__proto__": {"paused": true}} // a comment');
  const json = readJson(file);
  expect(Object.getOwnPropertyNames(json)).toEqual(['__proto__']);
});
