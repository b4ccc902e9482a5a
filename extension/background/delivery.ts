import browser from 'webextension-polyfill';
import type { Engine } from '../../src/engine';
import type { DeliveryOutcome, Report } from '../../src/model/records';
import { minutes } from '../../src/model/units';
import type { Clock } from './clock';
import type { SettingsHolder } from './settings';

const ALARM = 'deliver';
const TIMEOUT = 30_000;
const PARALLEL = 6;
/** In ms. Chrome fires alarms no sooner than this, so the worker itself waits for anything earlier. */
const SHORTEST_ALARM = 30_000;
const OFFLINE_CHECK = 60_000;
/** In ms: longer than an attempt to send can take. */
const RESCUE = 60_000;

/** Sends reports when they are due, across restarts of the background. */
export class Delivery {
  private running: Promise<void> | null = null;
  private again = false;
  private couldNotSend = false;
  /** Aborts the requests under way. */
  private sending = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly settings: SettingsHolder,
  ) {}

  static isAlarm(name: string): boolean {
    return name === ALARM;
  }

  /**
   * Called when the background starts. Overdue reports fell due while the browser was closed or asleep: with the browser open, an alarm
   * starts the background in time.
   */
  async start(): Promise<void> {
    if (this.settings.maySend) await this.engine.spreadOverdue(this.clock.now(), minutes(1));
    await this.run();
  }

  /** Sends what is due and schedules the next run. Resolves when both are done. */
  run(): Promise<void> {
    if (this.running !== null) {
      this.again = true;
      return this.running;
    }
    this.running = this.runRepeatedly();
    return this.running;
  }

  /**
   * Aborts the requests under way, because the person no longer agrees to sending. A request may have arrived all the same, so its report
   * counts as tried.
   */
  stop(): void {
    this.sending.abort(new Error('stopped: it may be sent only once what has changed is agreed to'));
    this.sending = new AbortController();
  }

  private async runRepeatedly(): Promise<void> {
    try {
      do {
        this.again = false;
        try {
          await this.sendDue();
          await this.engine.deleteExpiredSources(this.clock.now());
        } finally {
          await this.schedule();
        }
        // Checked last: a report that fell due meanwhile has been neither sent nor scheduled.
      } while (this.wantsAgain());
    } finally {
      this.running = null;
    }
  }

  private wantsAgain(): boolean {
    return this.again;
  }

  private async sendDue(): Promise<void> {
    const { signal } = this.sending;
    if (!navigator.onLine || !this.settings.maySend) {
      this.couldNotSend = true;
      return;
    }
    if (this.couldNotSend) {
      this.couldNotSend = false;
      await this.engine.spreadOverdue(this.clock.now());
    }
    const due = await this.engine.due(this.clock.now());
    // If the browser stops the background while it sends, this alarm brings it back to retry unanswered reports.
    if (due.length > 0) void browser.alarms.create(ALARM, { when: Date.now() + RESCUE });
    for (let start = 0; start < due.length; start += PARALLEL) {
      await Promise.all(due.slice(start, start + PARALLEL).map((report) => this.send(report, signal)));
    }
  }

  private async send(report: Report, signal: AbortSignal): Promise<void> {
    // While other reports were sent, this one may have been erased or replaced, or consent may have been asked for again.
    if (!(await this.engine.isPending(report.id)) || signal.aborted) return;
    const { collector, deliveryProfile } = this.settings.current;
    const outcome = await post(report, collector, signal);
    await this.engine.recordAttempt(report.id, outcome, deliveryProfile, this.clock.now());
  }

  private async schedule(): Promise<void> {
    clearTimeout(this.timer);
    const next = this.settings.maySend ? await this.engine.nextDue() : null;
    // A stopped clock never reaches that time. Moving the clock starts another run.
    if (next === null || (this.clock.frozen && next > this.clock.now())) {
      await browser.alarms.clear(ALARM);
      return;
    }
    const wait = Math.max(0, next - this.clock.now(), navigator.onLine ? 0 : OFFLINE_CHECK);
    // The alarm wakes a stopped background; the timer is exact while it runs.
    void browser.alarms.create(ALARM, { when: Date.now() + wait });
    if (wait < SHORTEST_ALARM) this.timer = setTimeout(() => void this.run(), wait);
  }
}

/** ARA, "create a report request": no credentials, no cache, no referrer. */
async function post(report: Report, collector: string | null, signal: AbortSignal): Promise<DeliveryOutcome> {
  const { pathname } = new URL(report.url);
  const to = collector === null ? report.url : collector + pathname;
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (collector !== null) headers.set('Cointoss-Report-Url', report.url);
  try {
    const { status } = await fetch(to, {
      method: 'POST',
      headers,
      body: JSON.stringify(report.body),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      // A redirect would take the report to a server that nobody configured.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    });
    return { kind: 'answered', status, to };
  } catch (error) {
    return { kind: 'unreachable', error: error instanceof Error ? error.message : String(error) };
  }
}
