import type { PageMessage, Reply } from '../../extension/messages';
import type { Json } from '../../src/model/json';
import { effectiveDebug } from '../../formats/settings/settings';
import type { Page } from 'puppeteer-core';
import { apiConfigOf } from '../../analysis/scenario/api-config';
import { forcedOutcome, isRefused } from '../../analysis/scenario/outcome';
import { scenarioRegistration, type ScenarioRequest } from '../../analysis/scenario/scenario-registration';
import type {
  Scenario,
  ScenarioEvent,
  ScenarioReport,
  ScenarioResponse,
} from '../../analysis/scenario/scenario';
import { waitFor, type Extension } from '../kit';
import type { OwnCollector } from './own-collector';
import type { WebReply, WebRequest } from './own-web';
import { stepPage } from './step-page';

const REPORTS = '/.well-known/attribution-reporting/';
const PAGES = '/cointoss-replay/';
const PATIENCE = { timeout: 15_000, interval: 5 };
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const registering = ['source', 'trigger', 'os-source', 'os-trigger'].map(
  (what) => `attribution-reporting-register-${what}`,
);

export interface BrowserReplayOptions {
  /** Whether to noise sources whose response does not force an outcome. */
  readonly noise: boolean;
  readonly seed: string | null;
}

export interface Stage {
  readonly extension: Extension;
  readonly page: Page;
  readonly collector: OwnCollector;
}

/** A request of the scenario in progress. */
interface Step {
  readonly request: ScenarioRequest;
  /** How many responses were given. */
  answered: number;
  /** The newest log entry before the last response. */
  logId: number | null;
}

/**
 * Runs one scenario in the browser. The clock stands still at the scenario's time at every event, and each response waits until the
 * previous one is recorded, so times and order are exact.
 */
export class BrowserRun {
  private readonly sent: ScenarioReport[] = [];
  private step: Step | null = null;
  private online = true;
  private now = 0;
  private debugReports = false;
  private pages = 0;
  /** An error while making a response; the step then fails with it. */
  private failure: unknown = null;

  constructor(
    private readonly scenario: Scenario,
    private readonly options: BrowserReplayOptions,
    private readonly stage: Stage,
  ) {}

  async play(): Promise<readonly ScenarioReport[]> {
    await this.begin();
    for (const event of this.scenario.events) await this.playEvent(event);
    await this.turnTo(Infinity);
    if (this.failure instanceof Error) throw this.failure;
    return this.sent;
  }

  /** Answers every request of the browser. */
  async answer(request: WebRequest): Promise<WebReply> {
    const { pathname } = new URL(request.url);
    const isReport = request.method === 'POST' && pathname.startsWith(REPORTS);
    const keys = this.stage.collector.answer(request);
    if ((isReport || keys !== null) && !this.online) return 'cut';
    if (keys !== null) return keys;
    if (isReport) return this.failing(() => this.takeReport(request));
    if (pathname.startsWith(PAGES)) return this.page();
    const { step } = this;
    const response = step?.request.responses[step.answered];
    if (step === null || response === undefined || new URL(response.url).href !== request.url)
      return { status: 404 };
    return this.failing(() => this.respond(step, response));
  }

  private async failing(answer: () => Promise<WebReply>): Promise<WebReply> {
    try {
      return await answer();
    } catch (error) {
      this.failure = error;
      return { status: 500 };
    }
  }

  private async begin(): Promise<void> {
    const { extension } = this.stage;
    await this.setDebugReports(false, true);
    await extension.clear();
    await this.send({ kind: 'force-state', state: null });
    await this.send({ kind: 'set-limits', limits: apiConfigOf(this.scenario.config.limits) });
    await this.send({ kind: 'set-clock', to: 0, frozen: true });
  }

  private async playEvent(event: ScenarioEvent): Promise<void> {
    if (event.kind === 'request') return this.request(event);
    await this.turnTo(event.time);
    if (event.kind === 'connection') this.online = event.up;
  }

  /** Opens the page that makes the request, and resolves when all its responses are recorded. */
  private async request(request: ScenarioRequest): Promise<void> {
    const { page } = this.stage;
    const first = request.responses[0];
    if (first === undefined) return;
    await this.turnTo(first.time);
    const step: Step = { request, answered: 0, logId: null };
    this.step = step;
    await page.goto(`${request.contextOrigin}${PAGES}${++this.pages}`);
    const wanted = request.responses.filter(({ reportingOrigin }) => reportingOrigin !== null).length;
    const done = waitFor('the request of the page', () => this.isAnswered(step, wanted), PATIENCE);
    if (request.eligibility === 'navigation-source') await Promise.all([done, page.mouse.click(100, 100)]);
    else await done;
    await this.recorded(step);
    this.step = null;
  }

  private isAnswered(step: Step, wanted: number): boolean {
    if (this.failure instanceof Error) throw this.failure;
    return step.answered >= wanted;
  }

  private async respond(step: Step, response: ScenarioResponse): Promise<WebReply> {
    await this.recorded(step);
    await this.turnTo(response.time);
    await this.prepare(step.request, response);
    step.logId = await this.newestEntry();
    step.answered += 1;
    const next = step.request.responses[step.answered];
    const headers = Object.fromEntries(response.headers);
    const common = { ...headers, 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' };
    if (next !== undefined) return { status: 302, headers: { ...common, Location: next.url } };
    // A link to a response without content leaves the tab in place, which saves loading a page.
    return step.request.eligibility === 'navigation-source'
      ? { status: 204, headers: common }
      : { headers: { ...common, 'Content-Type': 'image/gif' }, body: PIXEL };
  }

  /** Sets everything that the extension must know before a response. */
  private async prepare(request: ScenarioRequest, response: ScenarioResponse): Promise<void> {
    const { limits } = this.scenario.config;
    const result = scenarioRegistration(request, response);
    const registration = result.kind === 'register' ? result.registration : null;
    // Reports on header errors are enabled here in any case, and nothing else is when a header is refused.
    const refused = registration !== null && isRefused(registration, limits);
    await this.setDebugReports(response.debugPermission || refused);
    if (registration === null) return;
    await this.send({ kind: 'force-null-reports', days: response.nullReportDays });
    if (response.randomizedResponse === null) return;
    const forced = forcedOutcome(registration, response, limits);
    await this.send({ kind: 'force-state', state: forced === null ? null : String(forced.number) });
  }

  private async setDebugReports(debugReports: boolean, always = false): Promise<void> {
    if (debugReports === this.debugReports && !always) return;
    this.debugReports = debugReports;
    const { settings } = this.scenario;
    const { noise, seed } = this.options;
    await this.stage.extension.settings({
      ...settings,
      // Replay ignores these settings of a scenario.
      ...{ paused: false, pausedSites: [], rules: [] },
      collector: settings.aggregatableReports ? this.stage.collector.origin : null,
      debug: { enabled: true, noise, seed, delay: effectiveDebug(settings).delay, debugReports },
    });
  }

  /** Resolves when the last response is recorded, if there was one and it is recorded at once. */
  private async recorded({ request, answered, logId }: Step): Promise<void> {
    const response = request.responses[answered - 1];
    if (response === undefined || !isRecordedAtOnce(request, response)) return;
    await waitFor('the response to be recorded', async () => (await this.newestEntry()) !== logId, PATIENCE);
  }

  private async newestEntry(): Promise<number | null> {
    const [entry] = await this.send({ kind: 'list', table: 'log', limit: 1 });
    return entry?.id ?? null;
  }

  /** Sends the reports due up to a moment, each at its time, and stops the clock there. */
  private async turnTo(end: number): Promise<void> {
    let { nextReportTime: next } = await this.send({ kind: 'send-due' });
    while (next !== null && next <= end) {
      if (next <= this.now) throw new Error(`a report that was due at ${next} was not sent`);
      next = await this.setClock(next);
    }
    if (end !== Infinity && end > this.now) await this.setClock(end);
  }

  private async setClock(to: number): Promise<number | null> {
    this.now = to;
    const { nextReportTime } = await this.send({ kind: 'set-clock', to, frozen: true });
    return nextReportTime;
  }

  private async takeReport({ url, headers, body }: WebRequest): Promise<WebReply> {
    const meantFor = headers['cointoss-report-url'];
    const time = String(this.now);
    const payload = await this.stage.collector.payloadOf(JSON.parse(body) as Json);
    this.sent.push({
      report_time: time,
      report_url: meantFor === undefined ? url : String(meantFor),
      payload,
    });
    return {};
  }

  private page(): WebReply {
    const { step } = this;
    const first = step?.request.responses[0];
    if (step === null || first === undefined) return { status: 404 };
    return {
      headers: { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' },
      body: stepPage(first.url, step.request.eligibility),
    };
  }

  private send<Message extends PageMessage>(message: Message): Promise<Reply<Message>> {
    return this.stage.extension.send(message);
  }
}

/** A source without declared eligibility is recorded only once the clock has moved; see recording/requests.ts. */
function isRecordedAtOnce(
  { eligibility }: ScenarioRequest,
  { headers, reportingOrigin }: ScenarioResponse,
): boolean {
  if (reportingOrigin === null || !registering.some((name) => headers.has(name))) return false;
  const namesSource = headers.has('attribution-reporting-register-source');
  return !(
    eligibility === 'unset' &&
    (namesSource || headers.has('attribution-reporting-register-os-source'))
  );
}
