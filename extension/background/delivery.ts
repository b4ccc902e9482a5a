import browser from 'webextension-polyfill';
import type { Engine } from '../../src/engine';
import type { DeliveryOutcome, Report } from '../../src/model/records';
import { minutes } from '../../src/model/units';
import type { Clock } from './clock';
import type { SettingsHolder } from './settings';

const ALARM = 'deliver';
const TIMEOUT = 30_000;
const PARALLEL = 6;
/** Chrome keeps alarms at least this far apart; what is due sooner is waited for in the worker. */
const SHORTEST_ALARM = 30_000;
const OFFLINE_CHECK = 60_000;
/** Longer than a try to send may take. */
const RESCUE = 60_000;

/** Sends reports when they are due, in this life of the background or the next. */
export class Delivery {
  private running: Promise<void> | null = null;
  private again = false;
  private couldNotSend = false;
  /** Of what is being sent now. */
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
   * For when the background starts. What came due well before that did so while the browser was closed, or asleep:
   * with the browser open, an alarm starts the background in time.
   */
  async start(): Promise<void> {
    if (this.settings.maySend) await this.engine.spreadOverdue(this.clock.now(), minutes(1));
    await this.run();
  }

  /** Sends what is due, then arranges to be called for what comes next. Resolves when all that is done. */
  run(): Promise<void> {
    if (this.running !== null) {
      this.again = true;
      return this.running;
    }
    this.running = this.runRepeatedly();
    return this.running;
  }

  /**
   * Ends the requests under way, as sending is not agreed to any more. One may have arrived all the same, so that it counts as tried
   * wherever its report is kept.
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
        // Last of all: what became due meanwhile has been neither sent nor scheduled.
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
    // If the background is stopped while it sends, somebody has to come back for what was not answered.
    if (due.length > 0) void browser.alarms.create(ALARM, { when: Date.now() + RESCUE });
    for (let start = 0; start < due.length; start += PARALLEL) {
      await Promise.all(due.slice(start, start + PARALLEL).map((report) => this.send(report, signal)));
    }
  }

  private async send(report: Report, signal: AbortSignal): Promise<void> {
    // While others were sent it may have been erased, or replaced, or the person asked anew.
    if (!(await this.engine.isPending(report.id)) || signal.aborted) return;
    const { collector, deliveryProfile } = this.settings.current;
    const outcome = await post(report, collector, signal);
    await this.engine.recordAttempt(report.id, outcome, deliveryProfile, this.clock.now());
  }

  private async schedule(): Promise<void> {
    clearTimeout(this.timer);
    const next = this.settings.maySend ? await this.engine.nextDue() : null;
    // A clock that stands still never gets there; whoever moves it calls again.
    if (next === null || (this.clock.frozen && next > this.clock.now())) {
      await browser.alarms.clear(ALARM);
      return;
    }
    const wait = Math.max(0, next - this.clock.now(), navigator.onLine ? 0 : OFFLINE_CHECK);
    // An alarm wakes a background that was stopped meanwhile; the timer is for being on time while it is not.
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
      // A redirect would take the report where nobody configured it to go.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    });
    return { kind: 'answered', status, to };
  } catch (error) {
    return { kind: 'unreachable', error: error instanceof Error ? error.message : String(error) };
  }
}
