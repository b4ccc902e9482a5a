import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../../scenarios/kit';
import type { JsonObject } from '../../../src/model/json';
import type { FrailCollector } from './collector';
import type { World } from './world';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const SOURCES = 4;
const TRIGGERS = 3;
/** In ms: the longest time from the last request of a round to its kill. */
const LONGEST = 500;

/** What became of registrations and reports while the background or the browser was killed. */
interface Outcome {
  /** Registration headers that a server sent. */
  readonly served: number;
  /** Of how many of them the browser told the extension's page that watches. */
  readonly told: number;
  readonly lost: readonly Loss[];
  /** How many registrations the extension's page saw in the database while the background ran. */
  readonly written: number;
  /** Of those: what was not recorded in the end. */
  readonly forgotten: readonly string[];
  /** Registered more than once. */
  readonly repeated: readonly string[];
  /** Reports that the extension made. */
  readonly reports: number;
  /** Reports that neither the collector has, nor any other end. */
  readonly missing: readonly string[];
  /** Reports that the collector counts more than once, or that nobody made. */
  readonly doubled: readonly string[];
}

/** A registration that was not recorded. */
interface Loss {
  /** How far from the nearest kill it was served, in ms; 0 during it. */
  readonly served: number;
  /**
   * How long before that kill the browser told the extension of it, in ms; 0 during it and after it. Null if it never did, or nobody watched.
   * Of a background that ran: how long before the last moment at which it is known to have heard what it was told.
   */
  readonly told: number | null;
  /** Whether the background ran when that round began. Otherwise what it was told of waited for its start. */
  readonly wasAwake: boolean;
}

interface Kill {
  readonly start: number;
  /** What the browser told before, the background has heard and written. On a loaded machine that can be long before. */
  readonly heard: number;
  readonly end: number;
  readonly wasAwake: boolean;
}

/** Registers and delivers all the time, to be killed at it. */
export class Toil {
  #number = 0;
  #rounds = 0;
  /** Earlier ones are not its own. */
  readonly #firstPost: number;
  /** By path. */
  readonly #headers = new Map<string, string>();
  /** When each header was served. */
  readonly #served = new Map<string, number>();
  /** The headers that were seen in the database. */
  readonly #written = new Set<string>();
  /** When each began and ended. */
  readonly #kills: Kill[] = [];
  /** The extension's page that is told of responses as the background is. */
  #watcher: Page | null = null;

  constructor(
    private readonly world: World,
    private readonly collector: FrailCollector,
  ) {
    this.#firstPost = collector.posts.length;
  }

  /** Lets the extension's own page, which survives the background, note when the browser tells the extension of a response. */
  async watch(): Promise<void> {
    this.#watcher = await this.world.extension.page();
    await this.#watcher.evaluate(() => {
      const told: Record<string, number> = {};
      const globals = globalThis as unknown as WatcherGlobals;
      globals.told = told;
      (globals.browser ?? globals.chrome).webRequest.onHeadersReceived.addListener(
        ({ url }) => void (told[new URL(url).pathname] ??= Date.now()),
        { urls: ['<all_urls>'] },
      );
    });
  }

  /**
   * Visits pages with ads and purchases, then turns the clock, so that reports leave. Kills in between: each round at another place.
   * @param isAwake whether the background runs from the beginning; otherwise the kill before has stopped it, if there was one
   */
  async round(kill: () => Promise<void>, isAwake = false): Promise<void> {
    const round = this.#rounds++;
    if (isAwake) await this.world.extension.overview();
    const requests = 1 + (round % (SOURCES + TRIGGERS));
    const before = this.look();
    const state = { ended: false };
    const working = this.work()
      .catch(() => 'killed')
      .finally(() => (state.ended = true));
    await waitFor('the moment to kill', () => this.look() >= before + requests || state.ended, {
      interval: 5,
    });
    const end = performance.now() + ((round * 97) % LONGEST);
    const asking = isAwake ? new Asking(this.world, (rows) => this.note(rows)) : null;
    while (performance.now() < end) {
      this.look();
      await sleep(5);
    }
    const heard = asking?.stop();
    const start = performance.now();
    await kill();
    this.#kills.push({
      start,
      heard: heard ?? start,
      end: performance.now(),
      wasAwake: isAwake,
    });
    await asking?.ended;
    await working;
    this.look();
  }

  /** Waits until nothing is left to do, and counts. */
  async outcome(): Promise<Outcome> {
    const { extension } = this.world;
    // What no document declared is decided after ten seconds.
    await extension.advance(15 * SECOND);
    await extension.deliverAll();
    const log = await extension.trace();
    const logged = log.filter(({ kind }) => kind !== 'ignored').map(({ header }) => header);
    const finished = await extension.finished();
    const ends = new Map(finished.map(({ id, end }) => [id, end]));
    const made = log.flatMap((entry) =>
      entry.kind === 'trigger' && entry.decision.kind === 'attributed' ? entry.decision.reports : [],
    );
    const delivered = finished
      .filter(({ end }) => end === 'delivered')
      .map(({ report }) => idOf(report.body));
    const posted = this.collector.posts.slice(this.#firstPost).map(({ body }) => idOf(JSON.parse(body)));
    const kept = (await this.collector.reports())
      .map(({ report_id: id }) => id)
      .filter((id) => posted.includes(id));
    const lost = [...this.#served].filter(([header]) => !logged.includes(header));
    const told = await this.told();
    return {
      served: this.#served.size,
      told: told.size,
      lost: lost.map(([header, time]) => this.loss(time, told.get(header))),
      written: this.#written.size,
      forgotten: [...this.#written].filter((header) => !logged.includes(header)),
      repeated: logged.filter((header, index) => logged.indexOf(header) !== index),
      reports: made.length,
      missing: [
        ...made.filter((id) => !ends.has(id)).map(String),
        ...delivered.filter((id) => !kept.includes(id)),
      ],
      doubled: [
        ...kept.filter((id) => !delivered.includes(id)),
        ...kept.filter((id, index) => kept.indexOf(id) !== index),
      ],
    };
  }

  private note({ urls, headers }: Written): void {
    const ofUrls = urls.map((url) => this.#headers.get(new URL(url).pathname));
    const own = new Set(this.#headers.values());
    for (const header of [...ofUrls, ...headers.filter((one) => own.has(one))])
      if (header !== undefined) this.#written.add(header);
  }

  /** When the browser told the extension of each header. */
  private async told(): Promise<ReadonlyMap<string, number>> {
    const told = await this.#watcher?.evaluate(() => (globalThis as unknown as WatcherGlobals).told);
    return new Map(
      Object.entries(told ?? {}).flatMap(([path, time]) => {
        const header = this.#headers.get(path);
        return header === undefined ? [] : [[header, time - performance.timeOrigin] as const];
      }),
    );
  }

  private loss(served: number, told: number | undefined): Loss {
    const from = ({ start, end }: Kill, time: number): number => Math.max(start - time, time - end, 0);
    const [nearest] = [...this.#kills].sort((one, other) => from(one, served) - from(other, served));
    if (nearest === undefined) throw new Error('something was lost, and nothing was killed');
    return {
      served: Math.round(from(nearest, served)),
      told: told === undefined ? null : Math.round(Math.max(nearest.heard - told, 0)),
      wasAwake: nearest.wasAwake,
    };
  }

  private async work(): Promise<void> {
    const { world } = this;
    const ads = Array.from({ length: SOURCES }, () => this.ad());
    await world.open('publisher', ads.map((url) => `<img attributionsrc src="${url}">`).join(''));
    const pixels = Array.from({ length: TRIGGERS }, () => this.purchase());
    await world.open('shop', pixels.map((url) => `<img src="${url}">`).join(''));
    await world.extension.advance(DAY);
  }

  private ad(): string {
    const destination = this.world.sites.origin('shop');
    return this.serve('Attribution-Reporting-Register-Source', {
      source_event_id: String(++this.#number),
      destination,
      event_report_windows: { end_times: [DAY / SECOND] },
      max_event_level_reports: 3,
    });
  }

  private purchase(): string {
    const data = String(++this.#number % 2);
    return this.serve('Attribution-Reporting-Register-Trigger', {
      number: this.#number,
      event_trigger_data: [{ trigger_data: data }],
    });
  }

  private serve(name: string, header: JsonObject): string {
    const headers = { 'Content-Type': 'image/gif', [name]: JSON.stringify(header) };
    this.#headers.set(`/toil-${this.#number}`, JSON.stringify(header));
    return this.world.sites.serve('adtech', `/toil-${this.#number}`, { headers });
  }

  /** Notes what was served since the last look. Returns how much was served in all. */
  private look(): number {
    for (const { path } of this.world.sites.received('adtech')) {
      const header = this.#headers.get(path);
      if (header !== undefined && !this.#served.has(header)) this.#served.set(header, performance.now());
    }
    return this.#served.size;
  }
}

/**
 * Asks the background one question after the other, which it answers without its database, and then waits until all that was to be written
 * to the inbox before the answer is there: a loaded disk may take long.
 */
class Asking {
  readonly ended: Promise<unknown>;
  /**
   * When the question before the last that was answered was asked: what the browser told until then had its turn before the last answer, and
   * is written since.
   */
  private heard = 0;
  #isOver = false;

  constructor(
    private readonly world: World,
    private readonly note: (written: Written) => void,
  ) {
    this.ended = this.ask();
  }

  /** @returns `heard` */
  stop(): number {
    this.#isOver = true;
    return this.heard;
  }

  private async ask(): Promise<void> {
    let before = 0;
    while (!this.#isOver) {
      const asked = performance.now();
      try {
        await this.world.extension.settings();
      } catch {
        // The kill ends the last one.
        return;
      }
      this.note(await (await this.world.extension.page()).evaluate(readWritten));
      this.heard = before;
      before = asked;
      await sleep(10);
    }
  }
}

/**
 * The registrations in the database: those that wait, by URL, and those that are recorded, by header. A response without its declaration is none yet: the
 * document declares again what a death interrupts, but here the clock may be a day ahead by then.
 */
interface Written {
  readonly urls: readonly string[];
  readonly headers: readonly string[];
}

/** Runs in the extension's page. Waits until all that was to be written to both tables before is there. */
async function readWritten(): Promise<Written> {
  const opening = indexedDB.open('cointoss');
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const database = opening.result;
  const tables = database.transaction(['inbox', 'log']);
  const inbox = tables.objectStore('inbox').getAll() as IDBRequest<
    {
      readonly response?: { readonly requestUrl: string };
      readonly decided?: object | null;
      readonly request?: { readonly url: string };
    }[]
  >;
  const log = tables.objectStore('log').getAll() as IDBRequest<
    { readonly row: { readonly kind: string; readonly header?: string } }[]
  >;
  await new Promise((resolve) => (tables.oncomplete = resolve));
  database.close();
  const declared = inbox.result.flatMap(({ request }) => request?.url ?? []);
  const urls = inbox.result.flatMap(({ response, decided }) =>
    response !== undefined && (decided !== null || declared.includes(response.requestUrl))
      ? [response.requestUrl]
      : [],
  );
  const headers = log.result.flatMap(({ row }) => (row.kind === 'ignored' ? [] : (row.header ?? [])));
  return { urls, headers };
}

interface WatcherGlobals {
  told: Record<string, number>;
  readonly browser?: WatcherGlobals['chrome'];
  readonly chrome: {
    readonly webRequest: {
      readonly onHeadersReceived: {
        addListener(
          listener: (details: { readonly url: string }) => void,
          filter: { readonly urls: readonly string[] },
        ): void;
      };
    };
  };
}

const idOf = (body: unknown): string => String((body as { readonly report_id: unknown }).report_id);

/** Of what was lost although the background ran: how long before the kill the browser had told the extension, in ms. */
export const lostAwake = ({ lost }: Outcome): readonly number[] =>
  lost.flatMap(({ wasAwake, told }) => (wasAwake && told !== null ? [told] : []));

/** In percent, for people. */
export const lostShare = ({ lost, served }: Outcome): string =>
  `${lost.length} of ${served} registrations lost (${((100 * lost.length) / served).toFixed(2)} %)${lost
    .map(
      (one) =>
        `, ${one.served} ms from a kill${one.wasAwake ? ' while awake' : ''}, told ${one.told ?? '-'} ms before`,
    )
    .join('')}`;
