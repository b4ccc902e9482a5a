import { chromiumLimits } from '../src/model/limits';
import { moment, type Origin, type Site } from '../src/model/units';
import { seededRandomStreams } from '../analysis/random/sources';
import { MemoryEngine } from '../analysis/store/memory-engine';
import { MemoryStore } from '../analysis/store/memory-store';
import { conditionsWith } from './conditions';
import { median } from './measure';

const NOW = moment(1_800_000_000_000);
const SHOP = 'https://shop.example' as Origin & Site;
const ADTECH = 'https://adtech.example' as Origin & Site;
const conditions = conditionsWith('off');

const scopes = (index: number): object => ({
  limit: 60,
  values: Array.from({ length: 20 }, (_, value) => `scope ${(index + value) % 60}`),
  max_event_states: 1,
});

const newEngine = (): MemoryEngine =>
  new MemoryEngine({
    store: new MemoryStore(),
    limits: chromiumLimits,
    random: seededRandomStreams('bench'),
  });

function register(engine: MemoryEngine, kind: 'source' | 'trigger', json: object, index: number): void {
  // Many origins of one site, so that the limit on one origin's sources is not met.
  const contextOrigin = kind === 'source' ? (`https://www${index % 100}.news.example` as Origin) : SHOP;
  const sourceType = 'navigation';
  engine.register(
    {
      occasion: { time: moment(NOW + index), contextOrigin, reportingOrigin: ADTECH, via: 'header' },
      register: kind === 'source' ? { kind, sourceType } : { kind },
      header: JSON.stringify(json),
      fenced: false,
      reportHeaderErrors: false,
    },
    conditions,
  );
}

const source = (engine: MemoryEngine, index: number): void =>
  register(engine, 'source', { destination: SHOP, filter_data: { x: ['x'] } }, index);

/** Of so many sources, all of one site and for one destination. */
function engineWith(count: number): MemoryEngine {
  const engine = newEngine();
  for (let index = 0; index < count; index++) source(engine, index);
  return engine;
}

const BATCHES = 15;
const WARM_UP = 5_000;

/** Microseconds of a processor for each of a batch of `size`: the median, after as many batches that warm up. */
function medianOf(size: number, work: (index: number) => void, from: number): number {
  const times: number[] = [];
  let index = from;
  for (let batch = 0; batch < 2 * BATCHES; batch++) {
    const before = process.cpuUsage();
    for (let count = 0; count < size; count++) work(index++);
    const { user, system } = process.cpuUsage(before);
    if (batch >= BATCHES) times.push((user + system) / size);
  }
  return median(times);
}

function show(title: string, stored: readonly number[], microseconds: readonly number[]): void {
  console.log(title);
  stored.forEach((count, index) =>
    console.log(
      `  ${String(count).padStart(7)} stored  ${(microseconds[index] ?? NaN).toPrecision(3)} µs, ` +
        `${((microseconds[index] ?? NaN) / (microseconds[0] ?? NaN)).toPrecision(2)} times the first`,
    ),
  );
  console.log('');
}

const unmatching = { event_trigger_data: [{}], filters: { x: ['y'] } };

/** How the time of one registration grows with what its site has stored. */
export function benchRegistrations(largest = 100_000): void {
  const [sources, unmatched, scoped, conversions]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  // So that the first row is not of code that is being compiled.
  const warm = engineWith(WARM_UP);
  for (let index = 0; index < WARM_UP; index++) register(warm, 'trigger', unmatching, WARM_UP + index);
  const rows = [10, 100, 1000, 10_000, 100_000].filter((count) => count <= largest);
  for (const count of rows) {
    // A median over some hundred more: with few stored they are more than there were, and the first row is of some hundred.
    const engine = engineWith(count);
    unmatched.push(medianOf(2, (index) => register(engine, 'trigger', unmatching, index), count));
    sources.push(medianOf(10, (index) => source(engine, index), count + 1000));
  }
  show('register a source, by sources of its site', rows, sources);
  show('register a trigger, by its candidates, whose filters do not match', rows, unmatched);

  const few = [10, 1000, 4000].filter((count) => count <= largest);
  for (const count of few) {
    const engine = newEngine();
    const add = (index: number): void =>
      register(engine, 'source', { destination: SHOP, attribution_scopes: scopes(index) }, index);
    for (let index = 0; index < count; index++) add(index);
    scoped.push(medianOf(2, add, count));
    // No filters match, so that the sources stay.
    const attribution_scopes = Array.from({ length: 2000 }, (_, index) => `other ${index}`);
    const trigger = { event_trigger_data: [{}], filters: { x: ['y'] }, attribution_scopes };
    conversions.push(medianOf(2, (index) => register(engine, 'trigger', trigger, index), count + 500));
  }
  show('register a source with 20 scopes, by such sources', few, scoped);
  show('register a trigger with 2,000 scopes, by sources with 20', few, conversions);
}
