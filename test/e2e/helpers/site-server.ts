import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it came in. */
export interface Received {
  /** `adtech` for `http://adtech.localhost:…`. */
  readonly site: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Serves any number of sites, `NAME.localhost`, from one port, and remembers what was asked of it. */
export class SiteServer {
  readonly #replies = new Map<string, Reply>();
  #received: Received[] = [];
  #pages = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async start(): Promise<SiteServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sites = new SiteServer(server, (server.address() as AddressInfo).port);
    server.on('request', ({ headers, method = '', url: path = '' }, response) => {
      const site = headers.host?.split('.')[0] ?? '';
      sites.#received.push({ site, method, path, headers });
      const reply = sites.#replies.get(`${site}${path}`) ?? { status: 404 };
      response.writeHead(reply.status ?? 200, { 'Access-Control-Allow-Origin': '*', ...reply.headers });
      response.end(reply.body);
    });
    return sites;
  }

  origin(site: string): string {
    return `http://${site}.localhost:${this.port}`;
  }

  /** @returns the URL at which the reply is now served. */
  serve(site: string, path: string, reply: Reply): string {
    this.#replies.set(`${site}${path}`, reply);
    return this.origin(site) + path;
  }

  /** @returns the URL of a new page with this in its body. */
  page(site: string, body: string): string {
    this.#pages += 1;
    return this.serve(site, `/page-${this.#pages}`, {
      headers: { 'Content-Type': 'text/html' },
      body: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${site}</title><body>${body}`,
    });
  }

  /** What was asked of a site, at any of its paths unless one is given; of all of them without a site. */
  received(site?: string, path?: string): readonly Received[] {
    return this.#received.filter(
      (request) =>
        (site === undefined || request.site === site) && (path === undefined || request.path === path),
    );
  }

  /** Forgets what was served and asked. */
  reset(): void {
    this.#replies.clear();
    this.#received = [];
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close').catch(() => undefined);
  }
}
