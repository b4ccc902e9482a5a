import type { Page } from 'puppeteer-core';
import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { estimatesQueryOf, viewFrom } from '../../collector/dashboard/client/address';
import { defaultSettings } from '../../formats/settings/settings';
import { demoSettings, startDemoSites } from '../../scenarios/demo/sites';
import { waitFor } from '../../scenarios/kit';
import { fill, openView, shows, textOf } from './helpers/internals';
import { temporaryCollector } from '../unit/helpers/empty-store';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

/** How often to type fast. */
const ROUNDS = isLong ? 3 : 1;

describe.each(browsersOfRun)('what pages say is so (%s)', (name) => {
  const world = useWorld(name);

  /** The internals page at a view. */
  const open = (address: string, awaited: string): Promise<Page> =>
    openView(world.extension, address, awaited);

  it('keep every character that is typed fast into the JSON editor', async () => {
    const page = await open('#/workbench', '#registration');
    const typed = JSON.stringify({
      destination: 'https://shop.example',
      filter_data: { word: ['abcdefghij'] },
    });
    for (let round = 0; round < ROUNDS; round++) {
      await page.evaluate(() => {
        const editor = document.querySelector<HTMLElement>('#registration');
        editor?.focus();
        if (editor) getSelection()?.selectAllChildren(editor);
      });
      await page.keyboard.type(typed);
      await waitFor('the last character', async () => (await textOf(page, '#registration'))?.endsWith('}}'));
      expect(await textOf(page, '#registration')).toBe(typed);
    }
  });

  itInSoak('say in the workbench that a source is refused where the engine refuses it', async () => {
    const page = await open('#/workbench', '#knob-reports');
    await fill(page, '#knob-reports', '20');
    await shows(
      page,
      '#beyond-limit',
      'This source would be refused. It must have at most 4294967295 states, has 1761039350070.',
    );
    await fill(page, '#knob-reports', '3');
    await shows(page, '#beyond-limit', null);
  });

  const adtech = (): string => world.sites.origin('adtech');
  const register = (as: 'navigation' | 'trigger', header: object): Promise<unknown> =>
    world.extension.register(as, header, {
      contextOrigin: as === 'trigger' ? 'https://shop.example' : 'https://news.example',
      reportingOrigin: adtech(),
    });
  itInSoak('say until when ads that were recorded under other settings break what is promised', async () => {
    const noised = { ...defaultSettings, debug: { ...defaultSettings.debug, enabled: true } };
    await world.extension.settings({ ...noised, limits: 'specification' });
    await register('navigation', { destination: 'https://shop.example', expiry: String(10 * 86_400) });
    const until = async (page: Page): Promise<string | null> => {
      // A page that nobody sees asks for nothing new.
      await page.bringToFront();
      await page.waitForSelector('#earlier-limits');
      return textOf(page, '#earlier-limits');
    };
    const [popup, consent] = [
      await world.extension.openPage('pages/popup.html'),
      await world.extension.openPage('pages/consent.html'),
    ];
    await shows(popup, '#limits', /^What is promised about noise does not hold once a limit is reached/);
    await world.extension.settings({ ...noised, limits: 'private' });
    const texts = [
      await until(popup),
      await until(consent),
      await until(await open('#/budget', '#earlier-limits')),
      await until(await open('#/leaves', '#earlier-limits')),
    ];
    expect(texts[0]).toMatch(/^Until .*, what is promised about noise does not hold once a limit is reached/);
    expect(new Set(texts).size).toBe(1);
    expect(await popup.$('#limits')).toBeNull();
  });

  const convert = async (id: number): Promise<void> => {
    await register('navigation', { source_event_id: String(id), destination: 'https://shop.example' });
    await register('trigger', { event_trigger_data: [{ trigger_data: '1' }] });
  };

  it('say of what left the device what the servers got, and of what waits where it will go', async () => {
    const path = '/.well-known/attribution-reporting/report-event-attribution';
    const collector = world.sites.origin('collector');
    await world.extension.settings({ collector });
    await convert(1);
    await world.extension.advance('next-report');
    await waitFor('the first report', () => world.sites.received('collector', path).length === 1);
    // The second goes to its reporting origin, which fails, and there again: it was recorded while there was no collector.
    world.sites.serve('adtech', path, { status: 503 });
    await world.extension.settings({ collector: null });
    await convert(2);
    await world.extension.advance('next-report');
    await waitFor('the second report', () => world.sites.received('adtech', path).length === 1);
    await world.extension.settings({ collector });
    await world.extension.advance('next-report');
    await waitFor('the second try', () => world.sites.received('adtech', path).length === 2);

    const page = await open('#/leaves', '.sent');
    // Pages leave out the scheme of what is on this machine.
    const shownAs = (origin: string): string => origin.replace('http://', '');
    await shows(page, '#waiting', `1 waits to be sent again to ${shownAs(adtech())}.`);
    await shows(page, '#invented', /^Noise is off/);
    await waitFor('both reports', () => page.$$eval('.sent', (articles) => articles.length === 2));
    const shown = await page.$$eval('.sent pre', (texts) =>
      texts.flatMap((text) => text.textContent.split(/\n\n(?=POST)/)),
    );
    const got = world.sites.received(undefined, path).map(({ method, site, headers, body }) => {
      const through = headers['cointoss-report-url'];
      const lines = [
        `${method} ${world.sites.origin(site)}${path}`,
        `Content-Type: ${String(headers['content-type'])}`,
        ...(through === undefined ? [] : [`Cointoss-Report-Url: ${String(through)}`]),
      ];
      return `${lines.join('\n')}\n\n${body}`;
    });
    // Both tries are the same request.
    expect(shown.sort()).toEqual([...new Set(got)].sort());
    const told = await page.$$eval('.sent', (articles) => articles.map(({ textContent }) => textContent));
    expect(told.filter((text) => text.includes(shownAs(collector)))).toHaveLength(1);
    for (const text of told) {
      expect(text).toContain('Noise was off');
      expect(text).not.toMatch(/chance decides/);
    }
    const refused = `to ${shownAs(adtech())}: the server answered 503`;
    expect(told.filter((text) => text.includes(refused))).toHaveLength(1);
  });

  itInSoak('say that records are of a time to which the clock was turned', async () => {
    await world.extension.advance(3 * 86_400_000);
    await convert(3);
    const page = await open('#/overview', '.bars');
    await world.extension.settings({ debug: { enabled: false } });
    await shows(page, '#banner', /^records up to [23] days ahead of the clock/);
    await shows(page, '#switch-clock', /^records up to [23] days ahead/);
    expect(await page.$eval('#switch-clock .chip', ({ className }) => className)).not.toContain('good');
    await waitFor('today to be empty', async () => (await page.$('.bars')) === null);
  });

  itInSoak(
    'do not count finished reports while the truth is hidden, because conversions replaced some',
    async () => {
      const page = await open('#/overview', '#finished');
      await world.extension.settings({ debug: { enabled: false } });
      await waitFor('the number to go', async () => (await page.$('#finished')) === null);
      expect(await page.$('#pending')).not.toBeNull();
    },
  );

  itInSoak(
    'fit the developer tools, wide and low: the navigation leaves room for what it leads to',
    async () => {
      const page = await open('#/sources', '#content');
      await page.setViewport({ width: 1200, height: 320 });
      const layout = await page.evaluate(() => {
        document.documentElement.classList.add('panel');
        const [header, main] = ['.sidebar', '#content'].map((of) =>
          document.querySelector(of)?.getBoundingClientRect(),
        );
        document.documentElement.classList.remove('panel');
        return { header: header?.height ?? 0, top: main?.top ?? 0, bottom: main?.bottom ?? 0 };
      });
      expect(layout.header).toBeLessThan(320 / 5);
      expect(layout.top).toBeLessThan(320 / 5);
      expect(layout.bottom).toBeLessThan(321);
    },
  );

  itInSoak('lead in the demo to an estimate, of a second visit after the clock was turned, too', async () => {
    const collector = await temporaryCollector();
    const collectorOrigin = await collector.listen({ host: '127.0.0.1', port: 0 });
    const now = async (): Promise<number> => (await world.extension.overview()).now;
    const demo = await startDemoSites({ publisherPort: 0, shopPort: 0, adtechPort: 0, collectorOrigin, now });
    try {
      await world.extension.settings(demoSettings(demo.origins, collectorOrigin));
      const kinds = async (kind: string): Promise<number> =>
        (await world.extension.trace()).filter((entry) => entry.kind === kind).length;
      let page = await world.visit('about:blank');
      for (const visit of [1, 2]) {
        page = await world.visit(demo.origins.publisher);
        await waitFor('the views', async () => (await kinds('source')) >= 2 * visit);
        await page.goto(demo.origins.shop);
        await Promise.all([
          page.waitForNavigation(),
          page.$eval('#buy', (button) => (button as HTMLElement).click()),
        ]);
        await waitFor('the purchase', async () => (await kinds('trigger')) >= visit);
        await world.extension.deliverAll();
      }
      const link = await page.$$eval('footer a', (links) =>
        links.map((one) => one.getAttribute('href') ?? ''),
      );
      const dashboard = link.find((href) => href.startsWith(collectorOrigin)) ?? '';
      const query = estimatesQueryOf(viewFrom(new URL(dashboard).search), 'campaign');
      const response = await fetch(`${collectorOrigin}/estimates?${query.toString()}`);
      const { sources, reports, configurations } = (await response.json()) as EstimateResultJson;
      expect(Object.values(reports.inconsistent).every((count) => count === 0)).toBe(true);
      expect(reports.read).toBeGreaterThan(1);
      expect(reports.used).toBe(reports.read - reports.unknown_source);
      expect(sources.used).toBeGreaterThanOrEqual(4);
      expect(configurations.length).toBeGreaterThan(0);
    } finally {
      await demo.close();
      await collector.close();
    }
  });
});
