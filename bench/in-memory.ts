import type { Registration } from '../src/model/incoming-registration';
import { chromiumLimits } from '../src/model/limits';
import { moment, seconds, type Origin } from '../src/model/units';
import { seededRandomStreams } from '../analysis/random/sources';
import { MemoryEngine } from '../analysis/store/memory-engine';
import { MemoryStore } from '../analysis/store/memory-store';
import { conditionsWith } from './conditions';
import { Floor } from './floor';
import { microsecondsInTurns } from './measure';

/* The engine on the store in memory, in processor time. */

const STORED = [10, 1000, 100_000];
/** How many sources a conversion has to choose from. */
const CANDIDATES = 10;
const BATCH = 20;
const WARM_UP = 5_000;
const START = 1_800_000_000_000;

type Kind = Registration['register']['kind'];

const conditions = conditionsWith('on');

/** As in the logs of `cointoss generate`. */
const sourceHeader = (index: number, shop: number): string =>
  JSON.stringify({
    destination: `https://shop${shop}.example`,
    event_report_window: 604_800,
    filter_data: { campaign: [String(index % 400)], format: ['banner'] },
    priority: '0',
    source_event_id: String(10n ** 18n + BigInt(index)),
  });

const triggerHeader = (index: number): string =>
  JSON.stringify({
    event_trigger_data: [
      {
        deduplication_key: String(10n ** 18n + BigInt(index)),
        filters: [{ source_type: ['navigation'] }],
        priority: '3',
        trigger_data: '5',
      },
      { filters: [{ source_type: ['event'] }], trigger_data: '1' },
    ],
  });

/** What a browser registers that has seen so many impressions, ten of each advertiser. */
function registration(kind: Kind, index: number, stored: number): Registration {
  const shop = index % (stored / CANDIDATES);
  const isSource = kind === 'source';
  return {
    occasion: {
      time: moment(START + index * seconds(3)),
      contextOrigin: (isSource
        ? `https://news${index % 1000}.example`
        : `https://shop${shop}.example`) as Origin,
      reportingOrigin: `https://ads${shop % 100}.example` as Origin,
      via: 'header',
    },
    register: isSource ? { kind, sourceType: 'event' } : { kind },
    header: isSource ? sourceHeader(index, shop) : triggerHeader(index),
    fenced: false,
    reportHeaderErrors: false,
  };
}

/** The engine and its floor, which have registered the same. */
class Browsers {
  private registered = 0;
  private readonly random = seededRandomStreams('bench');
  private readonly store = new MemoryStore();
  readonly engine = new MemoryEngine({
    store: this.store,
    limits: chromiumLimits,
    random: this.random,
    // As in a simulation.
    checks: 'unread',
  });
  readonly floor = new Floor(this.random);

  constructor(private readonly stored: number) {
    while (this.registered < stored)
      for (const one of this.next('source', BATCH)) {
        this.engine.register(one, conditions);
        this.floor.register(one);
      }
  }

  /** Whether so much was registered since that it counts as another size. */
  get hasGrown(): boolean {
    return this.registered - this.stored > Math.max(BATCH, this.stored / 20);
  }

  /** Makes what will be registered, which is not measured. */
  next(kind: Kind, count: number): readonly Registration[] {
    // A simulation does not keep it either.
    this.store.drain('log');
    return Array.from({ length: count }, () => registration(kind, this.registered++, this.stored));
  }
}

/** In batches that stay of one size, and in turns with its floor and with parsing: each finds the processor's caches as the others left them. */
function measure(kind: Kind, stored: number, batches?: number): readonly number[] {
  let browsers = new Browsers(stored);
  return microsecondsInTurns(
    () => {
      if (browsers.hasGrown) browsers = new Browsers(stored);
      const { engine, floor } = browsers;
      const registrations = browsers.next(kind, BATCH);
      return [
        () => registrations.forEach(({ header }) => void JSON.parse(header)),
        () => registrations.forEach((one) => void floor.register(one)),
        () => registrations.forEach((one) => void engine.register(one, conditions)),
      ];
    },
    BATCH,
    batches,
  );
}

const KINDS = ['source', 'trigger'] as const;

export function benchInMemory(): void {
  // So that the first row is not of code that is being compiled.
  for (const kind of KINDS) measure(kind, WARM_UP);
  for (const kind of KINDS) {
    console.log(`register a ${kind} in memory, by how many sources are stored: µs of a processor`);
    let first: number | null = null;
    for (const stored of STORED) {
      const [parse = NaN, floor = NaN, engine = NaN] = measure(kind, stored);
      first ??= engine;
      console.log(
        `  ${String(stored).padStart(7)} stored  ${engine.toPrecision(3)}; parsing the header ${parse.toPrecision(3)}, ` +
          `the least by hand ${floor.toPrecision(3)}: ${(engine / parse).toPrecision(3)} times parsing, ` +
          `${(engine / floor).toPrecision(3)} times the least, ${(engine / first).toPrecision(2)} times the first`,
      );
    }
    console.log('');
  }
}
