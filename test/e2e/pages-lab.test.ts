import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { problemsIn, schemesFor } from './helpers/axe';
import {
  catchDownloads,
  choose,
  clipboardOf,
  fill,
  goTo,
  openView,
  press,
  shows,
  textOf,
  typeInto,
} from './helpers/internals';
import { browsersOfRun, calm, itInSoak, useWorld } from './helpers/world';

describe.each(browsersOfRun)('the lab in the pages (%s)', (name) => {
  const world = useWorld(name);

  const register = (as: 'navigation' | 'event' | 'trigger', header: object): Promise<unknown> =>
    world.extension.register(as, header, {
      contextOrigin: as === 'trigger' ? 'https://shop.example' : 'https://news.example',
      reportingOrigin: 'https://adtech.example',
    });

  const source = (more: object = {}): object => ({
    source_event_id: '7',
    destination: 'https://shop.example',
    ...more,
  });
  const trigger = { event_trigger_data: [{ trigger_data: '1' }] };

  const open = (address: string, awaited: string): Promise<Page> =>
    openView(world.extension, address, awaited);

  const isAccessible = async (page: Page): Promise<void> => {
    for (const scheme of await schemesFor(page, name)) expect(await problemsIn(page, scheme)).toEqual([]);
  };

  const dots = (page: Page): Promise<number> => page.$$eval('.plot .world', (found) => found.length);

  it('replays the session a thousand times, with the conversion in debug mode only', async () => {
    await register('event', source({ event_level_epsilon: 1 }));
    await register('trigger', trigger);
    const page = await open('#/worlds', '#replay-worlds');
    await press(page, '#replay-worlds');
    await shows(page, '#worlds-result', /Without noise it would be 1\.$/);
    expect(await dots(page)).toBe(1000);
    expect(await page.$$eval('.plot .own circle', (found) => found.length)).toBe(1);
    await isAccessible(page);
    await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
    await shows(page, '.banner.info', /^Debug mode is off, so your conversions are left out\./);
    await press(page, '#replay-worlds');
    await shows(page, '#worlds-result', /Without noise it would be 0\.$/);
  });

  itInSoak('replays nothing without an ad, and moves nothing for those who want it still', async () => {
    const page = await open('#/worlds', '#replay-worlds');
    await page.evaluate(() => {
      const real = matchMedia.bind(globalThis);
      Object.defineProperty(globalThis, 'matchMedia', {
        configurable: true,
        value: (query: string) => (query.includes('reduced-motion') ? { matches: true } : real(query)),
      });
    });
    await press(page, '#replay-worlds');
    await shows(page, '.empty', /^No ad was recorded/);
    await register('event', source());
    const most = await page.evaluate(async () => {
      const seen = new Set<number>();
      const button = document.querySelector<HTMLElement>('#replay-worlds');
      await new Promise<void>((resolve) => {
        const watcher = new MutationObserver(() => {
          seen.add(document.querySelectorAll('.plot .world').length);
          if (document.querySelector('#worlds-result')?.textContent !== undefined) {
            watcher.disconnect();
            resolve();
          }
        });
        watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
        button?.click();
      });
      return [...seen];
    });
    // Nothing, then all at once.
    expect(most.filter((count) => count > 0)).toEqual([1000]);
  });

  itInSoak('compares two registrations in the workbench, from a link, too', async () => {
    const page = await open('#/workbench', '#keep');
    await typeInto(page, '#registration', JSON.stringify(source({ event_level_epsilon: 2 })));
    await press(page, '#keep');
    await fill(page, '#knob-windows', '1');
    const cells = (): Promise<string[]> =>
      page.$$eval('#comparison tbody tr:nth-child(2) td', (found) =>
        found.map(({ textContent }) => textContent),
      );
    await waitFor('both numbers of states', async () => (await cells()).join() === '165,2925');
    // Two lines each: this one, and the kept one.
    await waitFor('four lines', () => page.$$eval('.plot polyline', (found) => found.length === 4));
    const address = await page.evaluate(() => location.hash);
    await goTo(page, '#/overview');
    await page.waitForSelector('#pending');
    await goTo(page, address);
    await waitFor('both again', async () => (await cells()).join() === '165,2925');
    await press(page, '#swap');
    await waitFor('the other way round', async () => (await cells()).join() === '2925,165');
    await isAccessible(page);
  });

  it('moves the end of a window with the keyboard and the mouse', async () => {
    const page = await open('#/workbench', '.window-bar');
    await typeInto(
      page,
      '#registration',
      JSON.stringify(source({ event_report_windows: { start_time: 3600, end_times: [86_400, 172_800] } })),
    );
    await shows(page, '#window-ends', 'Windows end after 1 day and 2 days.');
    await page.focus('.window-bar .handle');
    await page.keyboard.press('ArrowLeft');
    await shows(page, '#window-ends', 'Windows end after 23 hours and 2 days.');
    await page.keyboard.press('PageUp');
    // At least an hour before the next.
    await shows(page, '#window-ends', 'Windows end after 1.96 days and 2 days.');
    await page.keyboard.press('Home');
    await shows(page, '#window-ends', 'Windows end after 2 hours and 2 days.');
    const last = await page.waitForSelector('.window-bar .handle:last-child');
    const place = await last?.boundingBox();
    const bar = await (await page.$('.window-bar'))?.boundingBox();
    if (place == null || bar == null) throw new Error('there must be a handle on a bar');
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await page.mouse.down();
    await page.mouse.move(bar.x + bar.width / 2, place.y + place.height / 2, { steps: 3 });
    await page.mouse.up();
    // Half of the 30 days; a pixel is some two hours.
    await shows(page, '#window-ends', /^Windows end after 2 hours and (14\.[89]|15|15\.[012])\d? days\.$/);
    expect(await textOf(page, '#registration')).toMatch(/"start_time": 3600/);
  });

  itInSoak('runs a thousand campaigns, which have the error that it computes', async () => {
    const page = await open('#/workbench', '#run-campaigns');
    await typeInto(page, '#registration', JSON.stringify(source({ event_level_epsilon: 1 })));
    await fill(page, '#register-as', 'event');
    await fill(page, '#error-sources', '50');
    await fill(page, '#error-share', '10');
    await press(page, '#run-campaigns');
    await shows(page, '#campaigns-result', /The truth is 5\.$/);
    expect(await dots(page)).toBe(1000);
    const [measured = NaN, computed = NaN] = [
      ...((await textOf(page, '#campaigns-result')) ?? '').matchAll(/(?:error of|gives) ([\d.]*\d)/g),
    ].map(([, number]) => Number(number));
    // The standard error of a standard deviation of 1,000 values is 2.3 %; six of them have a probability below 1e-8.
    expect(Math.abs(measured / computed - 1)).toBeLessThan(0.14);
  });

  itInSoak(
    'opens the states on the drawn output, beside the true one, with the ranges of the buckets',
    async () => {
      await world.extension.send({ kind: 'force-state', state: '2' });
      await register(
        'navigation',
        source({
          trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [5, 50] }],
          event_report_windows: { end_times: [86_400] },
        }),
      );
      await register('trigger', { event_trigger_data: [{ trigger_data: '0', value: 10 }] });
      const [kept] = await world.extension.sources();
      const page = await open(`#/sources/${String(kept?.['id'])}/states`, '#noised-state');
      await shows(page, '#noised-state', '2');
      await shows(page, '#true-state', '1');
      expect(await page.$eval('#state-number', (field) => (field as HTMLInputElement).value)).toBe('2');
      // Both chosen and drawn reports, and the true one, are in the only cell.
      await shows(page, '.state-picture .cell', '●●◇■■');
      await shows(page, '#summary-buckets ol', 'from 5 to 4950 or more');
      await isAccessible(page);
      await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
      await shows(page, '#true-state', null);
      await shows(page, '#noised-state', null);
    },
  );

  it('shares a conversion as Markdown, as a file and as a scenario, and opens it in the workbench', async () => {
    await register('event', source());
    await register('trigger', trigger);
    await register('event', source({ source_event_id: '8', destination: 'https://other.example' }));
    const [entry] = await world.extension.triggers();
    const page = await open(`#/triggers/${String(entry?.['id'])}`, '#save-file');
    const downloads = await catchDownloads(page);
    await press(page, '#save-file');
    const file = await downloads.next();
    await press(page, '#save-scenario');
    const scenario = JSON.parse(await downloads.next()) as { input: { registrations: unknown[] } };
    await downloads.end();
    // Its source and it, not the other source.
    expect(scenario.input.registrations).toHaveLength(2);
    const copied = await clipboardOf(page, '#copy-markdown');
    expect(copied).toContain('"trigger_data": "1"');
    expect(copied).toMatch(/^## Trigger \d+\n/);
    await press(page, '#open-in-workbench');
    await shows(page, '#valid', 'This header is valid. It registers a conversion.');
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', file);
    await page.waitForSelector('#open-banner');
    await goTo(page, '#/triggers');
    await page.waitForSelector('tr.item a');
    await press(page, 'tr.item a');
    await shows(page, '#why-sentence', /./);
    await press(page, '#open-banner button');
  });

  itInSoak('opens the sample session, and says of a mistake why and what to change', async () => {
    const page = await open('#/data', '#open-sample');
    await press(page, '#open-sample');
    await page.waitForSelector('#open-banner');
    await goTo(page, '#/refused');
    // Six headers are malformed, and one source could say too much.
    await shows(page, '#count', /^7 /);
    await goTo(page, '#/triggers?q=another-site');
    await page.waitForSelector('tr.item a');
    await press(page, 'tr.item a');
    await shows(page, '#why-sentence', /^The nearest source is for bank\.example, and /);
    await shows(page, '#change', /^The source must name the destination shop\.example\. /);
    await press(page, '#open-banner button');
  });

  itInSoak('shares a source and a report likewise, in files that it opens itself', async () => {
    await register('navigation', source());
    await register('trigger', trigger);
    await register('event', source({ source_event_id: '8', destination: 'https://other.example' }));
    const [sources, [report]] = await Promise.all([world.extension.sources(), world.extension.reports()]);
    for (const [table, id, heading] of [
      ['sources', Math.min(...sources.map(({ id }) => id)), /^## Source \d+\n/],
      ['reports', report?.['id'], /^## Report \d+\n/],
    ] as const) {
      const page = await open(`#/${table}/${String(id)}`, '#save-file');
      expect(await clipboardOf(page, '#copy-markdown')).toMatch(heading);
      const downloads = await catchDownloads(page);
      await press(page, '#save-scenario');
      const { input } = JSON.parse(await downloads.next()) as { input: { registrations: unknown[] } };
      expect([table, input.registrations.length]).toEqual([table, 2]);
      await press(page, '#save-file');
      const file = await downloads.next();
      await downloads.end();
      await goTo(page, '#/data');
      await page.waitForSelector('#open-file');
      await choose(page, '#open-file', file);
      await page.waitForSelector('#open-banner');
      await goTo(page, `#/${table}`);
      await shows(page, '#count', /^1 /);
      await press(page, '#open-banner button');
      await waitFor('its own records', async () => (await page.$('#open-banner')) === null);
    }
  });

  itInSoak('shares a configuration as Markdown, as a scenario and as a link', async () => {
    const page = await open('#/workbench', '#valid');
    await fill(page, '#knob-windows', '1');
    await shows(page, '#figure-states', '165');
    expect(await clipboardOf(page, '#copy-markdown')).toMatch(/165/);
    expect(await clipboardOf(page, '#share')).toContain('#/workbench');
    const downloads = await catchDownloads(page);
    await press(page, '#save-scenario');
    const { input } = JSON.parse(await downloads.next()) as { input: { registrations: unknown[] } };
    await downloads.end();
    expect(input.registrations).toHaveLength(1);
  });

  itInSoak('shares nothing of a conversion but what it may show outside debug mode', async () => {
    await register('event', source());
    await register('trigger', trigger);
    await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
    const [entry] = await world.extension.triggers();
    const page = await open(`#/triggers/${String(entry?.['id'])}`, '#copy-markdown');
    // The page asks for the settings once in a while.
    await waitFor('the end of debug mode', async () => (await page.$('#save-file')) === null);
    expect(await page.$('#save-scenario')).toBeNull();
    expect(await clipboardOf(page, '#copy-markdown')).not.toMatch(/event-level-report|trigger-event-noise/);
    const [kept] = await world.extension.sources();
    await goTo(page, `#/sources/${String(kept?.['id'])}`);
    await page.waitForSelector('#save-file');
    expect(await page.$('#save-scenario')).toBeNull();
    const downloads = await catchDownloads(page);
    await press(page, '#save-file');
    const { truth, tables } = JSON.parse(await downloads.next()) as {
      truth: boolean;
      tables: { log: { kind: string }[] };
    };
    await downloads.end();
    expect(truth).toBe(false);
    expect(tables.log.map(({ kind }) => kind)).toEqual(['source']);
  });
});
