import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import puppeteer from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';
import { browserOptions } from '../../../scenarios/kit/launch';
import { thrifty } from './thrifty';

/**
 * Lends browsers to test files, because starting one takes seconds of processor time: `GET /chrome` answers with the address of a Chrome
 * that nobody uses, and `POST /chrome` gives the address in its body back. `/firefox/500` is a Firefox that stops a background after 500 ms.
 */
export class BrowserPool {
  readonly #free: Record<string, string[]> = {};
  readonly #started: ChildProcess[] = [];
  readonly #server = createServer((request, response) => {
    // A kept connection could be closed in the moment in which the next request is sent on it.
    response.setHeader('Connection', 'close');
    const kind = (request.url ?? '').slice(1);
    const free = (this.#free[kind] ??= []);
    const lend = async (): Promise<string> => free.pop() ?? (await this.start(kind));
    const takeBack = async (): Promise<void> => void free.push(await text(request));
    (request.method === 'POST' ? takeBack() : lend()).then(
      (address) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).unref();

  /** Resolves to the pool's own address. */
  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    await Promise.all(
      this.#started.map(async (browser) => {
        if (browser.kill()) await once(browser, 'exit');
      }),
    );
  }

  private async start(kind: string): Promise<string> {
    const [name, idleTimeout] = kind.split('/') as [BrowserName, string?];
    const browser = await puppeteer.launch({
      ...browserOptions({
        browser: name,
        puppeteer: thrifty({ browser: name }),
        ...(idleTimeout === undefined ? {} : { idleTimeout: Number(idleTimeout) }),
      }),
      pipe: false,
    });
    const started = browser.process();
    if (started !== null) this.#started.push(started);
    const address = browser.wsEndpoint();
    // Firefox serves one client at a time.
    await browser.disconnect();
    return address;
  }
}
