import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { useWorld } from './helpers/world';

// Firefox prepares no pages.
describe('a page that Chrome prepares (chrome)', () => {
  const world = useWorld('chrome', { idleTimeout: 2000 });

  const serveSource = (id: number): string =>
    world.sites.serve('adtech', `/s${id}`, { headers: source(id, world.sites.origin('shop')) });

  /** The body registers two sources itself, one from a frame of its own site, and a trigger. */
  const prepared = (headers: Readonly<Record<string, string>> = {}): string => {
    const { sites } = world;
    const frame = sites.page('publisher', `<img attributionsrc src="${serveSource(3)}">`);
    const pixel = sites.serve('adtech', '/t4', { headers: trigger(4) });
    return sites.serve('publisher', '/prepared', {
      headers: { 'Content-Type': 'text/html', ...headers },
      body: `<img attributionsrc src="${serveSource(1)}"><img attributionsrc="${serveSource(2)}">
        <iframe src="${frame}"></iframe><img src="${pixel}">
        <script>fetch('${serveSource(5)}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })</script>`,
    });
  };

  /** Opens a page with a link to one that Chrome prepares. Resolves when that one has made its requests. */
  const openBefore = async (next: string): Promise<Page> => {
    const rules = JSON.stringify({ prerender: [{ urls: [next], eagerness: 'immediate' }] });
    const page = await world.open(
      'publisher',
      `<a href="${next}">next</a><script type="speculationrules">${rules}</script>`,
    );
    const requested = (): boolean =>
      ['/s1', '/s3', '/t4', '/s5'].every((path) =>
        world.sites.received().some((request) => request.path.startsWith(path)),
      );
    await waitFor('the requests of the prepared page', () => Promise.resolve(requested()));
    return page;
  };

  it('registers when it is shown, although the background slept meanwhile', async () => {
    const page = await openBefore(prepared());
    // The browser may tell the background of the last responses a little later.
    await sleep(1000);
    await world.extension.stopWorker();
    expect(await world.recorded()).toEqual([]);
    await page.click('a');
    expect(await world.waitForRecorded(5)).toEqual([
      'event source 1 on publisher by adtech',
      'event source 2 on publisher by adtech',
      'event source 3 on publisher by adtech',
      'event source 5 on publisher by adtech',
      'trigger 4 on publisher by adtech',
    ]);
  });

  it('registers nothing when it is never shown, which the log says', async () => {
    const page = await openBefore(prepared());
    await page.goto(world.sites.page('bank', 'bank'));
    await waitFor('the log', async () => (await world.ignored()).length > 0);
    expect(await world.ignored()).toEqual(['the browser loaded this page in advance, and nobody opened it']);
    expect(await world.recorded()).toEqual([]);
  });

  it('keeps its own Permissions Policy when it is shown', async () => {
    const page = await openBefore(prepared({ 'Permissions-Policy': 'attribution-reporting=()' }));
    await page.click('a');
    await waitFor('the log', async () => (await world.extension.trace()).length >= 4);
    expect(await world.recorded()).toEqual([]);
  });
});
