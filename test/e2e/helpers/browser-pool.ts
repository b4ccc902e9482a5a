import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import puppeteer from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';
import { browserOptions } from '../../../scenarios/kit/launch';
import { thrifty } from './thrifty';

/** A browser that can be lent. */
export interface Lent {
  /** Where puppeteer connects. */
  readonly address: string;
  /** Cointoss, as whoever had the browser before has left it: as just installed. Null: it is not there. */
  readonly installed: { readonly id: string; readonly folder: string } | null;
}

/**
 * Lends browsers to test files, because starting one takes seconds of processor time, and installing the extension one: `GET /chrome`
 * answers with a `Lent` that nobody uses, and `POST /chrome` gives the one in its body back. `/firefox/500` is a Firefox that stops a
 * background after 500 ms.
 */
export class BrowserPool {
  readonly #free: Record<string, Lent[]> = {};
  readonly #started: ChildProcess[] = [];
  readonly #server = createServer((request, response) => {
    // A kept connection could be closed in the moment in which the next request is sent on it.
    response.setHeader('Connection', 'close');
    const kind = (request.url ?? '').slice(1);
    const free = (this.#free[kind] ??= []);
    const lend = async (): Promise<Lent> => free.pop() ?? (await this.start(kind));
    const takeBack = async (): Promise<void> => void free.push(JSON.parse(await text(request)) as Lent);
    (request.method === 'POST' ? takeBack() : lend()).then(
      (lent) => response.end(JSON.stringify(lent)),
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
        browser.ref();
        if (browser.kill()) await once(browser, 'exit');
      }),
    );
    const folders = Object.values(this.#free).flatMap((free) =>
      free.map(({ installed }) => installed?.folder),
    );
    for (const folder of folders) if (folder !== undefined) await rm(folder, { recursive: true });
  }

  private async start(kind: string): Promise<Lent> {
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
    if (started !== null) {
      this.#started.push(started);
      // A test file that runs in this process must be seen to leave nothing open.
      for (const one of [started, ...started.stdio])
        if (one instanceof Socket || one === started) one.unref();
    }
    const address = browser.wsEndpoint();
    // Firefox serves one client at a time.
    await browser.disconnect();
    return { address, installed: null };
  }
}
