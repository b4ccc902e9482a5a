import type { Page } from 'puppeteer-core';
import type { Origin } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import { CHANGES_CHANNEL, type ChangesMessage } from '../../../extension/messages';
import { waitFor } from '../../../scenarios/kit';
import { source } from '../../e2e/helpers/registrations';
import type { World } from '../../e2e/helpers/world';
import type { Visited } from '../../e2e/helpers/visited';

/** In ms, from when the page had arrived. */
interface PlainTimes {
  /** Until the server had the request of a plain image: what the browser needs without Cointoss. */
  readonly plain: number;
  /** Until the image was loaded. */
  readonly loaded: number;
}

/** As `PlainTimes`, of a page that has an ad as well. */
export interface AdTimes extends PlainTimes {
  /** Until the server had the request of the ad. */
  readonly asked: number;
  /** Until the ad's response was seen. */
  readonly seen: number;
  /** Until it was in the database. */
  readonly recorded: number;
}

const PLAIN = 'plain';
const AD_SERVER = 'adtech';

/** Leaves nothing in the extension's process but the background: the page that asks it shows nothing. */
async function emptyOwnPage({ extension }: World): Promise<Page> {
  const page = await extension.page();
  await page.evaluate(() => {
    location.replace('devtools.html');
  });
  const isThere = (): Promise<boolean> => page.evaluate(() => location.pathname.endsWith('/devtools.html'));
  // It cannot be asked while it loads.
  await waitFor('the empty page', () => isThere().catch(() => false));
  return page;
}

/** Runs in a page of the extension: notes when each source was in the database, on the device's clock. */
function noteSources(channel: string): void {
  const recorded = new Map<number, number>();
  new BroadcastChannel(channel).onmessage = ({ data }: MessageEvent<ChangesMessage>) => {
    for (const id of data.sources === 'all' ? [] : (data.sources ?? []))
      if (!recorded.has(id)) recorded.set(id, Date.now());
  };
  Object.assign(globalThis, { recorded });
}

/** Begins to note when sources are recorded. Call it once, before the first ad. */
export async function watchSources(world: World): Promise<void> {
  await (await emptyOwnPage(world)).evaluate(noteSources, CHANGES_CHANNEL);
}

/** Runs in the same page. */
const noted = (id: number): number | null =>
  (globalThis as unknown as { readonly recorded: ReadonlyMap<number, number> }).recorded.get(id) ?? null;

/** Runs in a page: when its HTML had arrived and when its only picture was loaded, on the device's clock. */
function timesOf(picture: string): readonly [arrived: number, loaded: number] {
  const [navigation] = performance.getEntriesByType('navigation');
  const [image] = performance.getEntriesByName(picture);
  const ends = [navigation, image].map((entry) => (entry as PerformanceResourceTiming).responseEnd);
  return [performance.timeOrigin + (ends[0] ?? NaN), performance.timeOrigin + (ends[1] ?? NaN)];
}

/**
 * Runs in a page of the extension: the source of a page with one, and no other row. The background would have to read all of the attack's to
 * list it. The log tells of it.
 */
async function sourceOn(site: string): Promise<{ readonly id: number; readonly time: number } | null> {
  const done = <Value>(request: IDBRequest): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result as Value);
      request.onerror = () => reject(new Error('the database cannot be read'));
    });
  const database = await done<IDBDatabase>(indexedDB.open('cointoss'));
  const salt = await done<Uint8Array>(database.transaction('salt').objectStore('salt').get('salt'));
  // As extension/store/hidden-names.ts does.
  const name = new TextEncoder().encode(`source ${site}`);
  const hash = await crypto.subtle.digest('SHA-256', new Uint8Array([...salt, ...name]));
  const key = String.fromCharCode(...new Uint8Array(hash, 0, 16));
  const log = database.transaction('log').objectStore('log');
  type Found = { row: { time: number; decision: { sourceId: number } } } | undefined;
  const found = await done<Found>(log.index('kindAndSite').get(key));
  database.close();
  // Not all of the row: Chrome cannot pass on its big integers.
  return found === undefined ? null : { id: found.row.decision.sourceId, time: found.row.time };
}

/** Opens a page whose only content is a plain image, and whatever else is given. */
async function visit(
  visited: Visited,
  site: string,
  more = '',
): Promise<PlainTimes & { readonly page: Page; readonly arrived: number }> {
  const { sites } = visited;
  const path = `/${site}`;
  const image = sites.pixel(PLAIN, { path });
  const page = await visited.open(site, `<img src="${image}">${more}`);
  const [arrived, loaded] = await page.evaluate(timesOf, image);
  const [request] = sites.received(PLAIN, path);
  return { page, arrived, plain: (request?.time ?? NaN) - arrived, loaded: loaded - arrived };
}

/** Opens a page with a plain image, and closes it. */
export async function seeImage(visited: Visited, site: string): Promise<PlainTimes> {
  const { page, ...times } = await visit(visited, site);
  await page.close();
  return times;
}

/** Opens a page with a plain image and an ad, waits until the ad is recorded, and closes it. */
export async function seeAd(world: World, site: string, id: number): Promise<AdTimes> {
  const { sites, extension } = world;
  const path = `/${site}`;
  const ad = sites.serve(AD_SERVER, path, { headers: source(id, sites.origin('shop')) });
  const { page, arrived, ...plain } = await visit(world, site, `<img attributionsrc="${ad}">`);
  const own = await extension.page();
  const found = await waitFor(
    `the ad on ${site} to be recorded`,
    () => own.evaluate(sourceOn, siteOf(sites.origin(site) as Origin)),
    // Seldom, because each question delays what it waits for.
    { timeout: 120_000, interval: 1000 },
  );
  const { clockAhead } = await extension.overview();
  const [asked] = sites.received(AD_SERVER, path);
  const recorded = (await own.evaluate(noted, found.id)) ?? Infinity;
  await page.close();
  return {
    ...plain,
    asked: (asked?.time ?? NaN) - arrived,
    seen: found.time - clockAhead - arrived,
    recorded: recorded - arrived,
  };
}
