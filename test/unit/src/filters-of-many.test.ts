import * as fc from 'fast-check';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { MemoryEngine } from '../../../analysis/store/memory-engine';
import { MemoryStore } from '../../../analysis/store/memory-store';
import type { JsonObject } from '../../../src/model/json';
import type { RegistrationEntry } from '../../../src/engine';
import type { AttributionModel } from '../../../src/model/mechanisms';
import { chromiumLimits } from '../../../src/model/limits';
import { filterMatcher, filterValues } from '../../../src/attribution/match-filters';
import type { FilterConfig, FilterPair } from '../../../src/model/registration';
import { after, between, milliseconds, type Moment, type Origin } from '../../../src/model/units';
import { ADTECH, conditions, SHOP, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { isLong } from '../helpers/is-long';

/* Models other than `priority` compare a conversion's filters with each of its candidates. */

type Asked = Parameters<ReturnType<typeof filterMatcher>>[0];

/** ARA, "match an attribution source against filters and negated filters", step by step. */
function matchesByDefinition(source: Asked, { filters, notFilters }: FilterPair, time: Moment): boolean {
  const matchesAny = (configs: readonly FilterConfig[], negated: boolean): boolean =>
    configs.length === 0 || configs.some((config) => matchesOne(source, config, time, negated));
  return matchesAny(filters, false) && matchesAny(notFilters, true);
}

function matchesOne(source: Asked, config: FilterConfig, time: Moment, negated: boolean): boolean {
  if (config.lookbackWindow !== null) {
    const isWithin = between(source.time, time) <= config.lookbackWindow;
    if (isWithin === negated) return false;
  }
  return [...config.values].every(([key, wanted]) => {
    const values = filterValues(source, key);
    if (values === undefined) return true;
    const common = wanted.length === 0 ? values.length === 0 : values.some((value) => wanted.includes(value));
    return common !== negated;
  });
}

const values = fc.uniqueArray(fc.constantFrom('', 'x', 'y', 'navigation'), { maxLength: 3 });
const mapOf = (...keys: string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), values), { maxLength: 3, selector: ([key]) => key })
    .map((entries) => new Map(entries));
const config = fc.record({
  values: mapOf('a', 'b', 'source_type', '__proto__'),
  lookbackWindow: fc.option(fc.constantFrom(1000, 2000).map(milliseconds)),
});
const pair = fc.record({
  filters: fc.array(config, { maxLength: 3 }),
  notFilters: fc.array(config, { maxLength: 3 }),
});
const source = fc.record({
  sourceType: fc.constantFrom('navigation' as const, 'event' as const),
  registration: fc
    .record({ filterData: mapOf('a', 'b', '__proto__') })
    .map((fields) => fields as unknown as Asked['registration']),
  time: fc.constantFrom(0, 500, 1000, 1500, 2000, 2500).map((ms) => after(START, milliseconds(ms))),
});

const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 4 });

test('several sources match those of several pairs of filters that each matches by the definition', () => {
  const time = after(START, milliseconds(2500));
  const seen = new Map([
    [true, 0],
    [false, 0],
  ]);
  fc.assert(
    fc.property(several(pair), several(source), (pairs, sources) => {
      const matches = filterMatcher(pairs, time);
      for (const one of sources) {
        const expected = pairs.map((filters) => matchesByDefinition(one, filters, time));
        for (const is of expected) seen.set(is, (seen.get(is) ?? 0) + 1);
        expect(pairs.map((_, index) => matches(one)(index))).toEqual(expected);
      }
    }),
    { numRuns: isLong ? 10_000 : 2000, seed: 43 },
  );
  expect(Math.min(...seen.values())).toBeGreaterThan(200);
});

/** `npm test` has a quarter of the sources, and of the time for them. */
const PART = isLong ? 1 : 4;
const CANDIDATES = 10_000 / PART;
const CHARACTERS = 128 * 1024 - 300;
/**
 * In ms of processor time of the usual speed, for 10,000 candidates and with the conversion itself. It takes a fifth of that alone, and more
 * beside other programs; each filter for each candidate takes 10 s.
 */
const MOST = 2500 / PART;

/** Fails if it took longer since `before`, in ms of processor time. A processor that is slower at the moment may take longer. */
function expectQuick(before: NodeJS.CpuUsage, most: number): void {
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1000;
  if (took >= most) expect(took).toBeLessThan(most * slowness());
}

/** How much slower than usual this processor is at the moment, at least 1: by the time of a loop that takes 50 ms. */
function slowness(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let step = 0; step < 1e8; step++) sum += step % 7;
  expect(sum).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1000 / 50);
}

const keys = Array.from({ length: 20 }, (_, key) => String.fromCharCode('b'.charCodeAt(0) + key));

/** Each source has its own. All that are too old for a lookback window of a second have a value in common. */
const filterData = (index: number): JsonObject => ({
  ...Object.fromEntries(keys.map((key) => [key, [`y${index}`]])),
  a: Array.from({ length: 30 }, (_, value) => `y${index}.${value}`),
  z: [index < CANDIDATES - 2000 ? 'old' : `y${index}`],
});

/** An engine whose site has stored thousands of sources. */
function withCandidates(count: number, fields: (index: number) => JsonObject): MemoryEngine {
  const random = seededRandomStreams('filters');
  const engine = new MemoryEngine({ store: new MemoryStore(), limits: chromiumLimits, random });
  for (let index = 0; index < count; index++) {
    // Many origins, so that the limit on one origin's sources is not met.
    const contextOrigin = `https://www${index % 100}.news.example` as Origin;
    const seen = { time: after(START, milliseconds(index)), reportingOrigin: ADTECH, contextOrigin };
    const entry = engine.register(sourceRegistration(fields(index), 'navigation', seen), conditions());
    if (entry.kind !== 'source' || entry.decision.kind !== 'stored') throw new Error('a source was refused');
  }
  return engine;
}

const filled = (part: (index: number) => string, open: string, close: string): string => {
  const parts: string[] = [];
  for (let size = 0; ;) {
    const next = part(parts.length);
    if ((size += next.length + 1) > CHARACTERS) return `${open}${parts.join(',')}${close}`;
    parts.push(next);
  }
};

function register(
  engine: MemoryEngine,
  header: string,
  attribution: AttributionModel,
  count: number,
): RegistrationEntry {
  const seen = {
    time: after(START, milliseconds(count)),
    reportingOrigin: ADTECH,
    contextOrigin: SHOP,
  };
  return engine.register(
    { ...triggerRegistration({}, seen), header },
    conditions({ kind: 'off' }, { attribution, aggregatableReports: true }),
  );
}

describe('128 KiB of filters are compared with thousands of candidates at once', () => {
  let engine: MemoryEngine;
  beforeAll(() => (engine = withCandidates(CANDIDATES, (index) => ({ filter_data: filterData(index) }))));

  test.each<[string, string]>([
    ['many configs with one value', filled(() => '{"a":["x"]}', '[', ']')],
    [
      'many configs, and one that matches only what is too old',
      filled((index) => (index === 0 ? '{"_lookback_window":1,"z":["old"]}' : '{"z":["x"]}'), '[', ']'),
    ],
    ['one config with many values', filled((index) => `"${index}"`, '{"a":[', ']}')],
    [
      'many configs that name each key of the sources',
      filled((index) => `{"${keys[index % keys.length]}":["x"]}`, '[', ']'),
    ],
  ])('%s', (_name, filters) => {
    const header = `{"event_trigger_data":[{}],"filters":${filters}}`;
    const before = process.cpuUsage();
    const entry = register(engine, header, { kind: 'last-touch' }, CANDIDATES);
    expectQuick(before, MOST);
    expect(entry).toMatchObject({
      kind: 'trigger',
      decision: { kind: 'dropped', reason: 'trigger-no-matching-filter-data' },
    });
  });
});

/** Sources that share the value of a conversion, for which all of its configurations are read. */
const SHARING = 1000 / PART;
/**
 * In ms of processor time of the usual speed, for 1,000 sources. Each value split anew for each source takes minutes, and each filter read anew
 * for each source 5 s.
 */
const MOST_OF_SHARING = 4000 / PART;
/** In characters, of the log for one source that shares. */
const MOST_OF_SOURCE = 1000;

describe('128 KiB of configurations are compared at once with many sources that share their values', () => {
  let engine: MemoryEngine;
  beforeAll(
    () =>
      (engine = withCandidates(SHARING, (index) => ({
        filter_data: { a: [`y${index}`] },
        aggregation_keys: { k: '0x1' },
        trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [1] }],
      }))),
  );

  const share = (header: string): RegistrationEntry => {
    const before = process.cpuUsage();
    const entry = register(engine, header, { kind: 'linear', credit: 'split' }, SHARING);
    expectQuick(before, MOST_OF_SHARING);
    expect(entry).toMatchObject({ kind: 'trigger', warnings: [], decision: { kind: 'split' } });
    return entry;
  };
  const many = filled((index) => `"${index}"`, '[{"a":[', ']}]');

  test('many values', () => {
    const list = filled((index) => `{"value":${index + 1},"filters":[{"a":["x"]}]}`, '[', ']');
    const entry = share(`{"event_trigger_data":${list}}`);
    if (entry.kind !== 'trigger' || entry.decision.kind !== 'split') throw new Error('no value was split');
    const { decision, checks } = entry;
    expect(decision.shares).toHaveLength(SHARING);
    expect(JSON.stringify({ decision, checks }).length).toBeLessThan(MOST_OF_SOURCE * SHARING);
  });

  test.each<[string, string]>([
    ['event_trigger_data', '{}'],
    ['aggregatable_trigger_data', '{"key_piece":"0x1","source_keys":["k"]}'],
    ['aggregatable_values', '{"values":{"k":65000}}'],
    ['aggregatable_deduplication_keys', '{"deduplication_key":"1"}'],
    ['named_budgets', '{"name":"one"}'],
  ])('%s with a filter of many values', (name, config) => {
    const fields = {
      event_trigger_data: [{ value: 4000 }],
      aggregatable_values: { k: 65000 },
      [name]: [JSON.parse(config) as JsonObject],
    };
    const filtered = config === '{}' ? '{"filters":MANY}' : config.replace(/\}$/, ',"filters":MANY}');
    share(JSON.stringify(fields).replace(JSON.stringify(JSON.parse(config)), filtered.replace('MANY', many)));
  });
});
