import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../src/model/json';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { answerWith, type Reply } from './reply';
import {
  isAggregatableBody,
  isDebugBody,
  isEventLevelBody,
  type AggregatableReportBody,
  type DebugReportBody,
  type EventLevelReportBody,
} from './report-body';
import { waitFor, type WaitOptions } from './wait';
import { waitingInBrowsers } from './waiting-reports';

export interface Received {
  /** `adtech` for `http://adtech.localhost:…`. */
  readonly site: string;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of the answer. */
  readonly status: number;
  /** When it came, in ms since 1970. */
  readonly time: number;
}

/** A report that a site received at a path of the Attribution Reporting API. */
export interface ReceivedReport {
  /** The intended URL; in collector mode it differs from the actual one. */
  readonly url: string;
  /** Verbose debug reports, and no others, are lists. */
  readonly body: EventLevelReportBody | AggregatableReportBody | DebugReportBody;
}

/** The value of a registration header: JSON, or text that is sent unchanged. */
export type HeaderValue = object | string;

export interface RegisteringOptions {
  /** Default: a new one. */
  readonly path?: string;
  /** Redirects to this URL. Default: answers with a pixel. */
  readonly redirect?: string;
  readonly headers?: Reply['headers'];
}

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const HOW_TO_SEND =
  'a report that waits for the end of its window is sent by extension.deliverAll(), or by advance("next-report") and sendDue()';
const REPORTS = '/.well-known/attribution-reporting/';

/** Serves test sites on a port of this device. Default: any free port. */
export function serveSites(port = 0): Promise<Sites> {
  return Sites.serve(port);
}

/**
 * Serves any number of sites, `http://NAME.localhost`, from one port, and remembers the requests. Browsers resolve these names to this
 * device and trust them like https; each is its own site. Every site accepts reports.
 */
export class Sites {
  readonly #replies = new Map<string, Reply>();
  #received: Received[] = [];
  #reports: ReceivedReport[] = [];
  #paths = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async serve(port: number): Promise<Sites> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const sites = new Sites(server, (server.address() as AddressInfo).port);
    server.on('request', (request, response) => {
      void answerWith(request, response, async () => {
        const { headers, ...reply } = await sites.answer(request);
        return { ...reply, headers: { 'Access-Control-Allow-Origin': '*', ...headers } };
      });
    });
    return sites;
  }

  origin(site: string): string {
    return `http://${site}.localhost:${this.port}`;
  }

  /**
   * @param path without a query, it has the reply for each query that has none of its own
   * @returns the URL of the reply
   */
  serve(site: string, path: string, reply: Reply): string {
    this.#replies.set(`${site}${path}`, reply);
    return this.origin(site) + path;
  }

  /** @returns the URL of a page with this body; a new URL unless `path` is given. */
  page(site: string, body: string, path = this.newPath('page')): string {
    return this.serve(site, path, {
      headers: { 'Content-Type': 'text/html' },
      body: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${site}</title><body>${body}`,
    });
  }

  /** @returns the URL of a picture of one pixel. */
  pixel(
    site: string,
    { path = this.newPath('pixel'), headers }: Omit<RegisteringOptions, 'redirect'> = {},
  ): string {
    return this.serve(site, path, { headers: { 'Content-Type': 'image/gif', ...headers }, body: PIXEL });
  }

  /** @returns the URL of a redirect. */
  redirect(
    site: string,
    to: string,
    { path = this.newPath('redirect'), headers }: Omit<RegisteringOptions, 'redirect'> = {},
  ): string {
    return this.serve(site, path, { status: 302, headers: { ...headers, Location: to } });
  }

  /** @returns the URL whose response registers a source. */
  source(site: string, registration: HeaderValue, options?: RegisteringOptions): string {
    return this.registering(site, REGISTER_SOURCE, registration, options);
  }

  /** @returns the URL whose response registers a trigger. */
  trigger(site: string, registration: HeaderValue, options?: RegisteringOptions): string {
    return this.registering(site, REGISTER_TRIGGER, registration, options);
  }

  /** The requests to a site, or to one of its paths; without a site, to all sites. */
  received(site?: string, path?: string): readonly Received[] {
    return this.#received.filter(
      (request) =>
        (site === undefined || request.site === site) && (path === undefined || request.path === path),
    );
  }

  /** The received reports, oldest first, except at paths with their own reply. */
  reports(): readonly ReceivedReport[] {
    return [...this.#reports];
  }

  /** Resolves to the reports once there are at least `count`. */
  waitForReports(count: number, options?: WaitOptions): Promise<readonly ReceivedReport[]> {
    const enough = (): readonly ReceivedReport[] | null =>
      this.#reports.length >= count ? this.reports() : null;
    const what = `at least ${count} ${count === 1 ? 'report' : 'reports'} at the sites`;
    return waitFor(what, enough, options).catch(async (error: unknown) => {
      const newest = this.#received
        .slice(-10)
        .map(({ method, site, path, status }) => `\n    ${method} ${this.origin(site)}${path}: ${status}`);
      const message = error instanceof Error ? error.message : String(error);
      const list = newest.join('') || ' none';
      const hints = (await waitingInBrowsers()) ?? [HOW_TO_SEND];
      throw new Error([`${message}\n  newest requests to the sites:${list}`, ...hints].join('\n  '), {
        cause: error,
      });
    });
  }

  /** Forgets all replies, requests and reports. */
  reset(): void {
    this.#replies.clear();
    this.#received = [];
    this.#reports = [];
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close').catch(() => undefined);
  }

  private newPath(kind: string): string {
    this.#paths += 1;
    return `/${kind}-${this.#paths}`;
  }

  private registering(
    site: string,
    name: string,
    value: HeaderValue,
    { path, redirect, headers }: RegisteringOptions = {},
  ): string {
    const registering = { ...headers, [name]: typeof value === 'string' ? value : JSON.stringify(value) };
    const options = { headers: registering, ...(path === undefined ? {} : { path }) };
    return redirect === undefined ? this.pixel(site, options) : this.redirect(site, redirect, options);
  }

  private async answer(request: IncomingMessage): Promise<Reply> {
    const { headers, method = '', url: path = '' } = request;
    const site = headers.host?.split('.')[0] ?? '';
    const time = Date.now();
    let body = '';
    for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) body += chunk;
    const reply = this.reply({ site, method, path, headers, body });
    this.#received.push({ site, method, path, headers, body, status: reply.status ?? 200, time });
    return reply;
  }

  private reply({ site, method, path, headers, body }: Omit<Received, 'status' | 'time'>): Reply {
    const [withoutQuery = ''] = path.split('?');
    const served = this.#replies.get(`${site}${path}`) ?? this.#replies.get(`${site}${withoutQuery}`);
    if (served !== undefined) return served;
    return method === 'POST' && path.startsWith(REPORTS)
      ? this.takeReport(site, path, headers, body)
      : { status: 404 };
  }

  private takeReport(site: string, path: string, headers: IncomingHttpHeaders, body: string): Reply {
    const meant = headers['cointoss-report-url'];
    try {
      const url = typeof meant === 'string' ? meant : this.origin(site) + path;
      const json = JSON.parse(body) as Json;
      if (!isEventLevelBody(json) && !isAggregatableBody(json) && !isDebugBody(json)) return { status: 400 };
      this.#reports.push({ url, body: json });
      return {};
    } catch {
      return { status: 400 };
    }
  }
}
