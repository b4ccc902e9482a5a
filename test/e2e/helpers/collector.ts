import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { temporaryCollector } from '../../unit/helpers/empty-store';

/** How the collector behaves. Only `well`, `slow` and `loses` store reports. */
export type Mood =
  | { readonly kind: 'well' }
  | { readonly kind: 'answers'; readonly status: number; readonly location?: string }
  | { readonly kind: 'closes' }
  /** Answers as if it stored each report, but stores only every second one. */
  | { readonly kind: 'loses' }
  /** Waits for this, then stores the report and answers. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown> };

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ReportLine {
  readonly report_id: string;
  readonly [field: string]: unknown;
}

const well: Mood = { kind: 'well' };

/** The project's collector behind a proxy that can be down, slow or failing. */
export class FrailCollector {
  mood: Mood = well;
  /** Everything sent to it, stored or not. */
  readonly posts: Post[] = [];
  #server = createServer();
  #port = 0;

  private constructor(
    private readonly app: FastifyInstance,
    /** The collector's own address. */
    private readonly inner: string,
  ) {}

  static async start(): Promise<FrailCollector> {
    const app = await temporaryCollector({ debugReports: true });
    const collector = new FrailCollector(app, await app.listen({ host: '127.0.0.1', port: 0 }));
    await collector.up();
    return collector;
  }

  get origin(): string {
    return `http://collector.localhost:${this.#port}`;
  }

  /** Listens on its previous port. */
  async up(): Promise<void> {
    this.#server = createServer((request, response) => void this.answer(request, response));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening. */
  async down(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async reports(): Promise<readonly ReportLine[]> {
    const text = await (await this.ask('/reports')).text();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ReportLine);
  }

  /** Past its mood, as its operator does. */
  ask(path: string, options?: RequestInit): Promise<Response> {
    return fetch(this.inner + path, options);
  }

  async close(): Promise<void> {
    await this.down();
    await this.app.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { mood } = this;
    if (request.method === 'GET') {
      // A page that sets cookies, which reports must not carry.
      const cookies = ['plain=1', 'lax=1; SameSite=Lax', 'none=1; SameSite=None; Secure'];
      response.writeHead(200, { 'Set-Cookie': cookies, 'Content-Type': 'text/html' }).end('hello');
      return;
    }
    let body = '';
    for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) body += chunk;
    const { url: path = '', headers } = request;
    this.posts.push({ path, headers, body });
    if (mood.kind === 'closes') return void request.socket.destroy();
    if (mood.kind === 'answers') {
      const location = mood.location === undefined ? {} : { Location: mood.location };
      return void response.writeHead(mood.status, location).end();
    }
    if (mood.kind === 'loses' && this.posts.length % 2 === 0) return void response.writeHead(200).end();
    if (mood.kind === 'slow') await mood.until;
    const stored = await fetch(this.inner + path, { method: 'POST', headers: forwarded(headers), body });
    response.writeHead(stored.status).end(await stored.text());
  }
}

/** The headers that the collector uses. */
function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['content-type', 'cointoss-report-url'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
