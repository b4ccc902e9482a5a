import { setTimeout as sleep } from 'node:timers/promises';
import {
  InterceptResolutionAction,
  type Browser,
  type HTTPRequest,
  type HTTPResponse,
  type Target,
} from 'puppeteer-core';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import type { BrowserName } from './executable';
import { INFO } from '../../recording/structured-headers';

/** A request of a page that failed, was eligible, or was answered with a header about attribution. */
interface Answer {
  readonly text: string;
  /** The URL of its page; null if that is gone. Firefox's pages have it only some time after their first answers. */
  readonly page: () => string | null;
  /** Whether it registers nothing: there was no answer, an error, or a header that nobody knows. */
  readonly failed: boolean;
  /** Whether it has a registration header, and the test intercepts the requests of its page: then the test may have made it. */
  readonly mayBeMade: boolean;
}

const REGISTRATIONS = [
  REGISTER_SOURCE,
  REGISTER_TRIGGER,
  'Attribution-Reporting-Register-OS-Source',
  'Attribution-Reporting-Register-OS-Trigger',
].map((name) => name.toLowerCase());
const KNOWN_HEADERS = [...REGISTRATIONS, INFO.toLowerCase()];
/** Also misspelt. */
const ABOUT_ATTRIBUTION = /at+ribution|register-?(source|trigger)/;
/** In ms: a page that needs longer to answer is busy. */
const ANSWER_TIME = 500;
/** The page itself gave the request up. */
const ABORTED = /ERR_ABORTED|NS_BINDING_ABORTED/;

/** Remembers what servers answered to the pages of a browser. It does not see the requests of the extension itself. */
export class Traffic {
  readonly #inFlight = new Set<HTTPRequest>();
  readonly #answers: Answer[] = [];
  #isIntercepted = false;

  /** @param browser null where puppeteer is not told of requests: then there are no answers */
  constructor(
    private readonly browser: Browser | null,
    private readonly name: BrowserName,
  ) {
    browser?.on('targetcreated', (target) => void this.#watch(target));
    for (const target of browser?.targets() ?? []) void this.#watch(target);
  }

  /** The answers so far, oldest first. */
  get answers(): readonly Answer[] {
    return this.#answers;
  }

  /** Whether the test intercepts requests of a page. */
  get isIntercepted(): boolean {
    return this.#isIntercepted;
  }

  /** How many requests wait for their answer. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Whether every page runs scripts now: none computes, and none shows a dialog. */
  async pagesAnswer(): Promise<boolean> {
    const pages = (await this.browser?.pages()) ?? [];
    // A tab may close meanwhile.
    const answers = Promise.all(pages.map((page) => page.evaluate(() => true).catch(() => true)));
    const answered = await Promise.race([answers, sleep(ANSWER_TIME)]);
    return answered !== undefined;
  }

  async #watch(target: Target): Promise<void> {
    const isOutside = this.#isOutside(target);
    // A tab may close meanwhile.
    const page = await target.page().catch(() => null);
    page
      ?.on('request', (request) => this.#begun(request))
      .on('response', (response) => this.#note(isOutside ? neverAnswered(response) : answered(response)))
      .on('requestfinished', (request) => this.#inFlight.delete(request))
      .on('requestfailed', (request) => {
        this.#inFlight.delete(request);
        this.#note(unanswered(request));
      })
      .on('close', () => this.#inFlight.clear());
  }

  #begun(request: HTTPRequest): void {
    if (request.url().startsWith('http')) this.#inFlight.add(request);
    this.#isIntercepted ||= isIntercepted(request);
  }

  /** Chromium runs no extension in the contexts that `createBrowserContext` makes; Firefox does. */
  #isOutside(target: Target): boolean {
    return this.name === 'chrome' && target.browserContext() !== this.browser?.defaultBrowserContext();
  }

  #note(answer: Answer | null): void {
    if (answer !== null) this.#answers.push(answer);
  }
}

function unanswered(request: HTTPRequest): Answer | null {
  const error = request.failure()?.errorText ?? 'no answer';
  if (!request.url().startsWith('http') || ABORTED.test(error)) return null;
  return {
    text: `${request.method()} ${request.url()}: ${error}`,
    page: () => pageOf(request),
    failed: true,
    mayBeMade: false,
  };
}

const neverAnswered = (response: HTTPResponse): Answer | null =>
  response.url().startsWith('http')
    ? {
        text: `${response.request().method()} ${response.url()}: of a page in a context of createBrowserContext, where Chromium runs no extension; open it with browser.newPage()`,
        page: () => pageOf(response.request()),
        failed: true,
        mayBeMade: false,
      }
    : null;

function answered(response: HTTPResponse): Answer | null {
  const request = response.request();
  const status = response.status();
  const headers = Object.keys(response.headers()).filter((name) => ABOUT_ATTRIBUTION.test(name));
  const unknown = headers.filter((name) => !KNOWN_HEADERS.includes(name));
  const isEligible = 'attribution-reporting-eligible' in request.headers();
  if (!request.url().startsWith('http') || (status < 400 && headers.length === 0 && !isEligible)) return null;
  const found = headers.length === 0 ? 'no header about attribution' : headers.join(', ');
  const mistake = unknown.length === 0 ? '' : ` (unknown: ${unknown.join(', ')})`;
  return {
    text: `${request.method()} ${request.url()}: ${status}, ${found}${mistake}`,
    page: () => pageOf(request),
    failed: status >= 400 || unknown.length > 0,
    mayBeMade: headers.some((name) => REGISTRATIONS.includes(name)) && isIntercepted(request),
  };
}

const isIntercepted = (request: HTTPRequest): boolean =>
  request.interceptResolutionState().action !== InterceptResolutionAction.Disabled;

function pageOf(request: HTTPRequest): string | null {
  const frame = request.frame();
  return frame === null || frame.detached ? null : frame.page().url();
}
