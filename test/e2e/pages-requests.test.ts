import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { neededWidth, violations } from './helpers/axe';
import { catchDownloads, fill, goTo, press, shows, textOf } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

describe.each(browsersOfRun)('the page of requests (%s)', (name) => {
  const world = useWorld(name);

  const open = async (): Promise<Page> => {
    const page = await world.extension.page();
    await goTo(page, '#/requests');
    await page.waitForSelector('.requests');
    // Whatever is seen shows that the page is connected.
    await fill(page, '#which', 'all');
    const other = await world.open('other', '');
    await waitFor('the connection', async () => {
      if ((await lines(page)).length > 0) return true;
      await other.reload();
      return false;
    });
    await press(page, '#clear');
    await fill(page, '#which', 'relevant');
    return page;
  };

  const lines = (page: Page): Promise<readonly string[]> =>
    page.$$eval('.hops li', (items) =>
      items.map((item) => {
        const { depth = '', url = '' } = item.dataset;
        const chip = item.querySelector('.chip')?.textContent ?? '-';
        const status = item.querySelector('.status')?.textContent ?? '';
        return `${depth} ${status} ${new URL(url).pathname} ${chip}`;
      }),
    );

  const showsLines = async (page: Page, expected: readonly string[]): Promise<void> => {
    let last: readonly string[] = [];
    await waitFor('the requests', async () => {
      last = await lines(page);
      return JSON.stringify([...last].sort()) === JSON.stringify([...expected].sort());
    }).catch(() => expect([...last].sort()).toEqual([...expected].sort()));
  };

  const choose = (page: Page, path: string): Promise<void> => press(page, `li[data-url$="${path}"] .hop`);

  const addThings = async (): Promise<Page> => {
    const { sites } = world;
    const kept = sites.serve('adtech', '/kept', { headers: source(1, sites.origin('shop')) });
    const hop = sites.serve('adtech', '/hop', { status: 302, headers: { Location: kept } });
    const plain = sites.serve('adtech', '/plain', { headers: source(2, sites.origin('shop')) });
    // Of another ad server than the sources, so that it shares nothing with one that happens to come before it.
    const bought = sites.serve('shop', '/bought', { headers: trigger(1) });
    const own = sites.serve('adtech', '/own', { headers: source(3, sites.origin('shop')) });
    const image = sites.serve('publisher', '/image.png', {});
    return world.open(
      'publisher',
      `<img attributionsrc src="${hop}"><img src="${plain}"><img src="${bought}"><img src="${image}">
       <img attributionsrc="${own}"><img attributionsrc="${sites.origin('adtech')}/none">`,
    );
  };

  it('shows each request and redirect, what it was eligible for, and what it led to', async () => {
    // It stands still, so that the time for a declaration does not end, however long a loaded machine takes.
    await world.extension.setClock(Date.now(), { frozen: true });
    const page = await open();
    await addThings();
    await world.waitForRecorded(3);
    await showsLines(page, [
      '0 302 /hop -',
      '1 200 /kept kept',
      // Nothing on the page asked for a source here. It waits ten seconds for an element.
      '0 200 /plain -',
      '0 200 /bought no matching source',
      '0 200 /own kept',
      '0 404 /none ignored',
    ]);

    await choose(page, '/own');
    await shows(page, '#eligible', /^Yes, for .*Cointoss made this request, for an attributionsrc/);
    await choose(page, '/none');
    await shows(page, '#led-to', /^header \d+, in the log$/);
    await shows(
      page,
      '#why-sentence',
      /status 404 and no registration: correct the URL in attributionsrc\.$/,
    );
    await shows(page, '#change', /^Correct the URL in attributionsrc, or let the server answer it\./);
    await choose(page, '/kept');
    await shows(page, '#eligible', /^Yes, for an impression.*: its element has attributionsrc\.$/);
    await shows(page, '#led-to', /^impression \d+, in the log$/);
    await shows(page, '#why-sentence', 'The source passed every check and was kept.');
    expect(await textOf(page, '#request')).toContain('attribution-reporting-register-source');
    await choose(page, '/bought');
    await shows(page, '#why-sentence', /none from before is for/);
    await choose(page, '/plain');
    await shows(page, '#eligible', /^Only for a conversion/);
    // After 15 s of the page's own clock, the page says that it may be this clock which stands still.
    await shows(page, '#led-to', /^(Its element may still be found|Nothing so far\. It still waits)/);
    expect(await violations(page)).toEqual([]);
    await page.setViewport({ width: 320, height: 640 });
    expect(await neededWidth(page)).toBeLessThanOrEqual(320);
  });

  itInSoak.each<[string, (silent: string) => string, string[], string]>([
    [
      // Its header is sent with the request itself.
      'a fetch was told that it may',
      (silent) =>
        `<script>fetch('${silent}', { mode: 'no-cors', attributionReporting: { eventSourceEligible: true, triggerEligible: false } })</script>`,
      ['0 200 /silent -'],
      '$',
    ],
    [
      // The rule for its header holds for the first URL only.
      'a redirected image was not told that it may, and what tells it',
      (silent) => {
        const headers = { Location: silent };
        return `<img attributionsrc src="${world.sites.serve('adtech', '/hop', { status: 302, headers })}">`;
      },
      ['0 302 /hop -', '1 200 /silent -'],
      ' The server was not told that it may register: .* name the first URL of this request in attributionsrc\\.$',
    ],
  ])('says that a server that registered nothing for %s', async (_what, body, hops, remark) => {
    const page = await open();
    await world.open('publisher', body(world.sites.serve('adtech', '/silent', {})));
    await showsLines(page, hops);
    await choose(page, '/silent');
    await shows(page, '#led-to', new RegExp(`^Its response had no registration header\\.${remark}`));
  });

  it('shows what happened while it was closed, also if the background has ended since', async () => {
    const page = await open();
    await goTo(page, '#/overview');
    await page.waitForSelector('#pending');
    await addThings();
    const { sites, extension } = world;
    const misspelt = { 'Attribution-Reporting-Register-Sorce': '{}' };
    await world.open('shop', `<img src="${sites.serve('adtech', '/misspelt', { headers: misspelt })}">`);
    const ignored = async (): Promise<readonly string[]> =>
      (await extension.trace()).flatMap((entry) => (entry.kind === 'ignored' ? [entry.reason.code] : []));
    await waitFor('what registers nothing', async () => {
      const codes = await ignored();
      return codes.includes('unknown-header') && codes.includes('no-registration');
    });
    await world.waitForRecorded(3);
    if (name === 'chrome') await extension.stopWorker();
    await goTo(page, '#/requests');
    await page.waitForSelector('.requests');
    await showsLines(page, [
      '0 302 /hop -',
      '1 200 /kept kept',
      '0 200 /plain -',
      '0 200 /bought no matching source',
      '0 200 /own kept',
      '0 404 /none ignored',
      '0 200 /misspelt ignored',
    ]);
    await choose(page, '/kept');
    await shows(page, '#eligible', /^Yes, for an impression.*: its element has attributionsrc\.$/);
    await choose(page, '/plain');
    await shows(page, '#eligible', /^Only for a conversion/);
    await press(page, '#clear');
    await goTo(page, '#/overview');
    await page.waitForSelector('#pending');
    await goTo(page, '#/requests');
    await page.waitForSelector('.requests');
    await fill(page, '#which', 'all');
    await world.open('other', '<p>seen</p>');
    await waitFor('what came after', async () => (await lines(page)).length > 0);
    expect((await lines(page)).join()).not.toMatch(/\/(kept|plain|bought|own|misspelt)/);
  });

  itInSoak(
    'filters, pauses and exports, and without debug mode forgets everything when it is left',
    async () => {
      await world.extension.settings({ debug: { enabled: false } });
      const page = await open();
      await addThings();
      await world.waitForRecorded(3);
      await waitFor('the requests', async () => (await lines(page)).length === 6).catch(async () => {
        throw new Error(`there must be 6 requests, are ${JSON.stringify(await lines(page))}`);
      });
      await fill(page, '#which', 'all');
      await waitFor('all requests', async () => (await lines(page)).join().includes('/image.png'));
      await fill(page, '#search', '/BOUGHT');
      await showsLines(page, ['0 200 /bought no matching source']);

      const downloads = await catchDownloads(page);
      await press(page, '#har');
      const { log } = JSON.parse(await downloads.next()) as { log: { entries: readonly unknown[] } };
      await downloads.end();
      expect(log.entries).toMatchObject([
        {
          request: { method: 'GET', url: `${world.sites.origin('shop')}/bought` },
          response: { status: 200 },
          _outcome: 'trigger-no-matching-source',
        },
      ]);

      await fill(page, '#search', '');
      await press(page, '#clear');
      await press(page, '#pause');
      await world.open('publisher', '<p>not seen</p>');
      await press(page, '#pause');
      await world.open('shop', '<p>seen</p>');
      await waitFor('what came after the pause', async () => (await lines(page)).length > 0);
      const urls = await page.$$eval('.hops li', (items) => items.map(({ dataset }) => dataset['url'] ?? ''));
      expect(urls.filter((url) => url.includes('publisher.'))).toEqual([]);

      await goTo(page, '#/overview');
      await page.waitForSelector('#pending');
      await goTo(page, '#/requests');
      await page.waitForSelector('.requests');
      await fill(page, '#which', 'all');
      await world.open('other', '<p>seen</p>');
      await waitFor('what came after', async () => (await lines(page)).length > 0);
      expect(
        await page.$$eval('.hops li', (items) => items.map(({ dataset }) => dataset['url']).join()),
      ).not.toMatch(/shop\.|publisher\.|adtech\./);
      await world.extension.settings({ debug: { enabled: true } });
    },
  );

  itInSoak('says nothing of sites where recording is paused', async () => {
    const page = await open();
    await world.extension.settings({ pausedSites: ['http://publisher.localhost'] });
    await fill(page, '#which', 'all');
    await addThings();
    await world.open('shop', `<img src="${world.sites.serve('adtech', '/last', { headers: trigger(2) })}">`);
    await waitFor('the last', async () => (await lines(page)).join().includes('/last'));
    const urls = await page.$$eval('.hops li', (items) => items.map(({ dataset }) => dataset['url'] ?? ''));
    expect(urls.filter((url) => /publisher\.|\/kept|\/own/.test(url))).toEqual([]);
  });
});
