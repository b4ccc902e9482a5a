import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BrowserName, LaunchOptions } from '../../../scenarios/kit';
import { selfSigned } from '../../unit/helpers/self-signed';
import { answerWith, type Reply } from '../../../scenarios/kit/reply';

const HOSTS = ['news.example', 'news.lan', 'tracker.example', 'other.example', 'inside.example'] as const;

const INSIDE = { chrome: '127.0.0.2', firefox: '127.0.0.1' };

type Host = (typeof HOSTS)[number];

/**
 * Sites with public names, and one of a private network, over TLS. They are on this device all the same. Chrome is told to take the address
 * of all but inside.example for a public one; Firefox knows where they lead.
 */
export class SecureSites {
  readonly #replies = new Map<string, Reply>();
  readonly #received: string[] = [];
  #connections = 0;
  #paths = 0;

  private constructor(
    private readonly server: Server,
    private readonly inside: Server,
  ) {}

  static launchOptions(browser: BrowserName): Partial<LaunchOptions> {
    const names = HOSTS.join(',');
    return {
      puppeteer:
        browser === 'chrome'
          ? {
              acceptInsecureCerts: true,
              args: [
                `--host-resolver-rules=MAP inside.example ${INSIDE.chrome}, MAP *.example 127.0.0.1, MAP *.lan 127.0.0.1`,
                '--ip-address-space-overrides=127.0.0.1:0=public',
              ],
            }
          : { acceptInsecureCerts: true, extraPrefsFirefox: { 'network.dns.localDomains': names } },
    };
  }

  static async start(browser: BrowserName): Promise<SecureSites> {
    const [server, inside] = [
      createServer(selfSigned('news.example')),
      createServer(selfSigned('inside.example')),
    ];
    const sites = new SecureSites(server, inside);
    for (const each of [server, inside])
      each.on('request', (request, response) => {
        const host = request.headers.host?.split(':')[0] ?? '';
        sites.#received.push(host);
        const reply = sites.#replies.get(host + (request.url ?? '')) ?? { status: 404 };
        void answerWith(request, response, () => Promise.resolve(reply));
      });
    inside.on('connection', () => (sites.#connections += 1));
    server.listen(0, '127.0.0.1');
    inside.listen(0, INSIDE[browser]);
    await Promise.all([once(server, 'listening'), once(inside, 'listening')]);
    return sites;
  }

  /** How many requests for a host have come. */
  received(host: Host): number {
    return this.#received.filter((name) => name === host).length;
  }

  /** How many connections to inside.example there were, with and without requests. */
  get connectionsInside(): number {
    return this.#connections;
  }

  serve(host: Host, headers: Readonly<Record<string, string>>, reply: Reply = {}): string {
    const path = `/${++this.#paths}`;
    this.#replies.set(host + path, { ...reply, headers });
    const server = host === 'inside.example' ? this.inside : this.server;
    return `https://${host}:${(server.address() as AddressInfo).port}${path}`;
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
    for (const server of [this.server, this.inside]) {
      server.close();
      server.closeAllConnections();
    }
    await Promise.all([once(this.server, 'close'), once(this.inside, 'close')]);
  }
}
