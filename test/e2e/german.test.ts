import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer';
import { goTo, shows } from './helpers/internals';
import { visitAdsAndShop } from './helpers/visit';
import { browsers, useWorld } from './helpers/world';

jest.setTimeout(60_000);

const folder = path.resolve(__dirname, '../../.data/screenshots');
const views = [
  'overview',
  'leaves',
  'sources',
  'triggers',
  'reports',
  'refused',
  'log',
  'budget',
  'attribution',
  'workbench',
  'debug',
  'data',
];

describe.each(browsers)('in German (%s)', (name) => {
  const world = useWorld(name, { language: 'de' });

  beforeAll(() => mkdirSync(folder, { recursive: true }));

  /** Nothing sticks out to the side. */
  const expectToFit = async (page: Page, what: string, width: number): Promise<void> => {
    await page.setViewport({ width, height: 800 });
    await page.screenshot({ path: path.join(folder, `german-${what}-${width}-${name}.png`) });
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([what, width, Math.max(needed, width)]).toEqual([what, width, width]);
  };

  it.each([
    ['popup', 'Cointoss', '#pause-all', 'Überall pausieren'],
    ['options', 'Cointoss-Einstellungen', '.options', /Datenschutzbudget.*Vorgabe: an\.Verzögerung/],
    ['internals', 'Cointoss-Interna', 'nav', /Was dieses Gerät verlässt.*Quellen.*Berichte/],
  ])('%s speaks it, and says so', async (page, title, selector, words) => {
    const opened = await world.extension.openPage(`pages/${page}.html`);
    await shows(opened, selector, words);
    expect(await opened.evaluate(() => [document.documentElement.lang, document.title])).toEqual([
      'de',
      title,
    ]);
  });

  it('counts, tells times and outcomes, and is searched and filtered in it', async () => {
    await visitAdsAndShop(world);
    const popup = await world.extension.openPage('pages/popup.html');
    await shows(popup, '#pending', '1 Bericht');
    // Two days but for the seconds that this took.
    await shows(popup, '#next', /^Der nächste wird in 2 Tagen gesendet, \d+\.\d+\.\d{4}, /);
    await shows(popup, '#banner', 'Rauschen aus');
    await expectToFit(popup, 'popup', 320);
    const internals = await world.extension.page();
    await internals.bringToFront();
    for (const chosen of ['q=zugerechnet', 'q=credited', 'is.exact=credited']) {
      await goTo(internals, `#/log?${chosen}`);
      await shows(internals, '#count', '1 von 3 Einträgen');
      await shows(internals, '.data tbody', /Conversion.*zugerechnet/);
    }
    await goTo(internals, '#/log');
    await shows(internals, '#count', '3 Einträge');
  });

  it.each([320, 1280])('has room for its longer words at %d pixels', async (width) => {
    await visitAdsAndShop(world);
    const page = await world.extension.page();
    await page.bringToFront();
    for (const view of views) {
      await goTo(page, `#/${view}`);
      await shows(page, `nav [href="#/${view}"][aria-current=page]`, /./);
      await expectToFit(page, view, width);
    }
    const options = await world.extension.openPage('pages/options.html');
    await shows(options, '.options h1', /Einstellungen/);
    await expectToFit(options, 'options', width);
  });
});
