import { Engine } from '../src/engine';
import { chromiumLimits } from '../src/model/limits';
import { moment, type Origin, type Site } from '../src/model/units';
import { seededRandomSource } from '../src/privacy/random-source';
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

const engineOver = (store: MemoryStore): Engine =>
  new Engine({ store, limits: chromiumLimits, random: (stream) => seededRandomSource('bench', stream) });

async function register(
  engine: Engine,
  kind: 'source' | 'trigger',
  json: object,
  index: number,
): Promise<void> {
  // Many origins of one site, so that the limit on one origin's sources is not met.
  const contextOrigin = kind === 'source' ? (`https://www${index % 100}.news.example` as Origin) : SHOP;
  const sourceType = 'navigation';
  await engine.register(
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

/** Milliseconds for each of 25 more, the median, after 25 that warm up. */
async function medianOf(work: (index: number) => Promise<void>, from: number): Promise<number> {
  const times: number[] = [];
  for (let index = from; index < from + 25; index++) await work(index);
  for (let index = from + 25; index < from + 50; index++) {
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
  }
  return median(times);
}

function show(title: string, stored: readonly number[], milliseconds: readonly number[]): void {
  console.log(title);
  stored.forEach((count, index) =>
    console.log(
      `  ${String(count).padStart(7)} stored  ${(milliseconds[index] ?? NaN).toPrecision(3)} ms, ` +
        `${((milliseconds[index] ?? NaN) / (milliseconds[0] ?? NaN)).toPrecision(2)} times the first`,
    ),
  );
  console.log('');
}

/** How the time of one registration grows with what its site has stored. */
export async function benchRegistrations(): Promise<void> {
  const [records, sources, conversions]: number[][] = [[], [], []];
  const rows = [10, 1000, 100_000];
  for (const count of rows) {
    const engine = engineOver(new MemoryStore());
    const source = { destination: SHOP };
    for (let index = 0; index < count; index++) await register(engine, 'source', source, index);
    records?.push(await medianOf((index) => register(engine, 'source', source, index), count));
  }
  show('register a source, by sources of its site', rows, records ?? []);

  const scoped = [10, 1000, 4000];
  for (const count of scoped) {
    const engine = engineOver(new MemoryStore());
    const source = (index: number): Promise<void> =>
      register(engine, 'source', { destination: SHOP, attribution_scopes: scopes(index) }, index);
    for (let index = 0; index < count; index++) await source(index);
    sources?.push(await medianOf(source, count));
    // No filters match, so that the sources stay.
    const attribution_scopes = Array.from({ length: 2000 }, (_, index) => `other ${index}`);
    const trigger = { event_trigger_data: [{}], filters: { x: ['y'] }, attribution_scopes };
    conversions?.push(await medianOf((index) => register(engine, 'trigger', trigger, index), count + 50));
  }
  show('register a source with 20 scopes, by such sources', scoped, sources ?? []);
  show('register a trigger with 2,000 scopes, by sources with 20', scoped, conversions ?? []);
}
