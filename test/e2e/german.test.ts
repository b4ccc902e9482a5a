import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { defaultSettings } from '../../formats/settings/settings';
import { cutWords, neededWidth } from './helpers/axe';
import { choose, fill, goTo, press, shows } from './helpers/internals';
import { source } from './helpers/registrations';
import { trialFor } from './helpers/trials';
import { visitAdsAndShop } from './helpers/visit';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

const DAY = 86_400_000;
const folder = path.resolve(__dirname, '../../.data/screenshots');
const views = [
  'overview',
  'leaves',
  'sources',
  'triggers',
  'reports',
  'refused',
  'log',
  'requests',
  'budget',
  'attribution',
  'workbench',
  'debug',
  'data',
];

describe.each(browsersOfRun)('in German (%s)', (name) => {
  const world = useWorld(name, { language: 'de' });

  beforeAll(() => mkdirSync(folder, { recursive: true }));

  /** Nothing sticks out to the side, and no word is cut. */
  const expectToFit = async (page: Page, what: string, width: number): Promise<void> => {
    await page.setViewport({ width, height: 800 });
    // For people who want to see it.
    if (isLong) await page.screenshot({ path: path.join(folder, `german-${what}-${width}-${name}.png`) });
    const needed = await neededWidth(page);
    expect([what, width, Math.max(needed, width)]).toEqual([what, width, width]);
    expect([what, width, await cutWords(page)]).toEqual([what, width, []]);
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

  itInSoak('counts, tells times and outcomes, and is searched and filtered in it', async () => {
    await visitAdsAndShop(world);
    const popup = await world.extension.openPage('pages/popup.html');
    await shows(popup, '#pending', '1 Bericht');
    // Two days, less the seconds that the test took.
    await shows(popup, '#next', /^Der nächste wird in 2 Tagen gesendet, \d+\.\d+\.\d{4}, /);
    await shows(popup, '#banner', 'Rauschen aus');
    await expectToFit(popup, 'popup', 320);
    const internals = await world.extension.page();
    await internals.bringToFront();
    for (const chosen of ['q=zugerechnet', 'q=credited', 'is.exact=credited']) {
      await goTo(internals, `#/log?${chosen}`);
      await shows(internals, '#count', '1 von 3 Einträgen');
      await shows(internals, '.data tbody', /zugerechnet.*Conversion/);
    }
    await goTo(internals, '#/log');
    await shows(internals, '#count', '3 Einträge');
  });

  // check-words.test.ts and issue-words.test.ts read such sentences in each run.
  if (isLong) {
    it('says what is wrong with a header, in "why" and in the table', async () => {
      const { sites } = world;
      const header = {
        destination: sites.origin('shop'),
        filter_data: { 'the size': 3 },
        event_level_epsilon: -1,
        debug_reporting: 1,
      };
      const refused = sites.serve('adtech', '/refused', {
        headers: { 'Attribution-Reporting-Register-Source': JSON.stringify(header) },
      });
      await world.open('publisher', `<img attributionsrc="${refused}">`);
      await world.waitForRecorded(1);
      const [entry] = await world.extension.trace();
      const page = await world.extension.page();
      await page.bringToFront();
      await goTo(page, `#/log/${entry?.id ?? 0}/why`);
      await shows(
        page,
        '#why-sentence',
        /^Der Header hat nichts registriert: .* Er hat einen weiteren Fehler\.$/,
      );
      await shows(page, 'main', /filter_data\.the size muss eine Liste sein, war 3/);
      await shows(page, 'main', /event_level_epsilon muss eine Zahl von 0 bis 14 sein, war -1/);
      await shows(page, 'main', /debug_reporting muss true oder false sein, war 1 \(wird ignoriert\)/);
      await expectToFit(page, 'refused-why', 1280);
      // There is room for all of it.
      await page.setViewport({ width: 1920, height: 800 });
      for (const word of ['Liste', 'list']) {
        await goTo(page, `#/refused?q=${word}`);
        await shows(page, '#count', /^1 /);
        await shows(
          page,
          '.data tbody',
          /filter_data\.the size muss eine Liste sein, war 3 \(und 1 weitere\)/,
        );
      }
    });

    it('says what the checks of a registration counted', async () => {
      await visitAdsAndShop(world);
      const [entry] = await world.extension.triggers();
      const page = await world.extension.page();
      await page.bringToFront();
      await goTo(page, `#/log/${String(entry?.id)}/why`);
      await shows(page, '[data-check="matching-source"]', /1 von 1 nicht abgelaufenen Quellen für/);
      await shows(page, '[data-check="pending-reports"]', /1 von höchstens 1024/);
    });

    it('says what is wrong with settings and trials', async () => {
      const options = await world.extension.openPage('pages/options.html');
      await options.waitForSelector('[id="setting-pausedSites"]');
      await fill(options, '[id="setting-pausedSites"]', 'https://a.example\nkeine Website');
      await shows(
        options,
        '[id="setting-pausedSites-problem"]',
        'pausedSites[1]: muss eine Website wie https://shop.example sein, war "keine Website"',
      );
      await choose(options, '#import-settings', '{"deliveryProfile": "schnell"}');
      await shows(options, '#message', 'deliveryProfile: muss "lossless" oder "chrome" sein, war "schnell"');
      await expectToFit(options, 'wrong-settings', 1280);
      const consent = await world.extension.openPage('pages/consent.html');
      await consent.waitForSelector('#trial-file');
      await choose(consent, '#trial-file', '{"id": "Keine Id", "settings": {"paused": true}}');
      await shows(consent, '#problem', /^id: muss ein Name aus höchstens 64 .*, war "Keine Id"; /);
      await shows(
        consent,
        '#problem',
        /settings\.paused: darf nicht in einer Studie stehen: Ob angehalten wird/,
      );
      await shows(consent, '#problem', /muss das Feld "information" haben/);
      await expectToFit(consent, 'wrong-trial', 800);
      await expect(world.extension.send({ kind: 'force-state', state: 'eins' })).rejects.toThrow(
        'Zustand: muss eine ganze Zahl in Dezimalschreibweise sein, war "eins"',
      );
    });
  }

  itInSoak('leaves the popup its links in sight during a trial', async () => {
    const { sites, extension } = world;
    // Without debug mode: nobody who takes part sees its card.
    await extension.settings(defaultSettings);
    const title = {
      en: 'Ad recall 2027: what noise does it bear?',
      de: 'Werbeerinnerung: Wie viel Rauschen?',
    };
    await extension.send({ kind: 'offer-trial', trial: trialFor(DAY, { title }) });
    await extension.accept();
    const refused = { 'Attribution-Reporting-Register-Trigger': '{' };
    await world.open(
      'publisher',
      `<img attributionsrc="${sites.serve('adtech', '/s', { headers: source(1, sites.origin('shop')) })}">
         <img src="${sites.serve('adtech', '/refused', { headers: refused })}">`,
    );
    await world.waitForRecorded(2);
    const popup = await extension.openPage('pages/popup.html');
    await popup.setViewport({ width: 360, height: 600 });
    await popup.waitForSelector('#refused-hint');
    await shows(popup, '#consent-status', /Werbeerinnerung: Wie viel Rauschen\?/);
    expect(await popup.$eval('#consent-status span', (span) => span.lang)).toBe('de');
    const heights = (): Promise<readonly [all: number, hidden: number, links: number]> =>
      popup.evaluate(() => {
        const parts = document.querySelector('.parts');
        const bottom = document.querySelector('footer')?.getBoundingClientRect().bottom ?? Infinity;
        const hidden = (parts?.scrollHeight ?? Infinity) - (parts?.clientHeight ?? 0);
        return [document.documentElement.scrollHeight, hidden, Math.ceil(bottom)] as const;
      });
    // Nothing must be scrolled; when the question is asked, only what is above it.
    const [all, hidden, links] = await heights();
    expect([all <= 600, hidden, links <= 600]).toEqual([true, 0, true]);
    await press(popup, '#withdraw');
    await popup.waitForSelector('#withdraw-yes');
    const [withQuestion, , linksThen] = await heights();
    expect([withQuestion <= 600, linksThen <= 600]).toEqual([true, true]);
    await world.agreeAnew();
  });

  itInSoak('has room for a report that is due next year, at 320 pixels', async () => {
    const year = new Date().getFullYear();
    await world.extension.setClock(Date.UTC(year, 11, 31, 12));
    await visitAdsAndShop(world);
    const page = await world.extension.page();
    await page.bringToFront();
    await page.setViewport({ width: 320, height: 800 });
    await goTo(page, '#/reports');
    await shows(page, '.data tbody', new RegExp(`02\\.01\\.${String(year + 1).slice(2)}, \\d\\d:\\d\\d`));
    await expectToFit(page, 'reports-next-year', 320);
    // A time is not shortened, but its cell would hide the end.
    const hidden = await page.$$eval('.data tbody td:not([colspan])', (cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const end = cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight);
        return range.getBoundingClientRect().right > end + 0.05 ? cell.textContent : '';
      }),
    );
    expect(hidden).toEqual(['', '', '']);
  });

  it.each(isLong ? [320, 600, 1280] : [320])('has room for its longer words at %d pixels', async (width) => {
    await visitAdsAndShop(world);
    const page = await world.extension.page();
    await page.bringToFront();
    for (const view of views) {
      await goTo(page, `#/${view}`);
      await shows(page, `nav [href="#/${view}"][aria-current=page]`, /./);
      // They come later, and an empty page would fit anyway.
      if (view === 'requests') await page.waitForSelector('.hops li');
      await expectToFit(page, view, width);
    }
    const options = await world.extension.openPage('pages/options.html');
    await shows(options, '.options h1', /Einstellungen/);
    await expectToFit(options, 'options', width);
  });
});
