import { MemoryEngine } from '../../../analysis/store/memory-engine';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { chromiumLimits } from '../../../src/model/limits';
import { after, milliseconds, type Moment, type Origin } from '../../../src/model/units';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { ADTECH, conditions, SHOP, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

/* How the processor time of a registration grows with what is stored: one site's sources, all for one destination. */

const [FEW, MANY] = [100, 10_000];

class Site {
  private registered = 0;
  private readonly engine = new MemoryEngine({
    store: new MemoryStore(),
    limits: chromiumLimits,
    random: seededRandomStreams('growth'),
  });

  constructor(count: number) {
    while (this.registered < count) this.source();
  }

  source(): void {
    // Many origins, so that the limit on one origin's sources is not met.
    const contextOrigin = `https://www${this.registered % 100}.news.example` as Origin;
    const seen = { time: this.next(), reportingOrigin: ADTECH, contextOrigin };
    const entry = this.engine.register(
      sourceRegistration({ filter_data: { x: ['x'] } }, 'navigation', seen),
      conditions(),
    );
    if (entry.kind !== 'source' || entry.decision.kind !== 'stored') throw new Error('a source was refused');
  }

  /** Its filters match no source. */
  trigger(): void {
    const json = { event_trigger_data: [{}], filters: { x: ['y'] } };
    const seen = { time: this.next(), reportingOrigin: ADTECH, contextOrigin: SHOP };
    this.engine.register(triggerRegistration(json, seen), conditions());
  }

  private next(): Moment {
    return after(START, milliseconds(this.registered++));
  }
}

/** In µs of processor time, the best of some batches: whatever else the machine does only adds to it. */
function costOf(work: () => void): number {
  const times = Array.from({ length: 20 }, () => {
    const before = process.cpuUsage();
    for (let count = 0; count < 50; count++) work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 50;
  });
  return Math.min(...times);
}

test('neither a source nor a trigger without a match takes longer if its site has a hundred times as many sources', () => {
  const [few, many] = [new Site(FEW), new Site(MANY)];
  const [source, sourceOfMany] = [costOf(() => few.source()), costOf(() => many.source())];
  const [trigger, triggerOfMany] = [costOf(() => few.trigger()), costOf(() => many.trigger())];
  // A look at each candidate would take a hundred times as long.
  expect(sourceOfMany).toBeLessThan(8 * Math.max(source, 20));
  expect(triggerOfMany).toBeLessThan(8 * Math.max(trigger, 20));
});
