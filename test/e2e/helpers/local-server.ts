import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of this machine, under a name of its own. */
export abstract class LocalServer {
  readonly #server = createServer();

  constructor(private readonly name: string) {}

  protected async listen(answer: RequestListener): Promise<this> {
    this.#server.on('request', answer).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get origin(): string {
    return `http://${this.name}.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
