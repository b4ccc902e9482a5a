import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';
import { browserOptions } from '../../../scenarios/kit/launch';
import { thrifty } from './thrifty';

/** In ms. */
const CLOSES = 1000;

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
 * background after 500 ms. One that nobody uses does not run, because an idle Firefox takes up to a tenth of a processor.
 */
export class BrowserPool {
  readonly #free: Record<string, Lent[]> = {};
  /** By where puppeteer connects. */
  readonly #started = new Map<string, ChildProcess>();
  #isClosing = false;
  readonly #server = createServer((request, response) => {
    // A kept connection could be closed in the moment in which the next request is sent on it.
    response.setHeader('Connection', 'close');
    const kind = (request.url ?? '').slice(1);
    const free = (this.#free[kind] ??= []);
    const lend = async (): Promise<Lent> => {
      const lent = free.pop() ?? (await this.start(kind));
      this.signal(lent.address, 'SIGCONT');
      return lent;
    };
    const takeBack = async (): Promise<void> => {
      const lent = JSON.parse(await text(request)) as Lent;
      free.push(lent);
      void this.rest(lent, free);
    };
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
    // What rests later would stop a browser that is about to end.
    this.#isClosing = true;
    await Promise.all(
      [...this.#started].map(async ([address, browser]) => {
        browser.ref();
        this.signal(address, 'SIGCONT');
        if (browser.kill()) await once(browser, 'exit');
      }),
    );
    const folders = Object.values(this.#free).flatMap((free) =>
      free.map(({ installed }) => installed?.folder),
    );
    for (const folder of folders) if (folder !== undefined) await rm(folder, { recursive: true });
  }

  /** Stops a browser that is still free once it has had the time to close the connection of whoever had it. */
  private async rest(lent: Lent, free: readonly Lent[]): Promise<void> {
    // On a loaded machine it may take long until it does anything.
    await fetch(`http://${new URL(lent.address).host}/`).catch(() => undefined);
    await sleep(CLOSES, undefined, { ref: false });
    if (!this.#isClosing && free.includes(lent)) this.signal(lent.address, 'SIGSTOP');
  }

  /** To all processes of a browser, which puppeteer starts in a group. */
  private signal(address: string, signal: 'SIGCONT' | 'SIGSTOP'): void {
    const browser = this.#started.get(address);
    if (browser?.pid === undefined || browser.exitCode !== null || browser.signalCode !== null) return;
    process.kill(-browser.pid, signal);
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
      this.#started.set(browser.wsEndpoint(), started);
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
