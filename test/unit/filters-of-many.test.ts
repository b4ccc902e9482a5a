import * as fc from 'fast-check';
import { seededRandomStreams } from '../../analysis/random/sources';
import { MemoryEngine } from '../../analysis/store/memory-engine';
import { MemoryStore } from '../../analysis/store/memory-store';
import type { JsonObject } from '../../src/model/json';
import { chromiumLimits } from '../../src/model/limits';
import { filterMatcher, filterValues } from '../../src/model/match-filters';
import type { FilterConfig, FilterPair } from '../../src/model/registration';
import { after, between, milliseconds, type Moment, type Origin } from '../../src/model/units';
import { ADTECH, conditions, SHOP, sourceRegistration, START, triggerRegistration } from './helpers/engine';

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

test('several sources match the filters that each matches by the definition', () => {
  const time = after(START, milliseconds(2500));
  const seen = new Map([
    [true, 0],
    [false, 0],
  ]);
  fc.assert(
    fc.property(pair, fc.array(source, { minLength: 1, maxLength: 4 }), (filters, sources) => {
      const matches = filterMatcher(filters, time);
      for (const one of sources) {
        const expected = matchesByDefinition(one, filters, time);
        seen.set(expected, (seen.get(expected) ?? 0) + 1);
        expect(matches(one)).toBe(expected);
      }
    }),
    { numRuns: 10_000, seed: 43 },
  );
  expect(Math.min(...seen.values())).toBeGreaterThan(1000);
});

const CANDIDATES = 10_000;
const CHARACTERS = 128 * 1024 - 100;
/** In ms of processor time, with the conversion itself. It takes a third of that alone; each filter for each candidate takes 10 s. */
const MOST = 1500;

const keys = Array.from({ length: 20 }, (_, key) => String.fromCharCode('b'.charCodeAt(0) + key));

/** Each source has its own. All that are too old for a lookback window of a second have a value in common. */
const filterData = (index: number): JsonObject => ({
  ...Object.fromEntries(keys.map((key) => [key, [`y${index}`]])),
  a: Array.from({ length: 30 }, (_, value) => `y${index}.${value}`),
  z: [index < CANDIDATES - 2000 ? 'old' : `y${index}`],
});

/** An engine whose site has stored thousands of sources. */
function withCandidates(): MemoryEngine {
  const random = seededRandomStreams('filters');
  const engine = new MemoryEngine({ store: new MemoryStore(), limits: chromiumLimits, random });
  for (let index = 0; index < CANDIDATES; index++) {
    // Many origins, so that the limit on one origin's sources is not met.
    const contextOrigin = `https://www${index % 100}.news.example` as Origin;
    const seen = { time: after(START, milliseconds(index)), reportingOrigin: ADTECH, contextOrigin };
    const entry = engine.register(
      sourceRegistration({ filter_data: filterData(index) }, 'navigation', seen),
      conditions(),
    );
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

describe('128 KiB of filters are compared with 10,000 candidates at once', () => {
  let engine: MemoryEngine;
  beforeAll(() => (engine = withCandidates()));

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
    const seen = {
      time: after(START, milliseconds(CANDIDATES)),
      reportingOrigin: ADTECH,
      contextOrigin: SHOP,
    };
    const header = `{"event_trigger_data":[{}],"filters":${filters}}`;
    const before = process.cpuUsage();
    const entry = engine.register(
      { ...triggerRegistration({}, seen), header },
      conditions({ kind: 'off' }, { attribution: { kind: 'last-touch' } }),
    );
    const { user, system } = process.cpuUsage(before);
    expect(entry).toMatchObject({
      kind: 'trigger',
      decision: { kind: 'dropped', reason: 'trigger-no-matching-filter-data' },
    });
    expect((user + system) / 1000).toBeLessThan(MOST);
  });
});
