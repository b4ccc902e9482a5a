import { Engine, type Conditions } from '../../src/engine';
import type { JsonObject } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import type { DeliveryOutcome, Report } from '../../src/model/records';
import { moment, type Epsilon, type Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { MemoryStore } from '../store/memory-store';
import { sourceHeader, triggerHeader } from './headers';
import type { Shape } from './shapes';
import { momentOf, originOf, type Conversion, type Happening, type Impression, type World } from './world';

/** Everything but the world itself. */
export interface Circumstances {
  readonly settings: Settings;
  readonly limits: Limits;
  /** What each impression registers as its ε. */
  readonly registered: Epsilon;
  readonly shape: Shape;
  /** Debug reports are allowed, which tell the truth. */
  readonly debugAllowed: boolean;
  /** How servers answer the first request for a report; they receive the second. */
  readonly firstAnswer: number;
}

/** A request with a report, as it leaves the device. */
export interface Sent {
  readonly time: Moment;
  readonly report: Report;
}

/** Later than anything happens. */
const END = moment(8.64e15);

/** The engine in virtual time: what happens on the device goes in, and all requests that it makes come out. */
export class Device {
  readonly sent: Sent[] = [];
  private readonly engine: Engine;
  private settings: Settings;

  constructor(
    private readonly circumstances: Circumstances,
    random: RandomSource,
    private readonly received: (sent: readonly Sent[]) => readonly string[],
  ) {
    this.settings = circumstances.settings;
    this.engine = new Engine({
      store: new MemoryStore(),
      limits: circumstances.limits,
      random: () => random,
    });
  }

  /** Goes through a world, and sends all reports of it. */
  async run(world: World): Promise<void> {
    for (const happening of world) await this.play(happening);
    await this.sendUntil(END);
  }

  private async play(happening: Happening): Promise<void> {
    const time = momentOf(happening);
    await this.sendUntil(time);
    switch (happening.kind) {
      case 'impression':
        return this.register(happening, time);
      case 'conversion':
        return this.register(happening, time);
      case 'change':
        this.settings = { ...this.settings, budget: { ...this.settings.budget, ...happening.budget } };
        return;
      case 'adversary':
        for (const next of happening.next(this.received(this.sent))) await this.play(next);
    }
  }

  private async register(happening: Impression | Conversion, time: Moment): Promise<void> {
    const { shape, debugAllowed } = this.circumstances;
    const isSource = happening.kind === 'impression';
    const occasion = {
      time,
      contextOrigin: originOf(isSource ? happening.publisher : happening.advertiser),
      reportingOrigin: originOf(happening.adTech),
      via: 'header',
    };
    const header: JsonObject = isSource
      ? sourceHeader(happening, this.circumstances)
      : triggerHeader(happening);
    const conditions: Conditions = {
      noise: { kind: effectiveDebug(this.settings).noise ? 'on' : 'off' },
      measurement: this.settings,
      delay: effectiveDebug(this.settings).delay,
      debugAllowed,
      debug: [],
    };
    // As the background does.
    await this.engine.deleteExpiredSources(time);
    await this.engine.register(
      {
        occasion,
        register: isSource
          ? { kind: 'source', sourceType: (happening.shape ?? shape).type }
          : { kind: 'trigger' },
        header: JSON.stringify(header),
        fenced: false,
        reportHeaderErrors: false,
      },
      conditions,
    );
  }

  private async sendUntil(end: Moment): Promise<void> {
    for (;;) {
      const due = await this.engine.nextDue();
      if (due === null || due > end) return;
      for (const report of await this.engine.due(due)) await this.send(report, due);
    }
  }

  private async send(report: Report, time: Moment): Promise<void> {
    this.sent.push({ time, report });
    const status = report.attempts.length === 0 ? this.circumstances.firstAnswer : 200;
    const outcome: DeliveryOutcome = { kind: 'answered', status };
    await this.engine.recordAttempt(report.id, outcome, this.settings.deliveryProfile, time);
  }
}
