import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import type { JsonObject } from '../../src/model/json';
import { defaultSettings } from '../../formats/settings/settings';
import { problemsOf } from './helpers/axe';
import { choose, fill, press, shows } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { countRows, invitation, pagesAt, researcher, consentStatusOn, trialFor } from './helpers/trials';
import { browsersOfRun, calm, describeInSoak, itInSoak, World } from './helpers/world';

/** Runs in the extension's own page. */
declare const chrome: {
  readonly declarativeNetRequest: {
    getSessionRules(): Promise<
      readonly { readonly condition: { readonly resourceTypes: readonly string[] } }[]
    >;
  };
};

const { debug = defaultSettings.debug } = calm;
const PATH = '/.well-known/attribution-reporting/report-event-attribution';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(browsersOfRun)('consent (%s)', (name) => {
  const world = new World(name);

  const rows = async (): Promise<Record<string, number>> =>
    (await world.extension.page()).evaluate(countRows);

  /** What is registered leaves the inbox a second later. */
  const rowsAtRest = (): Promise<Record<string, number>> =>
    waitFor('an empty inbox', async () => {
      const counted = await rows();
      return counted['inbox'] === undefined ? counted : null;
    });

  const becomes = (page: Page, consentStatus: string): Promise<boolean> =>
    waitFor(`the page to say ${consentStatus}`, async () => (await consentStatusOn(page)) === consentStatus);

  /** Once all from before is erased. Until then it is the trial in question, to which nobody has agreed. */
  const takesPart = (): Promise<boolean> =>
    waitFor('the trial', async () => {
      const { trial, consentStatus } = await world.extension.overview();
      return trial !== null && consentStatus === 'recording';
    });

  /** A page that tries everything which registers or is watched, and when it has. */
  const tryEverything = async (): Promise<void> => {
    const { sites } = world;
    const shop = sites.origin('shop');
    const fetched = sites.serve('adtech', '/fetched', { headers: source(3, shop) });
    const page = await world.open(
      'publisher',
      `<img attributionsrc="${sites.serve('adtech', '/background', { headers: source(1, shop) })}">
       <img attributionsrc src="${sites.serve('adtech', '/element', { headers: source(2, shop) })}">
       <img src="${sites.serve('adtech', '/conversion', { headers: trigger(1) })}">
       <img src="${sites.serve('adtech', '/refused', { headers: { 'Attribution-Reporting-Register-Trigger': '{' } })}">
       <a id="ad" attributionsrc href="${sites.serve('adtech', '/click', { headers: { ...source(4, shop), 'Content-Type': 'text/html' } })}">Ad</a>`,
    );
    await page.evaluate(async (url) => {
      const attributionReporting = { eventSourceEligible: true, triggerEligible: false };
      await fetch(url, { attributionReporting } as RequestInit);
    }, fetched);
    await page.click('#ad', { delay: 100 });
    await waitFor('the click to arrive', () => sites.received('adtech', '/click').length > 0);
  };

  const rule = {
    id: 'visit',
    matches: ['http://publisher.localhost/*'],
    selector: null,
    on: 'visit' as const,
    register: 'source' as const,
    reportingOrigin: 'https://adtech.example',
    registration: { destination: 'https://shop.example', source_event_id: '9' },
  };

  const everything = [
    'event source 1 on publisher by adtech',
    'event source 2 on publisher by adtech',
    'event source 3 on publisher by adtech',
    'event source 9 on publisher by adtech',
    'navigation source 4 on publisher by adtech',
    'refused trigger on publisher by adtech',
    'trigger 1 on publisher by adtech',
  ];

  /** An impression and a conversion on it: a report that waits two days. Without pages, which `tryEverything` has. */
  const convert = async (): Promise<void> => {
    const { sites, extension } = world;
    for (const [as, site, headers] of [
      ['event', 'publisher', source(5, sites.origin('shop'), { event_report_window: '172800' })],
      ['trigger', 'shop', trigger(1)],
    ] as const) {
      const [header = ''] = Object.values(headers);
      const origins = { contextOrigin: sites.origin(site), reportingOrigin: sites.origin('adtech') };
      await extension.register(as, header, origins);
    }
    await extension.waitForReports(1);
  };

  /** How many rules of Chrome add the eligibility header to requests of this type now. */
  const eligibilityRules = async (type: 'main_frame' | 'xmlhttprequest'): Promise<number> =>
    (await world.extension.page()).evaluate(
      async (wanted) =>
        (await chrome.declarativeNetRequest.getSessionRules()).filter(({ condition }) =>
          condition.resourceTypes.includes(wanted),
        ).length,
      type,
    );

  describe('just installed', () => {
    afterEach(() => world.stop());

    it('comes first: nothing is recorded, marked, fetched or sent before it, all of it afterwards', async () => {
      await world.start({
        consent: false,
        settings: { ...calm, rules: [rule], debug: { ...debug, delay: false } },
      });
      const { sites, extension } = world;
      await tryEverything();
      expect(await rows()).toEqual({});
      expect(sites.received('adtech', '/background')).toEqual([]);
      const eligible = sites.received().map(({ headers }) => headers['attribution-reporting-eligible']);
      expect(eligible.filter((header) => header !== undefined)).toEqual([]);
      expect(await extension.participation()).toMatchObject({
        consentStatus: 'unanswered',
        acceptedAt: null,
      });

      const [consentPage] = await pagesAt(world.browser, 'consent.html');
      if (consentPage === undefined) throw new Error('no consent page has opened');
      await consentPage.bringToFront();
      await becomes(consentPage, 'unanswered');
      await press(consentPage, '#accept');
      await becomes(consentPage, 'recording');
      // Earlier events stay unrecorded, although the browser saw them.
      expect(await rows()).toEqual({});
      sites.reset();
      await tryEverything();
      expect(await world.waitForRecorded(everything.length)).toEqual(everything);
      expect(sites.received('adtech', '/background')).toHaveLength(1);
      expect(sites.received('adtech', '/click')[0]?.headers['attribution-reporting-eligible']).toBeDefined();
      await world.open('shop', `<img src="${sites.origin('adtech')}/conversion">`);
      await sites.waitForReports(1);
    });
  });

  describeInSoak('not answered yet', () => {
    beforeAll(() => world.start({ consent: false }));
    afterEach(() => world.asInstalled());
    afterAll(() => world.stop());

    it('can be refused, and the page, the popup and the internals say that nothing is recorded', async () => {
      const page = await world.extension.openPage('pages/consent.html');
      await becomes(page, 'unanswered');
      for (const other of ['pages/popup.html', 'pages/options.html', 'pages/internals.html']) {
        const opened = await world.extension.openPage(other);
        await becomes(opened, 'unanswered');
        await opened.close();
      }
      await press(page, '#decline');
      await becomes(page, 'declined');
      await tryEverything();
      expect(await rows()).toEqual({});
      const popup = await world.extension.openPage('pages/popup.html');
      await shows(popup, '#consent-status', /You declined/);
    });

    it('leaves nothing for axe-core to complain of, light and dark, and fits a narrow window', async () => {
      const { extension } = world;
      const page = await extension.openPage('pages/consent.html');
      await page.bringToFront();
      const found: Record<string, readonly string[]> = {};
      const check = async (what: string): Promise<void> => {
        const problems = await problemsOf(page, name);
        if (problems.length > 0) found[what] = problems;
      };
      await becomes(page, 'unanswered');
      await check('plain');
      await extension.send({ kind: 'offer-trial', trial: trialFor(DAY, { settings: { rules: [rule] } }) });
      await page.waitForSelector('#trial');
      await check('with a trial');
      await extension.accept();
      await becomes(page, 'recording');
      await press(page, '#withdraw');
      await page.waitForSelector('#withdraw-yes');
      await check('withdrawing');
      expect(found).toEqual({});
    });
  });

  describe('agreed to before', () => {
    beforeAll(() => world.start());
    afterEach(() => world.agreeAnew());
    afterAll(() => world.stop());

    it('can be withdrawn: everything is erased at once, and nothing recorded any more', async () => {
      const { extension } = world;
      await extension.settings({ pausedSites: ['https://bank.example'] });
      await convert();
      expect(await rows()).toMatchObject({ sources: 1, reports: 1, log: 2 });
      const page = await extension.openPage('pages/consent.html');
      await becomes(page, 'recording');
      await press(page, '#withdraw');
      await shows(page, '#withdraw-question', /the report that was not sent/);
      await press(page, '#withdraw-no');
      await press(page, '#withdraw');
      await press(page, '#withdraw-yes');
      // The page knows that nobody agrees any more before all is erased.
      await shows(page, '#withdrawn', /^You have withdrawn\. Everything was erased/);
      await becomes(page, 'unanswered');
      expect(await rows()).toEqual({});
      expect((await extension.settings()).pausedSites).toEqual([]);
      await expect(extension.send({ kind: 'undo-clear' })).rejects.toThrow('too late to bring back');
      await tryEverything();
      expect(await rows()).toEqual({});
      await extension.advance(3 * DAY);
      expect(world.sites.reports()).toEqual([]);
    });

    it.each(['consent is withdrawn', 'a new background starts'])(
      'removes the rule that makes a navigation eligible when %s',
      async (how) => {
        const { sites, extension } = world;
        // Firefox has no rules for navigations.
        if (name !== 'chrome') return;
        const page = await world.open(
          'publisher',
          `<a id="ad" attributionsrc href="${sites.origin('shop')}/">Ad</a>`,
        );
        // Pressed, but not followed: the rule waits.
        await page.evaluate(() => {
          document.querySelector('#ad')?.addEventListener('click', (event) => event.preventDefault());
        });
        await page.click('#ad', { delay: 50 });
        await waitFor('the rule', async () => (await eligibilityRules('main_frame')) > 0);
        if (how === 'consent is withdrawn') await extension.send({ kind: 'withdraw' });
        else {
          await extension.stopWorker();
          await extension.overview();
        }
        await waitFor('no rule', async () => (await eligibilityRules('main_frame')) === 0);
        // The rules for fetches stand as long as the person takes part.
        expect((await eligibilityRules('xmlhttprequest')) > 0).toBe(how !== 'consent is withdrawn');
      },
    );

    itInSoak(
      'is asked for a trial from a file, whose settings are in force until the person withdraws',
      async () => {
        const { extension } = world;
        // Earlier use of Cointoss has nothing to do with the trial.
        await convert();
        const page = await extension.openPage('pages/consent.html');
        await page.waitForSelector('#trial-file');
        await choose(page, '#trial-file', '{"id": "Not An Id"}');
        await shows(page, '#problem', /^id: must be a name/);
        const trial = trialFor(30 * DAY, { settings: { collector: 'https://collector.example' } });
        await choose(page, '#trial-file', JSON.stringify(trial));
        await shows(page, '#trial h2', 'Ad recall 2027');
        await shows(page, '#not-signed', /^Not signed\. Cointoss cannot tell who wrote this trial/);
        // Nothing changes by looking.
        await becomes(page, 'recording');
        expect((await extension.overview()).trial).toBeNull();
        await shows(page, '#earlier', /If you accept, it is erased: one ad and one report/);
        expect(await rows()).toMatchObject({ sources: 1, reports: 1 });
        await press(page, '#accept');
        await takesPart();
        expect(await rows()).toEqual({});
        expect(await extension.settings()).toMatchObject({ collector: 'https://collector.example' });
        await expect(extension.settings({ collector: null })).rejects.toThrow(
          'collector: is set by the trial “Ad recall 2027”',
        );
        await extension.settings({ pausedSites: ['https://bank.example'] });

        const options = await extension.openPage('pages/options.html');
        await options.waitForSelector('fieldset:disabled #setting-collector');
        expect(await options.$('fieldset:disabled #setting-paused')).toBeNull();
        // Who loads the extension unpacked rehearses.
        expect(await options.$('fieldset:disabled [id="setting-debug.enabled"]')).toBeNull();
        await shows(options, '#consent-status', /You are taking part in “Ad recall 2027” until/);

        const popup = await extension.openPage('pages/popup.html');
        await popup.waitForSelector('#withdraw');
        await press(popup, '#withdraw');
        await press(popup, '#withdraw-yes');
        await shows(popup, '#withdrawn', /^You have withdrawn\. Everything was erased/);
        await becomes(popup, 'unanswered');
        expect((await extension.participation()).trial).toEqual(trial);
        await extension.send({ kind: 'forget-trial' });
        await extension.accept();
        expect(await extension.settings()).toMatchObject({ collector: null, pausedSites: [] });
      },
    );

    it('is asked for a trial behind a link, which only the person has fetched and accepted', async () => {
      const { sites, extension } = world;
      const trial = trialFor(30 * DAY);
      const body = JSON.stringify(await researcher.sign(trial));
      const url = sites.serve('uni', '/trial.json', {
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      // As after the install: the page that asks is open, and stays the only one.
      await extension.openPage('pages/consent.html');
      const page = await world.open('uni', `<a id="join" rel="cointoss-trial" href="${url}">Take part</a>`);
      // A script that presses it gets the JSON like any reader, here nothing.
      const isLeftToThePage = await page.evaluate(() => {
        const link = document.querySelector<HTMLAnchorElement>('#join');
        const isUntouched: boolean[] = [];
        const look = (event: Event): void => {
          isUntouched.push(!event.defaultPrevented);
          event.preventDefault();
        };
        link?.addEventListener('click', look, { once: true });
        link?.click();
        return isUntouched;
      });
      expect(isLeftToThePage).toEqual([true]);
      await page.click('#join', { delay: 50 });
      const consentPage = await invitation(extension);
      expect(sites.received('uni', '/trial.json')).toEqual([]);
      expect((await extension.participation()).trial).toBeNull();
      expect(page.url()).toContain('/page-');

      await press(consentPage, '#look');
      await shows(consentPage, '#trial h2', 'Ad recall 2027');
      const [fetched, ...more] = sites.received('uni', '/trial.json');
      expect(more).toEqual([]);
      expect(String(fetched?.headers['origin'])).not.toContain('extension:');
      // They had agreed to Cointoss without a trial, which goes on.
      expect((await extension.overview()).trial).toBeNull();
      await press(consentPage, '#accept');
      await takesPart();

      // Whoever runs the trial may end it earlier, which the person learns of.
      const end = new Date(Date.now() + DAY).toISOString();
      const shorter = await researcher.sign({ ...trial, version: 2, end });
      sites.serve('uni', '/trial.json', { body: JSON.stringify(shorter) });
      await fill(consentPage, '#trial-link', url);
      await press(consentPage, '#look');
      await shows(consentPage, '#comparison .differs', /^Until/);
      expect((await extension.overview()).trial?.end).toBe(Date.parse(trial['end'] as string));
      await press(consentPage, '#accept');
      await waitFor(
        'the earlier end',
        async () => (await extension.overview()).trial?.end === Date.parse(end),
      );
      expect((await extension.overview()).consentStatus).toBe('recording');

      await extension.send({ kind: 'withdraw' });
      await extension.send({ kind: 'forget-trial' });
      for (const [address, problem] of [
        [sites.origin('uni') + '/none', 'The server answered 404'],
        ['http://uni.example/trial.json', 'Must be an https address'],
        [sites.serve('uni', '/text', { body: 'hello' }), /^must be JSON/],
      ] as const) {
        await consentPage.waitForSelector('#trial-link');
        await fill(consentPage, '#trial-link', address);
        await press(consentPage, '#look');
        await shows(consentPage, '#problem', problem);
      }
    });

    it('ends with the trial: nothing is recorded any more, what waits is still delivered', async () => {
      const { sites, extension } = world;
      sites.serve('collector', PATH, {});
      const trial = trialFor(DAY, {
        settings: { collector: sites.origin('collector') },
        start: new Date(Date.now() + HOUR).toISOString(),
      });
      await extension.send({ kind: 'offer-trial', trial });
      await extension.accept();
      await extension.settings({ debug });
      await tryEverything();
      expect(await rows()).toEqual({});
      expect((await extension.overview()).consentStatus).toBe('not-started');
      await extension.advance(HOUR);
      await convert();
      const before = await rowsAtRest();
      await extension.advance(DAY);
      const popup = await extension.openPage('pages/popup.html');
      await shows(popup, '#consent-status', /^“Ad recall 2027” ended .* Nothing is recorded any more/);
      await tryEverything();
      // A site's last minute is forgotten when it is over.
      expect({ siteUse: 1, ...(await rows()) }).toEqual(before);
      await extension.advance('next-report');
      const delivered = await waitFor('the report', () => sites.received('collector', PATH)[0] ?? null);
      expect(JSON.parse(delivered.body)).toMatchObject({ source_event_id: '5', trigger_data: '1' });
      expect(await extension.finished()).toMatchObject([{ end: 'delivered' }]);
    });

    itInSoak('goes on while a change is looked at, and is of the change once that is accepted', async () => {
      const { sites, extension } = world;
      sites.serve('collector', PATH, {});
      const trial = trialFor(30 * DAY, { settings: { collector: sites.origin('collector') } });
      await extension.send({ kind: 'offer-trial', trial: await researcher.sign(trial) });
      await extension.accept();
      await extension.settings({ debug });
      const signed = (more: JsonObject): Promise<JsonObject> =>
        researcher.sign({ ...trial, version: 2, ...more });
      await extension.send({ kind: 'offer-trial', trial: await signed({ information: { en: 'More.' } }) });
      const page = await extension.openPage('pages/consent.html');
      await shows(page, 'h1', 'The trial has changed: do you still want to take part?');
      await becomes(page, 'recording');
      await convert();
      const before = await rowsAtRest();
      // Pressed twice, on a page that is looked at.
      await page.bringToFront();
      await page.waitForSelector('#decline:not([aria-disabled])');
      await page.$eval('#decline', (button) => {
        (button as HTMLButtonElement).click();
        (button as HTMLButtonElement).click();
      });
      await shows(page, 'h1', 'You are taking part');
      expect((await extension.participation()).trial).toMatchObject({ version: 1 });
      expect(await rows()).toEqual(before);

      const changed = await signed({ title: 'Another title' });
      await extension.send({ kind: 'offer-trial', trial: changed });
      await expect(extension.send({ kind: 'accept', trial })).rejects.toThrow('has changed since you saw it');
      await extension.accept();
      expect((await extension.participation()).trial).toEqual(changed);
      expect(await rows()).toEqual(before);
      await extension.advance('next-report');
      await waitFor('the report', () => sites.received('collector', PATH).length === 1);
    });
  });
});
