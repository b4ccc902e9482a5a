import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BrowserName, LaunchOptions } from '../../../scenarios/kit';
import { selfSigned } from '../../unit/helpers/self-signed';
import { answerWith, type Reply } from '../../../scenarios/kit/reply';

const HOSTS = ['news.example', 'tracker.example', 'other.example'] as const;

type Host = (typeof HOSTS)[number];

/** Sites with public names, over TLS. They are on this device all the same, which only the browser's name resolution knows. */
export class SecureSites {
  readonly #replies = new Map<string, Reply>();
  #paths = 0;

  private constructor(private readonly server: Server) {}

  static launchOptions(browser: BrowserName): Partial<LaunchOptions> {
    const names = HOSTS.join(',');
    return {
      puppeteer:
        browser === 'chrome'
          ? { acceptInsecureCerts: true, args: ['--host-resolver-rules=MAP *.example 127.0.0.1'] }
          : { acceptInsecureCerts: true, extraPrefsFirefox: { 'network.dns.localDomains': names } },
    };
  }

  static async start(): Promise<SecureSites> {
    const server = createServer(selfSigned('news.example'));
    const sites = new SecureSites(server);
    server.on('request', (request, response) => {
      const host = request.headers.host?.split(':')[0] ?? '';
      const reply = sites.#replies.get(host + (request.url ?? '')) ?? { status: 404 };
      void answerWith(request, response, () => Promise.resolve(reply));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return sites;
  }

  serve(host: Host, headers: Readonly<Record<string, string>>, reply: Reply = {}): string {
    const path = `/${++this.#paths}`;
    this.#replies.set(host + path, { ...reply, headers });
    return `https://${host}:${(this.server.address() as AddressInfo).port}${path}`;
  }

  redirect(host: Host, to: string): string {
    return this.serve(host, { Location: to }, { status: 302 });
  }

  page(host: Host, body: string): string {
    return this.serve(
      host,
      { 'Content-Type': 'text/html' },
      { body: `<!doctype html><link rel="icon" href="data:,"><body>${body}` },
    );
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
