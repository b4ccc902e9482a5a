import { waitFor } from '../../scenarios/kit';
import { AGGREGATION_SERVICE } from '../../w3c/service';
import { seedRecords } from '../../scenarios/demo/records';
import { cutWords, problemsOf } from './helpers/axe';
import { goTo, shows } from './helpers/internals';
import { newSealingKey } from './helpers/sealing-key';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

describe.each(browsersOfRun)('access to the pages (%s)', (name) => {
  const world = useWorld(name);

  /** An address of the internals page for every view, with something in it. */
  const addresses = async (): Promise<readonly (readonly [address: string, awaited: string])[]> => {
    const [sources, log, reports] = await Promise.all([
      world.extension.sources(),
      world.extension.trace(),
      world.extension.reports(),
    ]);
    const source = sources.find(
      ({ registration }) => (registration as { sourceEventId: string }).sourceEventId === '4711',
    );
    const dropped = log.find(
      (entry) => (entry.kind === 'source' || entry.kind === 'trigger') && 'reason' in entry.decision,
    );
    const credited = log.find((entry) => entry.kind === 'trigger' && entry.decision.kind === 'attributed');
    const refused = log.find(({ kind }) => kind === 'refused');
    const sourceId = String(source?.['id']);
    return [
      ['#/overview', '.bars'],
      ['#/leaves', '.sent'],
      ['#/requests', '.requests'],
      ['#/sources', 'tr.item'],
      [`#/sources/${sourceId}`, '.json'],
      [`#/sources/${sourceId}/why`, '#source-account'],
      [`#/sources/${sourceId}/timeline`, 'svg .mark'],
      [`#/sources/${sourceId}/states`, '#true-state'],
      ['#/triggers', 'tr.item'],
      [`#/triggers/${String(dropped?.['id'])}`, '.checks'],
      ['#/reports', 'tr.item'],
      ['#/budget', '.budget-account'],
      ['#/attribution', '#agreed'],
      [`#/attribution/${String(credited?.['id'])}`, 'table.models'],
      [`#/reports/${String(reports[0]?.['id'])}`, '.json'],
      ['#/refused', 'tr.item'],
      [`#/refused/${String(refused?.['id'])}`, '.issues'],
      ['#/log', 'tr.item'],
      [`#/log/${String(dropped?.['id'])}/details`, '.json'],
      ['#/workbench', ':has(#registration) #suggestions'],
      ['#/worlds', '#replay-worlds'],
      ['#/w3c', '.folding td'],
      ['#/debug', '#force-state'],
      ['#/data', '#export-state'],
    ];
  };

  const registerWithLongNames = async (): Promise<void> => {
    const destination = 'https://shop.a-garden-centre-with-a-rather-long-name.example';
    const reportingOrigin = 'http://measurement.adtech.localhost:8080';
    await world.extension.register(
      'event',
      { destination, source_event_id: '18446744073709551615' },
      { contextOrigin: 'http://publisher.localhost:8080', reportingOrigin },
    );
    await world.extension.register(
      'trigger',
      { event_trigger_data: [{ trigger_data: '1' }] },
      { contextOrigin: destination, reportingOrigin },
    );
  };

  const callW3c = async (): Promise<void> => {
    const { setting } = await newSealingKey();
    await world.extension.settings({ w3cAttribution: true, aggregationKeys: [setting] });
    await world.extension.w3c.saveImpression({ histogramIndex: 1 }, { site: 'news.example' });
    const asked = { aggregationService: AGGREGATION_SERVICE, histogramSize: 2, epsilon: 0.5 };
    const long = 'shop.a-garden-centre-with-a-rather-long-name.example';
    await world.extension.w3c.measureConversion(asked, { site: long });
  };

  it('leaves nothing for axe-core to complain of, light and dark, and cuts no word, in every view', async () => {
    world.sites.serve('adtech', '/none', {});
    await world.extension.settings({ collector: world.sites.origin('collector') });
    world.sites.serve('collector', '/.well-known/attribution-reporting/report-event-attribution', {});
    await seedRecords(world.extension);
    await registerWithLongNames();
    await callW3c();
    const page = await world.extension.page();
    await page.bringToFront();
    await page.setViewport({ width: 1280, height: 800 });
    const all = await addresses();
    const views = await page.$$eval('nav a', (links) => links.map((link) => link.getAttribute('href')));
    expect(views.filter((view) => all.every(([address]) => address !== view))).toEqual([]);
    const found: Record<string, readonly string[]> = {};
    for (const [address, awaited] of all) {
      await goTo(page, address);
      await page.waitForSelector(awaited);
      const problems = await problemsOf(page, name);
      if (problems.length > 0) found[address] = problems;
    }
    expect(found).toEqual({});
  });

  itInSoak(
    'hides the last columns without room, says how many, and keeps those that people choose',
    async () => {
      await seedRecords(world.extension);
      const page = await world.extension.openPage('pages/internals.html');
      await page.bringToFront();
      await page.setViewport({ width: 900, height: 800 });
      await page.evaluate(() => localStorage.clear());
      await goTo(page, '#/sources');
      await shows(page, '.toolbar .menu:nth-last-of-type(2) > summary', /^Columns: \d more$/);
      const headings = (): Promise<readonly string[]> =>
        page.$$eval('th', (all) => all.map(({ innerText }) => innerText.trim()));
      expect(await headings()).toEqual(expect.arrayContaining(['Status', 'Registered']));
      expect(await headings()).not.toContain('Reports');
      await page.$eval(
        '.toolbar .menu:nth-last-of-type(2)',
        (menu) => ((menu as HTMLDetailsElement).open = true),
      );
      await page.waitForSelector('.sheet input');
      // All of them, one by one, as each changes the menu.
      for (;;) {
        const unchecked = await page.$('.sheet input:not(:checked)');
        if (unchecked === null) break;
        await unchecked.evaluate((box) => box.click());
        await waitFor('the choice', () => unchecked.evaluate((box) => box.checked));
      }
      await waitFor('all columns', async () => (await headings()).includes('Reports'));
      await shows(page, '.toolbar .menu:nth-last-of-type(2) > summary', 'Columns');
      for (const width of [1280, 320]) {
        await page.setViewport({ width, height: 640 });
        const left = (): Promise<number> => page.$eval('.table-scroll', ({ scrollLeft }) => scrollLeft);
        const rest = (): Promise<number> =>
          page.$eval('.table-scroll', (table) => table.scrollWidth - table.clientWidth - table.scrollLeft);
        await page.$eval('.table-scroll', (table) => (table.scrollLeft = 0));
        let pages = 1;
        for (; ; pages++) {
          expect({ width, pages, cut: await cutWords(page) }).toEqual({ width, pages, cut: [] });
          if ((await rest()) < 2) break;
          const before = await left();
          // As a swipe that ends somewhere.
          await page.$eval('.table-scroll', (table) => table.scrollBy({ left: 20 }));
          await waitFor('the next page', async () => (await left()) > before + 21);
        }
        expect(pages).toBeGreaterThan(2);
      }
      await page.evaluate(() => localStorage.clear());
    },
  );

  it.each(['pages/options.html', 'pages/popup.html'])('nor in %s', async (address) => {
    await seedRecords(world.extension);
    const page = await world.extension.openPage(address);
    await page.waitForSelector('main h1');
    expect(await problemsOf(page, name)).toEqual([]);
  });

  itInSoak.each(isLong ? [320, 1280] : [320])(
    'opens every menu of a table within a window of %d px',
    async (width) => {
      await seedRecords(world.extension);
      const page = await world.extension.openPage('pages/internals.html');
      await page.setViewport({ width, height: 640 });
      for (const table of ['sources', 'triggers', 'reports', 'refused', 'log', 'budget']) {
        await goTo(page, `#/${table}`);
        await page.waitForSelector('tr.item');
        const outside = await page.$$eval('details.menu', async (menus) => {
          const found: string[] = [];
          for (const menu of menus) {
            menu.open = true;
            // The next frames fill and arrange it.
            for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
            const box = menu.querySelector('.sheet')?.getBoundingClientRect();
            if (box === undefined || box.width === 0 || box.left < 0 || box.right > innerWidth)
              found.push(menu.textContent);
            menu.open = false;
          }
          return found;
        });
        expect({ table, outside }).toEqual({ table, outside: [] });
      }
    },
  );

  it('is complete by keyboard: from the navigation to a row, its page, and back', async () => {
    await seedRecords(world.extension);
    // In a tab that was left and shown again, headless Firefox passes keys to scripts only.
    const page = await world.extension.openPage('pages/internals.html');
    await page.bringToFront();
    await page.setViewport({ width: 1280, height: 800 });
    await goTo(page, '#/overview');
    await page.waitForSelector('#pending');
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        const { activeElement: element } = document;
        return element === null ? '' : `${element.localName} ${element.id || element.textContent.trim()}`;
      });
    const tabTo = async (what: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        if (what.test(await focused())) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${String(what)}; it is at ${await focused()}`);
    };
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await tabTo(/^a Sources$/);
    await page.keyboard.press('Enter');
    await page.waitForSelector('tr.item');
    await waitFor('the search field', async () => {
      await page.keyboard.press('/');
      return (await focused()) === 'input search';
    });
    await page.keyboard.type('event');
    // Until the whole word was searched for, rows may still disappear, and the focus with them.
    await waitFor('the search', () => page.evaluate(() => location.hash.includes('event')));
    await shows(page, '#count', / of /);
    // The menus are one stop; arrow keys move among them.
    await tabTo(/^summary /);
    await waitFor('the menu of columns', async () => {
      if (/^summary Columns/.test(await focused())) return true;
      await page.keyboard.press('ArrowRight');
      return false;
    });
    await page.keyboard.press(' ');
    await page.waitForSelector('.sheet input');
    await page.keyboard.press('Escape');
    expect(await focused()).toMatch(/^summary Columns/);
    await tabTo(/^a \d+$/);
    const indexOfFocus = (): Promise<number> =>
      page.evaluate(() => Number(document.activeElement?.closest('tr')?.dataset['index']));
    const first = await indexOfFocus();
    await waitFor('the next row', async () => {
      await page.keyboard.press('ArrowDown');
      return (await indexOfFocus()) > first;
    });
    await page.keyboard.press('Enter');
    await shows(page, 'h1', /^Source \d+$/);
    await waitFor('the focus', async () => (await focused()).startsWith('h1 Source'));
    await tabTo(/^a States$/);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#state-number');
    await tabTo(/^button [●◇■]*$/);
    await page.keyboard.press('Escape');
    await page.waitForSelector('tr.item');
  });

  itInSoak(
    'reaches the first row of every table within five stops, and shows it in small windows',
    async () => {
      await seedRecords(world.extension);
      const page = await world.extension.openPage('pages/internals.html');
      await page.bringToFront();
      for (const table of ['sources', 'triggers', 'reports', 'refused', 'log']) {
        await page.setViewport({ width: 1280, height: 800 });
        await goTo(page, `#/${table}`);
        await page.waitForSelector(`tr.item a[href^="#/${table}/"]`);
        await page.focus('.skip');
        await page.keyboard.press('Enter');
        let stops = 1;
        const isAtRow = (): Promise<boolean> =>
          page.evaluate(() => document.activeElement?.matches('tr[data-index="0"] a') === true);
        for (; stops < 20 && !(await isAtRow()); stops++) await page.keyboard.press('Tab');
        expect({ table, isWithinFive: stops <= 5 }).toEqual({ table, isWithinFive: true });
        // As wide as a telephone, and as a window of 1280 by 800 pixels is at 200 %.
        for (const [width, height] of [
          [320, 640],
          [640, 400],
        ] as const) {
          await page.setViewport({ width, height });
          await waitFor(`the first of ${table} in ${width} px`, () =>
            page.evaluate(() => {
              const row = document.querySelector('tr[data-index="0"]')?.getBoundingClientRect();
              const menus = document.querySelectorAll('.toolbar .menu').length;
              return row !== undefined && row.top > 0 && row.bottom <= innerHeight && menus === 1;
            }),
          );
          expect(await page.evaluate(() => scrollY)).toBe(0);
        }
      }
    },
  );

  itInSoak.each(['pages/options.html', 'pages/popup.html', 'pages/consent.html'])(
    'reaches everything in %s by Tab',
    async (address) => {
      await seedRecords(world.extension);
      const page = await world.extension.openPage(address);
      await page.bringToFront();
      await page.waitForSelector('main h1');
      // Radio buttons of one name are one stop. What is closed, disabled or hidden is none.
      const all = await page.evaluate(() => {
        const stops = document.querySelectorAll<HTMLElement>(
          'a[href], button, input, select, textarea, summary, [tabindex="0"]',
        );
        const shown = [...stops].filter((stop) => stop.checkVisibility() && !stop.matches(':disabled'));
        shown.forEach((stop, index) => (stop.dataset['stop'] = String(index)));
        (document.activeElement as HTMLElement | null)?.blur();
        return shown.length;
      });
      expect(all).toBeGreaterThan(3);
      const reached = new Set<string>();
      for (let presses = 0; presses < 2 * all + 10 && reached.size < all; presses++) {
        await page.keyboard.press('Tab');
        const stop = await page.evaluate(() => (document.activeElement as HTMLElement).dataset['stop']);
        if (stop !== undefined) reached.add(stop);
      }
      const missed = await page.evaluate(
        (known) =>
          [...document.querySelectorAll<HTMLElement>('[data-stop]')]
            .filter(({ dataset }) => !known.includes(dataset['stop'] ?? ''))
            .map(({ outerHTML }) => outerHTML.slice(0, 120)),
        [...reached],
      );
      expect(missed).toEqual([]);
    },
  );

  itInSoak('shows one site only when asked to, as in the developer tools', async () => {
    await seedRecords(world.extension);
    const page = await world.extension.openPage('pages/internals.html?site=https%3A%2F%2Fblog.example');
    await page.waitForSelector('.switches');
    await goTo(page, '#/log');
    await page.waitForSelector('tr.item');
    const pages = await page.$$eval('tr.item', (rows) => rows.map(({ textContent }) => textContent));
    expect(pages).toHaveLength(3);
    expect(pages.every((text) => text.includes('blog.example'))).toBe(true);
  });
});
