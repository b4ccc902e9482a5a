import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import type { Json, JsonObject } from '../../src/model/json';
import { defaultSettings } from '../../formats/settings/settings';
import { problemsOf } from './helpers/axe';
import { press, shows, textOf } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { invitation, researcher, consentStatusOn, trialFor } from './helpers/trials';
import { browsersOfRun, calm, describeInSoak, itInSoak, World } from './helpers/world';

const DAY = 86_400_000;

describe.each(browsersOfRun)('the consent page (%s)', (name) => {
  const world = new World(name);

  const becomes = (page: Page, consentStatus: string): Promise<boolean> =>
    waitFor(`the page to say ${consentStatus}`, async () => (await consentStatusOn(page)) === consentStatus);

  const has = async (page: Page, selectors: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const selector of selectors) if ((await page.$(selector)) !== null) found.push(selector);
    return found;
  };

  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.localName || '');

  /** The page that follows a link to a trial, before anybody has agreed to anything. */
  const follow = async (url: string): Promise<Page> => {
    const page = await world.open('uni', `<a id="join" rel="cointoss-trial" href="${url}">Take part</a>`);
    await page.click('#join', { delay: 50 });
    const opened = await invitation(world.extension);
    await opened.setViewport({ width: 1280, height: 800 });
    return opened;
  };

  describeInSoak('agreed to before', () => {
    beforeAll(() => world.start());
    afterEach(() => world.agreeAnew());
    afterAll(() => world.stop());

    it('of a trial that is over asks nobody to take part, also not after withdrawing from it', async () => {
      const { extension } = world;
      await extension.send({ kind: 'offer-trial', trial: trialFor(DAY) });
      await extension.settings(calm);
      await extension.advance(2 * DAY);
      const page = await extension.openPage('pages/consent.html');
      await shows(page, 'h1', 'Will you take part?');
      // The person had agreed to Cointoss without a trial, and stays with that.
      expect(await has(page, ['#accept', '#decline', '#forget'])).toEqual(['#decline']);
      await press(page, '#decline');
      await shows(page, 'h1', 'You agreed to this');

      await extension.send({ kind: 'reset-clock' });
      await extension.send({ kind: 'offer-trial', trial: trialFor(DAY) });
      await extension.accept();
      await extension.settings({ debug: { ...calm.debug } });
      await extension.advance(2 * DAY);
      await becomes(page, 'ended');
      await press(page, '#withdraw');
      await press(page, '#withdraw-yes');
      await becomes(page, 'unanswered');
      await shows(page, 'h1', 'The trial is over');
      expect(await has(page, ['#accept', '#decline', '#forget'])).toEqual(['#forget']);
      expect(await problemsOf(page, name)).toEqual([]);
      await press(page, '#forget');
      await shows(page, 'h1', 'May Cointoss record?');
    });

    it('says that it was withdrawn and everything erased, where the focus then is', async () => {
      const { extension } = world;
      await extension.send({ kind: 'offer-trial', trial: trialFor(DAY) });
      await extension.accept();
      for (const file of ['consent', 'popup', 'options']) {
        const page = await extension.openPage(`pages/${file}.html`);
        await page.bringToFront();
        await page.waitForSelector('#withdraw');
        await press(page, '#withdraw');
        await page.waitForSelector('#withdraw-no');
        await press(page, '#withdraw-yes');
        await shows(page, '#withdrawn', /^You have withdrawn\. Everything was erased from this device\./);
        expect([file, await focused(page)]).toEqual([file, 'withdrawn']);
        await becomes(page, 'unanswered');
        expect(await problemsOf(page, name)).toEqual([]);
        await extension.accept();
        await waitFor('it to go', async () => (await textOf(page, '#withdrawn')) === null);
        await page.close();
      }
    });

    // In the other browser it is the same.
    if (name === 'firefox') return;

    it('leaves the focus where the person moved it, when what it shows changes', async () => {
      const page = await world.extension.openPage('pages/consent.html');
      await page.bringToFront();
      await page.waitForSelector('#withdraw');
      await press(page, '#withdraw');
      await waitFor('the way back', async () => (await focused(page)) === 'withdraw-no');
      await page.focus('#withdraw-yes');
      await world.extension.settings({ paused: true });
      await shows(page, '#consent-status', /^You agreed, but recording is paused/);
      expect(await focused(page)).toBe('withdraw-yes');
    });
  });

  describe('just installed', () => {
    beforeAll(() => world.start({ consent: false }));
    // An installation costs a second of processor time.
    afterEach(() => world.asInstalled());
    afterAll(() => world.stop());

    it('of who follows a link asks about that trial, and nothing else before it', async () => {
      const { sites, extension } = world;
      const url = sites.serve('uni', '/trial.json', {
        body: JSON.stringify(await researcher.sign(trialFor(30 * DAY))),
      });
      const page = await follow(url);
      const general = ['#accept', '#decline', '#trial-link'];
      expect(await has(page, general)).toEqual([]);
      expect(await page.$$eval('button.primary', (buttons) => buttons.map(({ id }) => id))).toEqual(['look']);
      const afterHeader = await page.$eval('main > header', (header) => header.nextElementSibling?.id);
      expect(afterHeader).toBe('from-page');
      await shows(page, 'h1', 'An invitation to a trial');
      await shows(page, '#from-page', /uni\.localhost:\d+\/trial\.json/);
      expect(await problemsOf(page, name)).toEqual([]);
      expect(sites.received('uni', '/trial.json')).toEqual([]);

      await press(page, '#look');
      await shows(page, '#trial h2', 'Ad recall 2027');
      await waitFor('the heading to have the focus', async () => (await focused(page)) === 'h1');
      expect(await has(page, ['#from-page', ...general])).toEqual(general);
      expect(await page.evaluate(() => location.hash)).toBe('');
      await shows(page, '#trial', /From\s*when you accept/);
      await press(page, '#accept');
      await becomes(page, 'recording');
      await shows(page, '#trial', /From\s*\w{3} \d/);
      expect((await extension.overview()).trial).toMatchObject({ title: 'Ad recall 2027' });
      expect(await has(page, ['#from-page'])).toEqual([]);
    });

    itInSoak('lists what rules read on pages, and what of it leaves', async () => {
      const { extension, sites } = world;
      const found = (selector: string | null, attribute: string | null, as: string): JsonObject => ({
        $extract: { selector, attribute, as },
      });
      const rule = { matches: ['https://news.example/*'], reportingOrigin: sites.origin('adtech') };
      const rules: Json = [
        {
          ...rule,
          id: 'ad',
          selector: '.ad',
          on: 'viewable',
          register: 'source',
          registration: {
            source_event_id: found('b', 'data-account', 'text'),
            destination: found(null, 'href', 'origin'),
          },
        },
        {
          ...rule,
          id: 'order',
          on: 'visit',
          register: 'trigger',
          registration: {
            event_trigger_data: [
              { value: found('.total', null, 'money'), deduplication_key: found('.receipt', null, 'text') },
            ],
          },
        },
      ];
      await extension.send({ kind: 'offer-trial', trial: trialFor(DAY, { settings: { rules } }) });
      const page = await extension.openPage('pages/consent.html');
      await page.waitForSelector('.readings');
      expect(
        await page.$$eval('.readings li', (items) => items.map(({ textContent }) => textContent)),
      ).toEqual([
        expect.stringMatching(
          /^source_event_id: the attribute data-account of .ad b\. .* up to 20 digits \(64 bits\)\. Each report .* as it is\.$/,
        ),
        expect.stringMatching(
          /^destination: the attribute href of .ad\. .* holds the site of the address as it is\.$/,
        ),
        expect.stringMatching(
          /^event_trigger_data\.value: the text of .total\. .* Chance protects that number\.$/,
        ),
        expect.stringMatching(
          /^event_trigger_data\.deduplication_key: the text of .receipt\. .* does not leave the device\.$/,
        ),
      ]);
      expect(await textOf(page, 'main')).toContain('or that a rule read on the page, as said above');
      expect(await problemsOf(page, name)).toEqual([]);
    });

    it('takes five clicks from the question to a report that was sent', async () => {
      const { sites, extension } = world;
      await extension.settings(defaultSettings);
      let clicks = 0;
      const click = async (page: Page, selector: string): Promise<void> => {
        clicks += 1;
        await page.waitForSelector(selector);
        await press(page, selector);
      };
      const page = await extension.openPage('pages/consent.html');
      await shows(page, '#what-it-is', /^Cointoss is a browser extension /);
      let popup = await extension.openPage('pages/popup.html');
      await becomes(popup, 'unanswered');
      expect(
        await popup.$$eval('button', (buttons) => buttons.map(({ textContent }) => textContent)),
      ).toEqual([]);
      await popup.close();

      await click(page, '#accept');
      await becomes(page, 'recording');
      await click(page, '#switch-debug-on');
      await waitFor('debug mode', async () => (await extension.settings()).debug.enabled);
      const ad = sites.serve('adtech', '/ad', { headers: source(1, sites.origin('shop')) });
      await world.open('publisher', `<img attributionsrc="${ad}">`);
      await world.waitForRecorded(1);
      const bought = sites.serve('adtech', '/bought', { headers: trigger(1) });
      const shop = await world.open('shop', `<button onclick="new Image().src = '${bought}'">Buy</button>`);
      await click(shop, 'button');
      // Randomized response drops the report in fewer than 1 of 1,000,000 runs: three states, ε = 14.
      await extension.waitForReports(1);
      clicks += 1;
      popup = await extension.openPage('pages/popup.html');
      await click(popup, '[data-advance="next-report"]');
      await shows(popup, '#sent', 'One report sent: see it, and why');
      expect(sites.reports()).toHaveLength(1);
      expect(clicks).toBe(5);
    });

    // The rest concerns the pages only, and is the same in every browser.
    if (name === 'firefox') return;

    itInSoak('keeps an invitation whose trial is not there, until it is put aside', async () => {
      const page = await follow(`${world.sites.origin('uni')}/none`);
      await press(page, '#look');
      await shows(page, '#problem', 'The server answered 404');
      expect(await has(page, ['#from-page', '#accept'])).toEqual(['#from-page']);
      await press(page, '#dismiss');
      await shows(page, 'h1', 'May Cointoss record?');
      expect(await has(page, ['#from-page', '#accept', '#trial-link'])).toEqual(['#accept', '#trial-link']);
      // After a reload it is not asked for again.
      expect(await page.evaluate(() => location.hash)).toBe('');
    });

    itInSoak('has internals that promise nothing before it was answered', async () => {
      const page = await world.extension.openPage('pages/internals.html#/sources');
      await shows(page, '.empty', 'There is nothing here. Nothing is recorded until you agree.');
      await world.extension.accept();
      await shows(page, '.empty', /They appear here at once\.$/);
    });
  });
});
