import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldRequest {
  readonly path: string;
  readonly body: string;
  /** Whether the client disconnected before the answer. */
  wasGivenUp: boolean;
}

/** Holds all requests until told to answer, then answers 200. */
export class HoldingServer {
  /** All requests, answered or not. */
  readonly requests: HeldRequest[] = [];
  #server = createServer();
  #answer = (): void => undefined;
  readonly #answering = new Promise<void>((resolve) => (this.#answer = resolve));

  /** @param headers of its answers */
  static async start(headers: Readonly<Record<string, string>> = {}): Promise<HoldingServer> {
    const held = new HoldingServer();
    held.#server.on('request', (request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) body += chunk;
        const noted: HeldRequest = { path: request.url ?? '', body, wasGivenUp: false };
        held.requests.push(noted);
        response.on('close', () => (noted.wasGivenUp = !response.writableEnded));
        await held.#answering;
        response.writeHead(200, headers).end();
      })();
    });
    held.#server.listen(0, '127.0.0.1');
    await once(held.#server, 'listening');
    return held;
  }

  get origin(): string {
    return `http://holding.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the held requests, and all later ones at once. */
  answer(): void {
    this.#answer();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
