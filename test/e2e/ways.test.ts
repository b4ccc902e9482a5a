import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { matrix, sections, type Urls, type Way } from './helpers/ways';
import { browsers, isLong, useWorld } from './helpers/world';

describe.each(browsers)('ways to use the API (%s)', (name) => {
  const world = useWorld(name);

  const urlsOf = (id: number): Urls => {
    const { sites } = world;
    const shop = sites.page('shop', 'Welcome');
    const headers = source(id, sites.origin('shop'));
    const url = sites.serve('adtech', `/s${id}`, { headers });
    sites.serve('adtech', `/s${id}*`, { headers });
    return {
      source: url,
      trigger: sites.serve('adtech', `/t${id}`, { headers: trigger(id) }),
      hop: sites.redirect('adtech', shop, { headers }),
      shop,
      page: (site, body) => sites.page(site, body),
    };
  };

  const howOften = async (id: number, { registers }: Way): Promise<number> =>
    (await world.recorded()).filter((one) => one.startsWith(`${registers} ${id} on `)).length;

  /**
   * Whether a way has a frame of a page with others, and not a page of its own, which takes as long as all of these frames. What a page
   * itself registers is tried by elements.test.ts and requests.test.ts, too.
   */
  const isFramed = ({ act, ofPage }: Way): boolean => !isLong && act === undefined && ofPage === undefined;

  const openFrames = async (bodies: readonly string[]): Promise<void> => {
    const frames = bodies.map((body) => `<iframe src="${world.sites.page('publisher', body)}"></iframe>`);
    await world.open('publisher', frames.join(''));
  };

  /** Opens the page of a way in the tab of the way before it: a new one takes as long as two visits. */
  const visit = async (body: string, tab: Page | null): Promise<Page> => {
    if (tab === null) return world.open('publisher', body);
    // What the way before it opened may be in front.
    await tab.bringToFront();
    await tab.goto(world.sites.page('publisher', body), { timeout: 0 });
    return tab;
  };

  /** What was registered, beside what should be. */
  const tried = async (ways: readonly Way[]): Promise<[actual: object, expected: object]> => {
    const expected = ways.map(({ missing }) => (missing?.[name] === undefined ? 1 : 0));
    const registersOnce = async (id: number, way: Way): Promise<void> => {
      if (expected[id] !== 1) return sleep(1000);
      await waitFor(way.way, async () => (await howOften(id, way)) > 0).catch(() => undefined);
    };
    const framed = [...ways.entries()].filter(([, way]) => isFramed(way));
    if (framed.length > 0) await openFrames(framed.map(([id, way]) => way.body(urlsOf(id))));
    for (const [id, way] of framed) if (expected[id] === 1) await registersOnce(id, way);
    let tab: Page | null = null;
    for (const [id, way] of ways.entries()) {
      if (isFramed(way)) continue;
      tab = await visit(way.body(urlsOf(id)), tab);
      await way.act?.(tab);
      await registersOnce(id, way);
    }
    await sleep(1000);
    const counts = await Promise.all(ways.map((way, id) => howOften(id, way)));
    const named = (values: readonly number[]): object =>
      Object.fromEntries(ways.map(({ way }, id) => [way, values[id]]));
    return [named(counts), named(expected)];
  };

  it.each(sections)('by %s register once each, or nothing where the matrix says so', async (_what, all) => {
    const ways = all.filter(({ isFiner }) => isFiner !== true || isLong);
    const [actual, expected] = await tried(ways);
    try {
      expect(actual).toEqual(expected);
    } catch (error) {
      throw new Error(`${String(error)}\nIgnored: ${(await world.ignored()).join('; ')}`, { cause: error });
    }
  });
});

it('docs/ways.md has the matrix that these tests hold', async () => {
  expect(await readFile('docs/ways.md', 'utf8')).toContain(matrix());
});
