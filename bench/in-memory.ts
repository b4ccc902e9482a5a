import { chromiumLimits } from '../src/model/limits';
import { moment, seconds, type Origin } from '../src/model/units';
import { seededRandomStreams } from '../analysis/random/sources';
import { MemoryEngine } from '../analysis/store/memory-engine';
import { MemoryStore } from '../analysis/store/memory-store';
import { conditionsWith } from './conditions';
import { median } from './measure';

/* The engine on the store in memory, in processor time. */

const STORED = [10, 1000, 100_000];
/** How many sources a conversion has to choose from. */
const CANDIDATES = 10;
const BATCHES = 25;
const BATCH = 20;
const WARM_UP = 5_000;
const START = 1_800_000_000_000;

const conditions = conditionsWith('on');

/** As in the logs of `cointoss generate`. */
const sourceHeader = (index: number, destination: string): string =>
  JSON.stringify({
    destination,
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

/** A browser that has seen so many impressions, ten of each advertiser. */
class Browser {
  private registered = 0;
  private readonly engine = new MemoryEngine({
    store: new MemoryStore(),
    limits: chromiumLimits,
    random: seededRandomStreams('bench'),
  });

  private constructor(private readonly stored: number) {}

  static with(stored: number): Browser {
    const browser = new Browser(stored);
    while (browser.registered < stored) browser.source();
    return browser;
  }

  /** Whether so much was registered since that it counts as another size. */
  get hasGrown(): boolean {
    return this.registered - this.stored > Math.max(BATCH, this.stored / 50);
  }

  source(): void {
    const index = this.registered++;
    const shop = this.shop(index);
    const site = `https://news${index % 1000}.example` as Origin;
    this.register('source', site, shop, sourceHeader(index, `https://shop${shop}.example`));
  }

  trigger(): void {
    const index = this.registered++;
    const shop = this.shop(index);
    this.register('trigger', `https://shop${shop}.example` as Origin, shop, triggerHeader(index));
  }

  private shop(index: number): number {
    return index % (this.stored / CANDIDATES);
  }

  private register(kind: 'source' | 'trigger', contextOrigin: Origin, shop: number, header: string): void {
    const time = moment(START + this.registered * seconds(3));
    this.engine.register(
      {
        occasion: {
          time,
          contextOrigin,
          reportingOrigin: `https://ads${shop % 100}.example` as Origin,
          via: 'header',
        },
        register: kind === 'source' ? { kind, sourceType: 'event' } : { kind },
        header,
        fenced: false,
        reportHeaderErrors: false,
      },
      conditions,
    );
  }
}

/** Microseconds of a processor for one of many: the median of some batches, after others that warm up. */
function microseconds(work: () => void, between: () => void = () => undefined): number {
  const times: number[] = [];
  for (let batch = 0; batch < 2 * BATCHES; batch++) {
    between();
    const before = process.cpuUsage();
    for (let count = 0; count < BATCH; count++) work();
    const { user, system } = process.cpuUsage(before);
    if (batch >= BATCHES) times.push((user + system) / BATCH);
  }
  return median(times);
}

/** So that the first row is not of code that is being compiled. */
function warmUp(): void {
  const browser = Browser.with(WARM_UP);
  for (let count = 0; count < WARM_UP; count++) {
    browser.source();
    browser.trigger();
  }
}

export function benchInMemory(): void {
  const headers = { source: sourceHeader(1, 'https://shop1.example'), trigger: triggerHeader(1) };
  warmUp();
  for (const kind of ['source', 'trigger'] as const) {
    const parse = microseconds(() => void JSON.parse(headers[kind]));
    console.log(
      `register a ${kind} in memory, by how many sources are stored; parsing its header: ${parse.toPrecision(3)} µs`,
    );
    let first: number | null = null;
    for (const stored of STORED) {
      let browser = Browser.with(stored);
      const renew = (): void => {
        if (browser.hasGrown) browser = Browser.with(stored);
      };
      const time = microseconds(() => browser[kind](), renew);
      first ??= time;
      console.log(
        `  ${String(stored).padStart(7)} stored  ${time.toPrecision(3)} µs, ` +
          `${(time / parse).toPrecision(3)} times parsing, ${(time / first).toPrecision(2)} times the first`,
      );
    }
    console.log('');
  }
}
