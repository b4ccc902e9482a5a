import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldRequest {
  readonly path: string;
  readonly body: string;
  /** Whether who asked went away before there was an answer. */
  wasGivenUp: boolean;
}

/** Holds back its answers, all of them 200, until it is told to answer. */
export class HoldingServer {
  /** What was asked of it, answered or not. */
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

  /** A site of its own. */
  get origin(): string {
    return `http://holding.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers what waits, and from now on at once. */
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
