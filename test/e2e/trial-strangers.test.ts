import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import type { JsonObject } from '../../src/model/json';
import { defaultSettings } from '../../formats/settings/settings';
import { Researcher } from '../unit/helpers/trial-key';
import { press, shows, textOf } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import {
  closeConsentTabs,
  countRows,
  invitation,
  researcher,
  consentStatusOn,
  trialFor,
} from './helpers/trials';
import { browsersOfRun, calm, describeInSoak, itInSoak, World } from './helpers/world';
import { unlimited } from '../unit/helpers/budgets';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const PATH = '/.well-known/attribution-reporting/report-event-attribution';
const { debug = defaultSettings.debug } = calm;
const stranger = new Researcher();

describe.each(browsersOfRun)('a trial belongs to whoever signed it (%s)', (name) => {
  const world = new World(name);

  beforeAll(() => world.start());
  beforeEach(() => {
    for (const site of ['collector', 'second', 'stranger']) world.sites.serve(site, PATH, {});
  });
  afterEach(() => world.agreeAnew());
  afterAll(() => world.stop());

  const honest = (more: JsonObject = {}): JsonObject =>
    trialFor(300 * DAY, { settings: { collector: world.sites.origin('collector') }, ...more });

  /** Makes the person take part in the researcher's trial, as far as the background is concerned. */
  async function join(trial: JsonObject): Promise<void> {
    const { sites, extension } = world;
    const link = sites.serve('uni', '/trial.json', { body: JSON.stringify(await researcher.sign(trial)) });
    await extension.send({ kind: 'look-at-trial', link });
    await extension.accept();
    await extension.settings({ debug });
  }

  /** Follows a link to a trial on a page of this site, and presses Look. */
  async function look(site: string, body: string): Promise<Page> {
    return lookAt(site, world.sites.serve(site, '/offer.json', { body }));
  }

  async function lookAt(site: string, url: string): Promise<Page> {
    const { extension } = world;
    await closeConsentTabs(extension);
    const page = await world.open(site, `<a id="join" rel="cointoss-trial" href="${url}">Take part</a>`);
    await page.click('#join', { delay: 50 });
    const consent = await invitation(extension);
    await press(consent, '#look');
    return consent;
  }

  /** The labels of what differs, in order. */
  const differing = (page: Page): Promise<readonly string[]> =>
    page.$$eval('#comparison .differs th', (labels) =>
      labels.map(({ textContent }) => textContent.replace(/\s*differs$/, '')),
    );

  const rows = async (): Promise<Record<string, number>> =>
    (await world.extension.page()).evaluate(countRows);

  /** Records a source with this event id, and a conversion, which make one report. Without pages, which consent.test.ts has. */
  async function convert(id: number): Promise<void> {
    const { sites, extension } = world;
    const before = (await extension.reports()).length;
    for (const [as, site, headers] of [
      ['event', 'publisher', source(id, sites.origin('shop'))],
      ['trigger', 'shop', trigger(1)],
    ] as const) {
      const [header = ''] = Object.values(headers);
      const origins = { contextOrigin: sites.origin(site), reportingOrigin: sites.origin('adtech') };
      await extension.register(as, header, origins);
    }
    await extension.waitForReports(before + 1);
  }

  /** The event ids of the reports that a site has received. */
  const received = (site: string): readonly string[] =>
    world.sites
      .received(site, PATH)
      .map(({ body }) => (JSON.parse(body) as { readonly source_event_id: string }).source_event_id);

  describeInSoak('and a link to one', () => {
    let device: Server;
    let asked: string[];

    beforeEach(async () => {
      asked = [];
      device = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end('{}');
      });
      await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
    });

    afterEach(() => new Promise((resolve) => device.close(resolve)));

    it('leads nowhere else: not to the device, by a redirect', async () => {
      const { sites } = world;
      const Location = `http://127.0.0.1:${(device.address() as AddressInfo).port}/reboot`;
      const url = sites.serve('stranger', '/offer.json', { status: 302, headers: { Location } });
      const page = await lookAt('stranger', url);
      await shows(
        page,
        '#problem',
        /^The server redirects to another address, which Cointoss does not follow/,
      );
      expect(sites.received('stranger', '/offer.json')).toHaveLength(1);
      expect(asked).toEqual([]);
    });
  });

  itInSoak(
    'so the same with an earlier end, from a stranger, ends nothing, and is another trial',
    async () => {
      const { extension } = world;
      const trial = honest();
      await join(trial);
      await convert(1);
      const end = new Date(Date.now() + 20_000).toISOString();
      const page = await look('stranger', JSON.stringify(await stranger.sign({ ...trial, version: 2, end })));
      await shows(page, 'h1', 'Another trial: do you want to leave yours for it?');
      await shows(page, '#leaves', /^This is another trial, even if it looks like yours\./);
      expect(await differing(page)).toEqual(['Signed with the key', 'Until', 'Version']);
      await extension.advance(30_000);
      expect(await consentStatusOn(page)).toBe('recording');
      expect((await extension.overview()).trial?.end).toBe(Date.parse(trial['end'] as string));
      await convert(2);
      expect(await rows()).toMatchObject({ reports: 2 });

      // It is over by then.
      await press(page, '#decline');
      await shows(page, 'h1', 'You are taking part');
      const later = await stranger.sign({
        ...trial,
        version: 3,
        // Letters that look like those of the researcher.
        title: 'Ad rec\u0430ll 2027',
        researcher: { name: 'Un\u0456versity of Example', contact: 'trial@un\u0456.example' },
        end: new Date(Date.now() + DAY).toISOString(),
      });
      const other = await look('stranger', JSON.stringify(later));
      await shows(other, 'h1', /^Another trial/);
      const labels = ['Run by', 'Contact', 'Signed with the key', 'Until', 'Version', 'Title'];
      expect((await differing(other)).toSorted()).toEqual(labels.toSorted());
      const mixed = expect.stringMatching(/^letters of several scripts \(Latin and Cyrillic\)/) as string;
      for (const part of ['#comparison', '#trial']) {
        const notes = await other.$$eval(`${part} .unmasked`, (found) =>
          found.map((note) => note.textContent),
        );
        expect(notes.toSorted()).toEqual([mixed, mixed, mixed, 'xn--un-ioc.example']);
      }
      await press(other, '#accept');
      await shows(other, 'h1', 'You are taking part');
      expect((await extension.participation()).trial).toEqual(later);
      expect(await rows()).toEqual({});
    },
  );

  itInSoak('so the same id with another collector gets nothing, whether it is accepted or not', async () => {
    const { extension, sites } = world;
    const trial = honest();
    await join(trial);
    await convert(1);
    const settings = { ...unlimited, collector: sites.origin('stranger') };
    const page = await look(
      'stranger',
      JSON.stringify(await stranger.sign({ ...trial, version: 2, settings })),
    );
    await shows(page, 'h1', /^Another trial/);
    expect(await differing(page)).toEqual(['Reports go to', 'Signed with the key', 'Version']);
    expect(await textOf(page, '#comparison')).toContain(new URL(sites.origin('stranger')).host);
    expect(await consentStatusOn(page)).toBe('recording');
    await convert(2);
    await extension.deliverAll();
    expect([received('collector').toSorted(), received('stranger')]).toEqual([['1', '2'], []]);

    await convert(3);
    await press(page, '#accept');
    await shows(page, 'h1', 'You are taking part');
    expect(await rows()).toEqual({});
    await extension.settings({ debug });
    await convert(4);
    await extension.deliverAll();
    expect([received('collector').toSorted(), received('stranger')]).toEqual([['1', '2'], ['4']]);
  });

  itInSoak('so a link to one that is not signed shows nothing', async () => {
    const trial = honest();
    await join(trial);
    const page = await look('stranger', JSON.stringify({ ...trial, version: 2 }));
    await shows(page, '#problem', /^A link must lead to a signed trial, and this one is not signed/);
    expect((await world.extension.participation()).offer).toBeNull();
    const forged = {
      ...(await researcher.sign(trial)),
      settings: { ...unlimited, collector: world.sites.origin('stranger') },
    };
    await shows(
      await look('stranger', JSON.stringify(forged)),
      '#problem',
      /^signature\.value: does not fit/,
    );
    expect((await world.extension.participation()).offer).toBeNull();
  });

  it('can be put aside or looked at only after a second at one place, by pointer and by key', async () => {
    const { sites } = world;
    const url = sites.serve('stranger', '/offer.json', {
      body: JSON.stringify(await stranger.sign(honest())),
    });
    const opener = await world.open(
      'stranger',
      `<a id="join" rel="cointoss-trial" href="${url}">Take part</a>`,
    );
    await opener.click('#join', { delay: 50 });
    const page = await invitation(world.extension);
    const isInert = (of: string): Promise<boolean> =>
      page.$eval(of, (button) => button.ariaDisabled === 'true');
    const isReady = (of: string): Promise<boolean> =>
      waitFor(`${of} to be ready`, async () => !(await isInert(of)));
    let moves = 0;
    const pressEarly = async (of: string, how: 'pointer' | 'key'): Promise<void> => {
      // A move makes it wait anew.
      moves += 1;
      await page.$eval(
        of,
        (button, distance) => void ((button as HTMLElement).style.marginTop = `${distance}px`),
        7 * moves,
      );
      await page.focus(of);
      if (how === 'key') await page.keyboard.press('Enter');
      else await page.click(of);
    };
    const pressInVain = async (of: string, how: 'pointer' | 'key'): Promise<void> => {
      await isReady(of);
      await pressEarly(of, how);
      await waitFor('it to wait anew', () => isInert(of));
    };
    for (const of of ['#look', '#accept']) {
      for (const how of ['pointer', 'key'] as const) {
        // What says no stands beside it.
        await pressInVain(of === '#look' ? '#dismiss' : '#decline', how);
        await pressInVain(of, how);
        expect(
          await page.$eval(
            of,
            (button) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent,
          ),
        ).toBe('Read first: this button works after a second');
        expect(sites.received('stranger', '/offer.json')).toHaveLength(of === '#look' ? 0 : 1);
        expect((await world.extension.overview()).trial).toBeNull();
      }
      await isReady(of);
      await page.focus(of);
      await page.keyboard.press('Enter');
      await shows(page, '#trial h2', 'Ad recall 2027');
    }
    await shows(page, 'h1', 'You are taking part');
  });

  it('from its start over a change to its early end: nothing is lost, and nothing goes to anybody else', async () => {
    const { extension, sites } = world;
    const trial = honest();
    await join(trial);
    await convert(1);

    const settings = { ...unlimited, collector: sites.origin('second') };
    const changed = { ...trial, version: 2, settings };
    const page = await look('uni', JSON.stringify(await researcher.sign(changed)));
    await shows(page, 'h1', 'The trial has changed: do you still want to take part?');
    expect(await differing(page)).toEqual(['Reports go to', 'Version']);
    await press(page, '#accept');
    await shows(page, 'h1', 'You are taking part');
    await extension.settings({ debug });
    await convert(2);
    // Its window ends under the second consent, and it was recorded under the first.
    expect((await extension.reports()).map(({ recipient }) => recipient).toSorted()).toEqual(
      [sites.origin('collector'), sites.origin('second')].toSorted(),
    );

    const theirs = {
      ...changed,
      version: 9,
      settings: { ...unlimited, collector: sites.origin('stranger') },
    };
    const refused = await look('stranger', JSON.stringify(await stranger.sign(theirs)));
    await shows(refused, 'h1', /^Another trial/);
    await press(refused, '#decline');
    await shows(refused, 'h1', 'You are taking part');
    // What the researcher published before is worth nothing to others.
    const replayed = await look('stranger', JSON.stringify(await researcher.sign(trial)));
    await shows(replayed, '#problem', /^This is version 1 of the trial\. You agreed to version 2/);

    const end = new Date(Date.now() + HOUR).toISOString();
    const last = await look('uni', JSON.stringify(await researcher.sign({ ...changed, version: 3, end })));
    await shows(last, 'h1', 'The trial has changed: do you still want to take part?');
    expect(await differing(last)).toEqual(['Until', 'Version']);
    await press(last, '#accept');
    await waitFor('the earlier end', async () => (await extension.overview()).trial?.end === Date.parse(end));
    await extension.advance(2 * HOUR);
    await shows(last, '#consent-status', /^The trial has been over since/);
    const before = await rows();
    await world.open(
      'publisher',
      `<img attributionsrc="${sites.serve('adtech', '/late', { headers: source(3, sites.origin('shop')) })}">`,
    );
    await world.open('shop', `<img src="${sites.serve('adtech', '/t', { headers: trigger(1) })}">`);
    expect(await rows()).toEqual(before);

    await extension.deliverAll();
    expect([received('collector'), received('second')]).toEqual([['1'], ['2']]);
    expect(await extension.reports()).toEqual([]);
    expect(await extension.finished()).toMatchObject([{ end: 'delivered' }, { end: 'delivered' }]);
    // The stranger's server and page were visited, and asked for their trial. Nothing else ever went there.
    const strange = sites
      .received('stranger')
      .filter(({ path }) => !path.startsWith('/page-') && path !== '/favicon.ico');
    expect(new Set(strange.map(({ path }) => path))).toEqual(new Set(['/offer.json']));
  });
});
