import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { generate } from 'selfsigned';
import type { Reply } from '../kit';
import { answerWith } from '../kit/reply';

export interface WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `cut`: closes the connection without an answer. */
export type WebReply = Reply | 'cut';

/**
 * Simulates the whole web on this device. A browser that uses it as its proxy finds every https address, all served by one function, and
 * reaches nothing else. Its certificate is generated, so the browser must accept any.
 */
export class OwnWeb {
  private constructor(
    private readonly proxy: Server,
    private readonly secure: Server,
  ) {}

  static async start(answer: (request: WebRequest) => Promise<WebReply>): Promise<OwnWeb> {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      algorithm: 'sha256',
    });
    const secure = createSecureServer({ key, cert }, (request, response) => {
      void respond(`https://${request.headers.host ?? ''}${request.url ?? ''}`, request, response, answer);
    });
    // For http a proxy gets the whole address, for https a request to connect to the host.
    const proxy = createServer((request, response) => {
      void respond(request.url ?? '', request, response, answer);
    });
    proxy.on('connect', (_request, client) => {
      const server = connect(portOf(secure), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        server.pipe(client);
        client.pipe(server);
      });
      server.on('error', () => client.destroy());
      client.on('error', () => server.destroy());
      client.on('close', () => server.destroy());
    });
    for (const server of [secure, proxy]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return new OwnWeb(proxy, secure);
  }

  get proxyPort(): number {
    return portOf(this.proxy);
  }

  /** Open connections end with the process. */
  close(): void {
    for (const server of [this.proxy, this.secure]) server.close().unref();
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function respond(
  address: string,
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: WebRequest) => Promise<WebReply>,
): Promise<void> {
  const { method = '', headers } = request;
  await answerWith(request, response, async () => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) body += chunk;
    return answer({ method, url: new URL(address).href, headers, body });
  });
}
