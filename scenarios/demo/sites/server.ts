import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
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
  /**
   * The fields of a posted form.
   * @throws BadRequest when the body is not a form or is too long.
   */
  form(): Promise<URLSearchParams>;
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

const MAX_FORM_LENGTH = 4096;

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
    serve: (site) => answerWith(server, site),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export const page = (body: Html, status = 200): Reply => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: `<!doctype html>\n${body.markup}`,
});

export const file = (type: string, body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers: { 'Content-Type': type, ...headers },
  body,
});

export const svg = (image: Html, headers: Readonly<Record<string, string>> = {}): Reply =>
  file('image/svg+xml', image.markup, headers);

/** @param status 302 to continue elsewhere, 303 after a form. */
export const redirect = (
  status: 302 | 303,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({ status, headers: { Location: location, ...headers }, body: '' });

const plain = (status: number, body: string): Reply => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body,
});

function answerWith(server: Server, site: Site): void {
  server.on('request', (message, response) => {
    void answer(site, message).then(({ status, headers, body }) => {
      response.writeHead(status, {
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        ...headers,
      });
      response.end(body);
    });
  });
}

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
    form: () => readForm(message),
  };
}

async function readForm(message: IncomingMessage): Promise<URLSearchParams> {
  if (message.headers['content-type']?.startsWith('application/x-www-form-urlencoded') !== true) {
    throw new BadRequest('A form was expected.');
  }
  let text = '';
  message.setEncoding('utf8');
  for await (const chunk of message as AsyncIterable<string>) {
    text += chunk;
    if (text.length > MAX_FORM_LENGTH) throw new BadRequest('The form is too long.');
  }
  return new URLSearchParams(text);
}
