import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { trigger } from '../registrations';

/** Answers with a conversion, after as many seconds as the path says: `/7` after seven. */
export class LateServer {
  readonly #server = createServer();

  static async start(): Promise<LateServer> {
    const late = new LateServer();
    late.#server.on('request', (request, response) => {
      const [seconds = '0'] = /\d+/.exec(request.url ?? '') ?? [];
      void sleep(Number(seconds) * 1000, undefined, { ref: false }).then(() =>
        response.writeHead(200, { 'Access-Control-Allow-Origin': '*', ...trigger(0) }).end(),
      );
    });
    late.#server.listen(0, '127.0.0.1');
    await once(late.#server, 'listening');
    return late;
  }

  get origin(): string {
    return `http://late.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
