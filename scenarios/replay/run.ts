import type { PageMessage, Reply } from '../../extension/messages';
import type { Json } from '../../src/model/json';
import { effectiveDebug } from '../../formats/settings/settings';
import type { Page } from 'puppeteer-core';
import { AGGREGATION_SERVICE } from '../../w3c/service';
import {
  replayCalls,
  scenarioHistogram,
  startWithoutNoise,
  type ReplayCallsOptions,
} from '../../analysis/scenario/calls/replay-calls';
import type { ScenarioCall, ScenarioHistogram } from '../../analysis/scenario/calls/scenario-calls';
import { apiConfigOf } from '../../analysis/scenario/api-config';
import { forcedOutcome, isRefused } from '../../analysis/scenario/outcome';
import { scenarioRegistration, type ScenarioRequest } from '../../analysis/scenario/scenario-registration';
import {
  timesOf,
  type Replayed,
  type Scenario,
  type ScenarioEvent,
  type ScenarioReport,
  type ScenarioResponse,
} from '../../analysis/scenario/scenario';
import { waitFor, type Extension } from '../kit';
import type { OwnCollector } from './own-collector';
import type { WebReply, WebRequest } from './own-web';
import { callPage, framePage, stepPage } from './step-page';

const REPORTS = '/.well-known/attribution-reporting/';
const PAGES = '/cointoss-replay/';
const WAIT_OPTIONS = { timeout: 15_000, interval: 5 };
/** The frame of a page that calls `navigator.attribution`, and where the one that calls says what it got. */
const FRAME = `${PAGES}frame`;
const SAID = `${PAGES}said`;
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const registering = ['source', 'trigger', 'os-source', 'os-trigger'].map(
  (what) => `attribution-reporting-register-${what}`,
);

export interface BrowserReplayOptions {
  /** Whether to noise sources whose response does not force an outcome. */
  readonly noise: boolean;
  readonly seed: string | null;
  /** As for `replayCalls`. With noise only the browser knows what fits, and rejects the call. */
  readonly misfit: NonNullable<ReplayCallsOptions['misfit']>;
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

type PageCall = Extract<ScenarioCall, { readonly kind: 'saveImpression' | 'measureConversion' }>;

/** A call of a page in progress. */
interface Calling {
  readonly step: PageCall;
  said: { readonly report: string | null } | { readonly error: string } | null;
}

/**
 * Runs one scenario in the browser. The clock stands still at the scenario's time at every event, and each response waits until the
 * previous one is recorded, so times and order are exact.
 */
export class BrowserRun {
  private readonly sent: ScenarioReport[] = [];
  private readonly histograms: ScenarioHistogram[] = [];
  private step: Step | null = null;
  private calling: Calling | null = null;
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

  async play(): Promise<Replayed> {
    const credits = this.credits();
    await this.begin();
    for (const step of inOrder(this.scenario))
      await (step.kind === 'event'
        ? this.playEvent(step.event)
        : this.playCall(step.call, credits.get(step.call) ?? null));
    await this.turnTo(Infinity);
    if (this.failure instanceof Error) throw this.failure;
    return { reports: this.sent, histograms: this.histograms };
  }

  /** What is drawn for each conversion: what the file states, and without noise what the engine gives. */
  private credits(): ReadonlyMap<ScenarioCall, readonly number[]> {
    const credits = new Map<ScenarioCall, readonly number[]>();
    const { w3c } = this.scenario;
    if (this.options.noise) {
      for (const call of w3c.calls)
        if (call.kind === 'measureConversion' && call.credit !== null) credits.set(call, call.credit);
    } else
      replayCalls(w3c, {
        random: null,
        misfit: this.options.misfit,
        observe: (call, { credited }) => {
          if (credited.length > 1)
            credits.set(
              call,
              credited.map(({ value }) => value),
            );
        },
      });
    return credits;
  }

  /** Answers every request of the browser. */
  async answer(request: WebRequest): Promise<WebReply> {
    const { pathname } = new URL(request.url);
    const isReport = request.method === 'POST' && pathname.startsWith(REPORTS);
    const keys = this.stage.collector.answer(request);
    if ((isReport || keys !== null) && !this.online) return 'cut';
    if (keys !== null) return keys;
    if (isReport) return this.failing(() => this.takeReport(request));
    if (pathname === SAID) return this.take(request.body);
    if (this.calling !== null && pathname.startsWith(PAGES)) return callingPage(this.calling.step, pathname);
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
    const { limits, epochStart, calls } = this.scenario.w3c;
    if (calls.length === 0) return;
    await extension.w3c.setLimits({ ...limits });
    const start = epochStart ?? (this.options.noise ? null : startWithoutNoise);
    await this.send({ kind: 'set-w3c-state', epochStart: start, lastClear: null });
  }

  private async playCall(call: ScenarioCall, credit: readonly number[] | null): Promise<void> {
    await this.turnTo(call.time);
    const { extension } = this.stage;
    if (call.kind === 'clearImpressions') await extension.w3c.clearImpressions(call.site);
    else if (call.kind === 'erase') {
      const { epochStart } = (await extension.w3c.view()).state;
      await this.send({ kind: 'set-w3c-state', epochStart, lastClear: call.time });
    } else await this.callOfPage(call, credit);
  }

  /** Opens a page that calls the API when it is pressed, and presses it. */
  private async callOfPage(step: PageCall, credit: readonly number[] | null): Promise<void> {
    const { page, collector } = this.stage;
    await this.send({ kind: 'force-w3c-credit', credit });
    const calling: Calling = { step, said: null };
    this.calling = calling;
    await page.goto(`https://${step.call.topLevelSite}${PAGES}${++this.pages}`);
    const done = waitFor('the answer to the call', () => calling.said !== null, WAIT_OPTIONS);
    await Promise.all([done, page.mouse.click(100, 100)]);
    this.calling = null;
    const said = calling.said as NonNullable<Calling['said']>;
    if ('error' in said) throw new Error(`${step.path}: the browser rejected the call with ${said.error}`);
    if (said.report !== null)
      this.histograms.push(scenarioHistogram(step.call, await collector.histogramOf(said.report)));
  }

  private take(said: string): WebReply {
    if (this.calling === null) return { status: 404 };
    this.calling.said = JSON.parse(said) as Calling['said'];
    return { status: 204 };
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
    const done = waitFor('the request of the page', () => this.isAnswered(step, wanted), WAIT_OPTIONS);
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
    const { settings, w3c } = this.scenario;
    const { noise, seed } = this.options;
    const { collector } = this.stage;
    await this.stage.extension.settings({
      ...settings,
      // Replay ignores these settings of a scenario.
      ...{ paused: false, pausedSites: [], rules: [] },
      // Without a seed, the device's secret would draw the arms, and no other replay could draw the same ones.
      ...(seed === null ? { liftTest: null } : {}),
      collector: settings.aggregatableReports ? collector.origin : null,
      ...(w3c.calls.length === 0 ? {} : { w3cAttribution: true, aggregationKeys: [collector.key] }),
      debug: { enabled: true, noise, seed, delay: effectiveDebug(settings).delay, debugReports },
    });
  }

  /** Resolves when the last response is recorded, if there was one and it is recorded at once. */
  private async recorded({ request, answered, logId }: Step): Promise<void> {
    const response = request.responses[answered - 1];
    if (response === undefined || !isRecordedAtOnce(request, response)) return;
    await waitFor(
      'the response to be recorded',
      async () => (await this.newestEntry()) !== logId,
      WAIT_OPTIONS,
    );
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

type InOrder =
  | { readonly kind: 'event'; readonly time: number; readonly event: ScenarioEvent }
  | { readonly kind: 'call'; readonly time: number; readonly call: ScenarioCall };

/** Both halves of a scenario by time. */
const inOrder = ({ events, w3c }: Scenario): readonly InOrder[] =>
  [
    ...events.map((event): InOrder => ({ kind: 'event', time: timesOf(event)[0] ?? 0, event })),
    ...w3c.calls.map((call): InOrder => ({ kind: 'call', time: call.time, call })),
  ].sort((a, b) => a.time - b.time);

/** The page of a call, or the frame in it if the caller is another site. */
function callingPage({ kind, call, asked }: PageCall, pathname: string): WebReply {
  const options = kind === 'saveImpression' ? asked : { ...asked, aggregationService: AGGREGATION_SERVICE };
  const { intermediarySite } = call;
  const isFramed = intermediarySite !== null && pathname !== FRAME;
  return {
    headers: { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' },
    body: isFramed ? framePage(`https://${intermediarySite}${FRAME}`) : callPage(kind, options, SAID),
  };
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
