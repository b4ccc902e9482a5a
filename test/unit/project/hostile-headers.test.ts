import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { LogEntry } from '../../../src/model/decision';
import { parseMatchPattern } from '../../../recording/match-pattern';
import { MAX_HEADER_LENGTH } from '../../../formats/registration/header';
import { parseInfo } from '../../../recording/structured-headers';
import { parseTrigger } from '../../../formats/registration/trigger';
import { english } from '../../../words/english';
import {
  ADTECH,
  conditions,
  newEngine,
  NEWS,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

/** Nested objects under long keys, around a repeated key. */
const repeatedKeys = (levels: number, keyLength: number, repeats: number): string => {
  const key = JSON.stringify('k'.repeat(keyLength));
  return `${`{${key}:`.repeat(levels)}{${'"a":0,'.repeat(repeats)}"a":0}${'}'.repeat(levels)}`;
};

/** What the log keeps of a trigger header. */
async function logged(header: string): Promise<LogEntry> {
  const { engine, store } = newEngine();
  await engine.register({ ...triggerRegistration(), header }, conditions());
  const [entry] = await store.read((tx) => tx.table('log').latest(1));
  if (entry === undefined) throw new Error('not logged');
  return entry;
}

const errorsOf = (entry: LogEntry): readonly string[] =>
  entry.kind === 'refused' ? entry.errors.map(english.issueText) : [];

test.each([
  ['40 long keys around 15,000 repeated keys', repeatedKeys(40, 100, 15_000)],
  ['10,000 repeated keys at depth 150', repeatedKeys(150, 1, 10_000)],
  ['one repeated key of 40,000 characters', `{${`"${'k'.repeat(40_000)}":0,`.repeat(2)}"x":0}`],
  ['30,000 bad event_trigger_data', JSON.stringify({ event_trigger_data: Array(30_000).fill([]) })],
  ['20,000 bad debug keys', JSON.stringify({ debug_key: Array(20_000).fill('x') })],
  [
    '12,000 unknown fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [i, 0]))),
  ],
])('%s make a log entry of little more than the header', async (_name, header) => {
  expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
  const entry = await logged(header);
  expect(entry.header).toBe(header);
  expect(JSON.stringify({ ...entry, header: '' }).length).toBeLessThan(20_000);
});

test('the first 20 mistakes are told, and how many more there are', async () => {
  const entry = await logged(JSON.stringify({ event_trigger_data: Array(100).fill([]) }));
  const errors = errorsOf(entry);
  expect(errors).toHaveLength(21);
  expect(errors[19]).toBe('event_trigger_data[19]: must be an object, was []');
  expect(errors[20]).toBe('80 more are not listed');
});

test('mistakes that only warn are counted as well', () => {
  const debugData = Array(30).fill({ key_piece: '0x1', value: 0, types: ['x'] }) as Json;
  const json = { aggregatable_debug_reporting: { key_piece: '0x1', debug_data: debugData } };
  const { value, warnings } = parseTrigger(json, chromiumLimits);
  expect(value).not.toBeNull();
  expect(warnings).toHaveLength(21);
  // 30 values, 30 unknown types, and 29 that are repeated.
  expect(warnings.at(-1)).toEqual({ code: 'more-issues', values: { count: 69 }, path: '' });
});

test('a long path keeps its beginning and its end', async () => {
  const { warnings } = await logged(JSON.stringify({ [`first${'k'.repeat(1000)}last`]: 0 }));
  expect(warnings.map(({ path }) => path)).toEqual([
    expect.stringMatching(/^firstk{95}…k{95}last$/) as string,
  ]);
});

test('a source with every list full fits', async () => {
  const names = (count: number, length: number): string[] =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'x'));
  const { engine } = newEngine({
    limits: { ...chromiumLimits, maxChannelCapacity: { navigation: 99, event: 99 } },
  });
  const registration = sourceRegistration({
    filter_data: Object.fromEntries(names(50, 25).map((name) => [name, names(50, 25)])),
    aggregation_keys: Object.fromEntries(names(20, 25).map((name) => [name, `0x${'f'.repeat(32)}`])),
    named_budgets: Object.fromEntries(names(25, 25).map((name) => [name, 65536])),
    trigger_data: Array.from({ length: 32 }, (_, index) => index),
    attribution_scopes: { limit: 20, values: names(20, 50) },
    destination: names(3, 50).map((name) => `https://${name}.example`),
  });
  expect(registration.header.length).toBeGreaterThan(75_000);
  expect(await engine.register(registration, conditions())).toMatchObject({ warnings: [] });
});

describe('a header that is too long', () => {
  const header = JSON.stringify({ event_trigger_data: [{}], x: 'x'.repeat(MAX_HEADER_LENGTH) });

  test('is refused before it is parsed, and the log says what it has of it', async () => {
    const entry = await logged(header);
    expect(entry.header).toBe(header.slice(0, 1000));
    expect(errorsOf(entry)).toEqual([`must be at most 131072 characters long, was ${header.length}`]);
    expect(entry.warnings.map(english.issueText)).toEqual([
      `was ${header.length} characters long; the log has only the first 1000`,
    ]);
  });

  test('is cut as well if it registers nothing for another reason', async () => {
    const { engine, store } = newEngine();
    const occasion = { time: START, contextOrigin: NEWS, reportingOrigin: ADTECH, via: 'header' };
    const seen = { occasion, header, reason: { code: 'os-only', values: {} } } as const;
    await store.write((tx) => engine.ignoreIn(tx, seen, []));
    const [entry] = await store.read((tx) => tx.table('log').latest(1));
    expect(entry?.header).toHaveLength(1000);
    expect(entry?.warnings).toHaveLength(1);
  });

  test('is not sent back whole in a debug report', async () => {
    const { engine, store } = newEngine();
    await engine.register({ ...triggerRegistration(), header, reportHeaderErrors: true }, conditions());
    const [report] = await store.read((tx) => tx.table('reports').latest(1));
    expect(report?.body).toMatchObject([
      { type: 'header-parsing-error', body: { value: header.slice(0, 1000) } },
    ]);
  });
});

test('a structured header of any length takes little time', () => {
  const { value, errors } = parseInfo(`preferred-platform=(${'1 '.repeat(500_000)})`);
  expect(value).toBeNull();
  expect(errors.map(english.issueText)).toEqual(['must be at most 8192 characters long, was 1000021']);
});

// Each of these took minutes while time grew faster than the input.
test.each([
  ['a*b*', '/*a*b*', 'a'.repeat(1_000_000)],
  ['three stars', '/*a*a*a*b', 'a'.repeat(1_000_000)],
  ['many stars', `/${'*a'.repeat(400)}*b`, 'a'.repeat(1_000_000)],
])('a match pattern with %s is matched in linear time', (_name, path, text) => {
  expect(parseMatchPattern(`https://shop.example${path}`)?.matches(`https://shop.example/${text}`)).toBe(
    false,
  );
});

test('a number with a million digits is refused in linear time', () => {
  const digits = '9'.repeat(1_000_000);
  const { errors } = parseTrigger(
    { event_trigger_data: [{ trigger_data: digits, priority: `-${digits}` }] },
    chromiumLimits,
  );
  expect(errors.map(({ path }) => path)).toEqual([
    'event_trigger_data[0].trigger_data',
    'event_trigger_data[0].priority',
  ]);
});
