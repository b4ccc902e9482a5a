import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Html } from '../../../collector/dashboard/html';

/** A site's response. Default: `no-store`, because every view of an ad must reach the server. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SiteRequest {
  /** `GET` includes `HEAD`. */
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | null;
}

/** Null: there is no such page. */
export type Site = (request: SiteRequest) => Reply | null | Promise<Reply | null>;

/** The visitor's mistake; the visitor sees the message. */
export class BadRequest extends Error {}

/** A listening site. It answers requests once `serve` has been called. */
export interface Listener {
  readonly port: number;
  serve(site: Site): void;
  close(): Promise<void>;
}

/**
 * Listens on loopback.
 * @param port 0 takes any free one.
 * @throws the system's error (`EADDRINUSE`) when the port is taken.
 */
export async function listen(port: number): Promise<Listener> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    serve: (site) =>
      server.on('request', (message, response) => {
        void answer(site, message).then(({ status, headers, body }) => {
          const usual = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
          response.writeHead(status, { ...usual, ...headers }).end(body);
        });
      }),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export const page = (body: Html): Reply => file('text/html', `<!doctype html>\n${body.markup}`);

export const file = (type: string, body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers: { 'Content-Type': type === 'image/svg+xml' ? type : `${type}; charset=utf-8`, ...headers },
  body,
});

/** @param status 302 to continue elsewhere, 303 after a form. */
export const redirect = (
  status: 302 | 303,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({ status, headers: { Location: location, ...headers }, body: '' });

const plain = (status: number, body: string): Reply => ({ ...file('text/plain', body), status });

async function answer(site: Site, message: IncomingMessage): Promise<Reply> {
  try {
    const request = requestOf(message);
    if (request === null) return plain(405, 'This site answers GET and POST.\n');
    return (await site(request)) ?? plain(404, 'There is no such page.\n');
  } catch (error) {
    if (error instanceof BadRequest) return plain(400, `${error.message}\n`);
    console.error(error);
    return plain(500, 'The demo site failed; its terminal says why.\n');
  }
}

function requestOf(message: IncomingMessage): SiteRequest | null {
  const method = message.method === 'HEAD' ? 'GET' : message.method;
  if (method !== 'GET' && method !== 'POST') return null;
  // Only path and query matter, so the origin is a placeholder.
  const target = `http://localhost${message.url ?? '/'}`;
  if (!URL.canParse(target)) throw new BadRequest('The address cannot be read.');
  const { pathname, searchParams } = new URL(target);
  return {
    method,
    path: pathname,
    query: searchParams,
    header: (name) => message.headers[name.toLowerCase()]?.toString() ?? null,
  };
}
