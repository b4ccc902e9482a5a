import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the test that runs now has started. Null between tests: what `beforeAll` starts is for `afterAll` to close. */
let ofTest: Set<LocalServer> | null = null;

beforeEach(() => {
  ofTest = new Set();
});

// Also when the test has failed: what it leaves open would fail the file, and not the second try.
afterEach(async () => {
  const started = [...(ofTest ?? [])];
  ofTest = null;
  await Promise.all(started.map((server) => server.close()));
});

/** A server of this machine, under a name of its own. One that a test starts ends with the test. */
export abstract class LocalServer {
  readonly #server = createServer();

  constructor(private readonly name: string) {}

  protected async listen(answer: RequestListener): Promise<this> {
    this.#server.on('request', answer).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    ofTest?.add(this);
    return this;
  }

  get origin(): string {
    return `http://${this.name}.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    ofTest?.delete(this);
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
