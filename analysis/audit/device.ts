import { withArm } from '../../recording/lift-test';
import type { Conditions } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import { StoredEngine } from '../../transactions/stored-engine';
import type { JsonObject } from '../../src/model/json';
import type { Limits } from '../../src/model/limits';
import { chargeOf } from '../../extension/store/charges';
import { tablesOf } from '../../extension/store/storage-quotas';
import { accountingOf, carryAccounts } from '../../extension/erasing/carry-accounts';
import { endAccounts } from '../../extension/erasing/end-accounts';
import { erase } from '../../extension/erasing/erase';
import type { ErasingScope } from '../../extension/erasing/scope';
import type { DeliveryOutcome, InternalId, Report, Source } from '../../src/model/records';
import { siteOf } from '../../src/model/site';
import { after, milliseconds, minutes, moment, type Epsilon, type Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import type { Store } from '../../transactions/store';
import type { Caches } from '../../src/work';
import { MemoryStore } from '../store/memory-store';
import { DyingStore } from './dying-store';
import { sourceHeader, triggerHeader } from './headers';
import type { Shape } from './shapes';
import {
  CAMPAIGN,
  momentAt,
  momentOf,
  originOf,
  type Change,
  type Conversion,
  type Erasing,
  type Happening,
  type Impression,
  type World,
} from './world';

/** Everything but the world itself. */
export interface Circumstances {
  readonly settings: Settings;
  readonly limits: Limits;
  /** What each impression registers as its ε. */
  readonly registered: Epsilon;
  readonly shape: Shape;
  /** Debug reports are allowed, which tell the truth. */
  readonly debugAllowed: boolean;
  /** How servers answer the first requests for each report; they receive all later ones. */
  readonly answers: readonly Answer[];
  /** The process is killed in each transaction, and after each first request before its answer is noted. */
  readonly isDying?: boolean;
  /** All runs share them. */
  readonly caches: Caches;
}

/** A status, or none. */
export type Answer = number | 'silence';

/** A request with a report, as it leaves the device. */
export interface Sent {
  readonly time: Moment;
  readonly report: Report;
}

/** Who gets the reports, as in a trial. */
export const COLLECTOR = originOf('collector');
/** Later than anything happens. */
const END = moment(8.64e15);
/** For how long a server that does not answer is sent nothing. */
const SILENCE = minutes(5);

/** The engine in virtual time: what happens on the device goes in, and all requests that it makes come out. */
export class Device {
  readonly sent: Sent[] = [];
  private readonly store: Store;
  /** Reports whose first request was not noted. */
  private readonly unnoted = new Set<InternalId>();
  private readonly engine: StoredEngine;
  private settings: Settings;
  private now = moment(0);
  private recipient = COLLECTOR;
  private isOnline = true;
  /** In bytes. */
  private room = Infinity;
  private readonly silentUntil = new Map<string, Moment>();

  constructor(
    private readonly circumstances: Circumstances,
    random: RandomSource,
    private readonly received: (sent: readonly Sent[]) => readonly string[],
  ) {
    this.settings = circumstances.settings;
    this.store = circumstances.isDying === true ? new DyingStore(new MemoryStore()) : new MemoryStore();
    this.engine = new StoredEngine({
      store: this.store,
      limits: circumstances.limits,
      random: () => random,
      caches: circumstances.caches,
      // So few values that all of them can be tried.
      longestOfflineDelay: milliseconds(1),
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
    this.now = time;
    switch (happening.kind) {
      case 'impression':
        return this.register(happening, time);
      case 'conversion':
        return this.register(happening, time);
      case 'change':
        return this.change(happening, time);
      case 'offline':
        this.isOnline = false;
        return;
      case 'online':
        this.isOnline = true;
        return this.start(time);
      case 'full':
        await this.engine.deleteExpiredSources(time);
        this.room = (await this.charged(undrawn)) + happening.spare;
        return;
      case 'hurry':
        await this.engine.hurry(time);
        return this.sendUntil(time);
      case 'erase':
        return this.erase(happening);
      case 'adversary':
        for (const next of happening.next(this.received(this.sent))) await this.play(next);
    }
  }

  private async change(
    { budget, recipient = this.recipient, ...change }: Change,
    time: Moment,
  ): Promise<void> {
    const before = this.settings.budget;
    const { limits = this.settings.limits, labelNoise = this.settings.labelNoise } = change;
    this.settings = { ...this.settings, limits, labelNoise, budget: { ...before, ...budget } };
    this.recipient = recipient;
    await this.store.write((tx) =>
      carryAccounts(tx, accountingOf(before), accountingOf(this.settings.budget), time),
    );
  }

  private async erase({ sites, hours }: Erasing): Promise<void> {
    const scope: ErasingScope | null =
      sites !== undefined
        ? { kind: 'sites', sites: sites.map((name) => siteOf(originOf(name))) }
        : hours !== undefined
          ? { kind: 'time', from: momentAt(hours.from), to: momentAt(hours.to) }
          : null;
    await this.store.write((tx) => erase(tx, scope, this.circumstances.limits));
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
      recipient: this.recipient,
    };
    // As the background does.
    await this.engine.deleteExpiredSources(time);
    await endAccounts(this.store, time);
    if (isSource && (await this.charged()) >= this.room) return;
    const registration: Registration = {
      occasion,
      register: isSource
        ? { kind: 'source', sourceType: (happening.shape ?? shape).type }
        : { kind: 'trigger' },
      header: JSON.stringify(header),
      fenced: false,
      reportHeaderErrors: false,
    };
    await this.engine.register(isSource ? inArm(registration, happening) : registration, conditions);
  }

  private charged(as: (source: Source) => Source = (source) => source): Promise<number> {
    return this.store.read(async (tx) => {
      let sum = 0;
      for (const name of tablesOf.sources)
        for (const row of await tx.table(name).latest(Infinity))
          sum += chargeOf(name, name === 'sources' ? as(row as Source) : row);
      return sum;
    });
  }

  /** As the background does. */
  private async start(time: Moment): Promise<void> {
    await this.engine.resumePutOff(time);
    await this.engine.spreadOverdue(time);
  }

  private async sendUntil(end: Moment): Promise<void> {
    while (this.isOnline) {
      const due = await this.engine.nextDue();
      if (due === null || due > end) return;
      // What a clock that was ahead has put off is due in its past.
      const time = due < this.now ? this.now : due;
      for (const report of await this.engine.due(time)) await this.send(report, time);
    }
  }

  private async send(report: Report, time: Moment): Promise<void> {
    const { answers, isDying } = this.circumstances;
    const until = this.silentUntil.get(report.reportingOrigin) ?? time;
    if (until > time) return this.engine.postpone(report.id, until);
    this.sent.push({ time, report });
    if (isDying === true && !this.unnoted.has(report.id)) {
      this.unnoted.add(report.id);
      return this.start(time);
    }
    const answer = answers[report.attempts.length] ?? 200;
    if (answer === 'silence') this.silentUntil.set(report.reportingOrigin, after(time, SILENCE));
    const outcome: DeliveryOutcome =
      answer === 'silence'
        ? { kind: 'unreachable', error: 'no answer' }
        : { kind: 'answered', status: answer };
    await this.engine.recordAttempt(report.id, outcome, this.settings.deliveryProfile, time);
  }
}

/** As a device says an arm that it drew. */
const inArm = (registration: Registration, { arm }: Impression): Registration =>
  arm === undefined ? registration : withArm(registration, { campaign: CAMPAIGN }, () => arm);

/** As if chance had not replaced its output: what a source is charged must not tell. */
const undrawn = (source: Source): Source =>
  source.noise.kind === 'replaced' ? { ...source, noise: { kind: 'truthful' } } : source;
