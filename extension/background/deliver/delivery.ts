import browser from 'webextension-polyfill';
import type { StoredEngine } from '../../../transactions/stored-engine';
import type { RandomStreams } from '../../../src/work';
import type { Json } from '../../../src/model/json';
import type { InternalId, Report } from '../../../src/model/records';
import { after, milliseconds, minutes, type Moment } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import { siteOf } from '../../../src/model/site';
import { sealedBody } from '../../../formats/reports/sealed-body';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import { AggregationKeys, keysUrl } from './aggregation-keys';
import { addressOf } from '../../recipient';
import { endAccounts } from '../../erasing/end-accounts';
import { siteOfReport } from '../../store/storage-quotas';
import type { IdbStore } from '../../store/idb-store';
import type { Clock } from '../state/clock';
import type { SettingsHolder } from '../state/settings';
import type { Tokens } from '../tokens/tokens';
import { failed, postReport, type Attempt } from './post-report';
import { sealingStreamOf } from './sealing-stream';
import { SlidingPool, type Hangs } from './sliding-pool';

const ALARM = 'deliver';
const TIMEOUT = 30_000;
/** Requests under way at a time, in all and to one reporting site. A collector gets all reports, so it may have more. No page has all. */
const PARALLEL = 128;
const PARALLEL_TO_SITE = 2;
const PARALLEL_TO_COLLECTOR = 6;
/** In ms: a request without an answer for so long is given up once there is no other place for the next. */
const ANSWER_TIMEOUT = 4000;
/** In ms: how long a server that let a request time out gets no other. Others with reports wait for no such server. */
const SILENCE = 300_000;
/** In ms. Chrome fires alarms no sooner than this, so the worker itself waits for anything earlier. */
const SHORTEST_ALARM = 30_000;
const OFFLINE_CHECK = 60_000;
/** In ms: longer than an attempt to send can take. */
const RESCUE = 60_000;

/** Sends reports when they are due, across restarts of the background. */
export class Delivery {
  private sweeping: Promise<void> | null = null;
  private again = false;
  private couldNotSend = false;
  /** Whether due reports wait because the disk is full, or fails. */
  private couldNotFlush = false;
  /** Up to when all due reports were taken up. */
  private swept: Moment | null = null;
  /** The sites of collectors. */
  private readonly collectors = new Set<string>();
  private readonly pool = new SlidingPool(PARALLEL, (site) =>
    this.collectors.has(site) ? PARALLEL_TO_COLLECTOR : PARALLEL_TO_SITE,
  );
  /** Reports that are being sent, or wait in the pool. */
  private readonly inFlight = new Map<InternalId, Promise<void>>();
  /** Until when a site's server is left alone. */
  private readonly silent = new Map<string, Moment>();
  private readonly keys = new AggregationKeys();
  /** Aborts the requests under way. */
  private sending = new AbortController();
  /** The same for each report. */
  private readonly requests = new Map<InternalId, AbortController>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: StoredEngine,
    private readonly clock: Clock,
    private readonly settings: SettingsHolder,
    /** For sealing. */
    private readonly random: RandomStreams,
    private readonly store: Pick<IdbStore, 'flush' | 'read' | 'write'>,
    private readonly tokens: Pick<Tokens, 'authorizationFor' | 'settle'>,
  ) {}

  static isAlarm(name: string): boolean {
    return name === ALARM;
  }

  /**
   * Called when the background starts. Overdue reports fell due while the browser was closed or asleep: with the browser open, an alarm
   * starts the background in time.
   */
  async start(): Promise<void> {
    if (this.settings.maySend) {
      const now = this.clock.now();
      await this.engine.resumePutOff(now);
      await this.engine.spreadOverdue(now, minutes(1));
    }
    await this.run();
  }

  /** Sends what is due and schedules the next run. Resolves when both are done. */
  async run(): Promise<void> {
    this.again = true;
    this.sweeping ??= this.sweepRepeatedly();
    await this.sweeping;
    if (this.inFlight.size === 0) return;
    await Promise.all(this.inFlight.values());
    await this.schedule();
  }

  /** Forgets the keys of collectors: after a change of settings, nobody may be left of those whose reports needed them. */
  forgetKeys(): void {
    this.keys.forget();
  }

  /**
   * Aborts the requests under way, because the person no longer agrees to sending. A request may have arrived all the same, so its report
   * counts as tried.
   */
  stop(): void {
    this.sending.abort(new Error('stopped: it may be sent only once what has changed is agreed to'));
    this.sending = new AbortController();
  }

  /** Aborts the requests under way with these reports: their servers may not have them yet. Call it when an erasure deleted or changed them. */
  stopErased(erased: readonly InternalId[]): void {
    for (const id of erased)
      this.requests.get(id)?.abort(new Error('stopped: the report is erased or changed'));
  }

  private async sweepRepeatedly(): Promise<void> {
    try {
      while (this.again) {
        this.again = false;
        try {
          await this.sendDue();
          await this.engine.deleteExpiredSources(this.clock.now());
          await endAccounts(this.store, this.clock.now());
        } finally {
          await this.schedule();
        }
      }
    } finally {
      this.sweeping = null;
    }
  }

  private async sendDue(): Promise<void> {
    const { signal } = this.sending;
    if (!navigator.onLine || !this.settings.maySend) {
      this.couldNotSend = true;
      this.swept = null;
      return;
    }
    if (this.couldNotSend) {
      this.couldNotSend = false;
      await this.engine.spreadOverdue(this.clock.now());
    }
    const now = this.clock.now();
    const due = (await this.engine.due(now)).filter(({ id }) => !this.inFlight.has(id));
    this.swept = now;
    // If the browser stops the background while it sends, this alarm brings it back to retry unanswered reports.
    if (due.length > 0) void browser.alarms.create(ALARM, { when: Date.now() + RESCUE });
    // What a report is made of, and what it spent, must outlast the device: else the same budget could be spent again.
    this.couldNotFlush = due.length > 0;
    if (due.length > 0) await this.store.flush();
    this.couldNotFlush = false;
    for (const report of due) {
      const site = siteFor(report);
      if (report.recipient !== undefined) this.collectors.add(site);
      const sent = this.pool
        .run(site, siteOfReport(report), (hangs) => this.send(report.id, site, signal, hangs))
        .catch((error: unknown) => console.error('Cointoss could not record a try to send a report', error))
        .finally(() => void this.inFlight.delete(report.id));
      this.inFlight.set(report.id, sent);
    }
  }

  private async send(id: InternalId, site: string, signal: AbortSignal, hangs: Hangs): Promise<void> {
    // While other reports were sent, this one may have been erased, changed or replaced, or consent may have been asked for again.
    const report = await this.engine.pending(id);
    if (report === undefined || signal.aborted) return;
    const silentUntil = this.silent.get(site) ?? 0;
    if (silentUntil > this.clock.now()) return this.engine.postpone(id, silentUntil as Moment);
    const { deliveryProfile } = this.settings.current;
    const request = new AbortController();
    this.requests.set(id, request);
    const { outcome, timedOut, sent } = await this.attempt(
      report,
      AbortSignal.any([signal, request.signal]),
      hangs,
    ).finally(() => this.requests.delete(id));
    const now = this.clock.now();
    if (timedOut) this.silent.set(site, after(now, milliseconds(SILENCE)));
    await this.engine.recordAttempt(id, outcome, deliveryProfile, now, sent);
  }

  private async attempt(report: Report, signal: AbortSignal, hangs: Hangs): Promise<Attempt> {
    const givenUp = new AbortController();
    const giveUp = (): void =>
      givenUp.abort(new Error(`no answer within ${ANSWER_TIMEOUT} ms, and others waited`));
    const timer = setTimeout(() => hangs(giveUp), ANSWER_TIMEOUT);
    const timeout = AbortSignal.any([AbortSignal.timeout(TIMEOUT), givenUp.signal]);
    try {
      const made = await this.bodyOf(report, signal, timeout);
      return 'body' in made ? await this.sendBody(report, made.body, signal, timeout) : made;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Spends a token if the collector wants one. Without one, the report waits. */
  private async sendBody(
    report: Report,
    body: Json,
    signal: AbortSignal,
    timeout: AbortSignal,
  ): Promise<Attempt> {
    let authorization;
    try {
      signal.throwIfAborted();
      authorization = await this.tokens.authorizationFor(report);
    } catch (error) {
      return failed(addressOf(report), error, timeout);
    }
    const attempt = await postReport(report, body, authorization, signal, timeout);
    await this.tokens.settle(report.id, attempt.outcome);
    return attempt;
  }

  /** The body to send. An aggregatable report is sealed for a key that it names or the collector serves; without one the attempt has failed. */
  private async bodyOf(
    report: Report,
    signal: AbortSignal,
    timeout: AbortSignal,
  ): Promise<{ readonly body: Json } | Attempt> {
    if (report.aggregatable === undefined) return { body: report.body };
    const random = this.random(sealingStreamOf(report));
    const { recipient: collector = null, aggregationKeys = [] } = report;
    try {
      const key = await this.keys.key(collector, aggregationKeys, random, AbortSignal.any([signal, timeout]));
      return { body: await sealedBody(report, key, random, sealPayload) };
    } catch (error) {
      const isAsked = collector !== null && aggregationKeys.length === 0;
      return failed(isAsked ? keysUrl(collector) : addressOf(report), error, timeout);
    }
  }

  private async schedule(): Promise<void> {
    const { swept } = this;
    const next = this.settings.maySend ? await this.engine.nextDue(swept ?? -Infinity) : null;
    clearTimeout(this.timer);
    // A stopped clock never reaches that time. Moving the clock starts another run.
    const isReached = next !== null && !(this.clock.frozen && next > this.clock.now());
    const wait = Math.min(
      isReached ? Math.max(0, next - this.clock.now(), navigator.onLine ? 0 : OFFLINE_CHECK) : Infinity,
      this.inFlight.size > 0 || this.couldNotFlush ? RESCUE : Infinity,
    );
    if (wait === Infinity) {
      await browser.alarms.clear(ALARM);
      return;
    }
    // The alarm wakes a stopped background; the timer is exact while it runs.
    void browser.alarms.create(ALARM, { when: Date.now() + wait });
    if (wait < SHORTEST_ALARM) this.timer = setTimeout(() => void this.run(), wait);
  }
}

/** The site of the server that gets the report. */
function siteFor(report: Report): string {
  const origin = originOfUrl(addressOf(report));
  return origin === null ? report.url : siteOf(origin);
}
