import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHUNK = Buffer.alloc(65_536, ' ');

interface EndlessAnswer {
  readonly path: string;
  /** In bytes, as far as the client took them. */
  sent: number;
  isOver: boolean;
}

/** Answers each request at once, with bytes that do not end until the client disconnects. */
export class EndlessServer {
  readonly answers: EndlessAnswer[] = [];
  #server = createServer();

  static async start(
    statusOf: (path: string) => number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EndlessServer> {
    const endless = new EndlessServer();
    endless.#server.on('request', (request, response) => {
      const answer: EndlessAnswer = { path: request.url ?? '', sent: 0, isOver: false };
      endless.answers.push(answer);
      response.on('close', () => (answer.isOver = true));
      response.on('error', () => undefined);
      request.resume();
      const send = (): void => {
        if (answer.isOver) return;
        answer.sent += CHUNK.length;
        response.write(CHUNK, () => setImmediate(send));
      };
      response.writeHead(statusOf(answer.path), headers);
      send();
    });
    endless.#server.listen(0, '127.0.0.1');
    await once(endless.#server, 'listening');
    return endless;
  }

  get origin(): string {
    return `http://endless.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
