import type { Page } from 'puppeteer-core';
import { source } from './helpers/registrations';
import { browsers, browsersOfRun, itInSoak, useWorld, type World } from './helpers/world';

/** A page's own script, so that it runs without the user activation that puppeteer's `evaluate` brings along. */
const script = (code: string): string => `<script>${code}</script>`;

const announce = (announcement: object): string =>
  `document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: ${JSON.stringify(JSON.stringify(announcement))} }));`;

const victim = {
  contextOrigin: 'http://bank.localhost',
  documentOrigin: 'http://bank.localhost',
  tabId: 1,
  frameId: 0,
};

const serve = ({ sites }: World): string =>
  sites.serve('adtech', '/s', { headers: source(1, sites.origin('shop')) });

describe.each(browsers)('a page that lies (%s)', (name) => {
  const world = useWorld(name);
  // What to believe of an announcement that arrives is for our own code to decide.
  const isOurs = browsersOfRun.includes(name);

  /** The only records afterwards: those of an honest page. */
  const expectOnly = async (recorded: readonly string[]): Promise<void> => {
    const honest = world.sites.serve('adtech', '/honest', { headers: source(9, world.sites.origin('shop')) });
    await world.open('publisher', `<img attributionsrc="${honest}">`);
    const all = [...recorded, 'event source 9 on publisher by adtech'].sort();
    expect(await world.waitForRecorded(all.length)).toEqual(all);
  };

  it('about where it is speaks only for itself', async () => {
    const url = serve(world);
    const claim = { kind: 'open', url, sources: [url], ...victim };
    const eligible = '{ attributionReporting: { eventSourceEligible: true, triggerEligible: false } }';
    await world.open('liar', script(`${announce(claim)} fetch('${url}', ${eligible})`));
    await world.waitForRecorded(1);
    await expectOnly(['event source 1 on liar by adtech']);
  });

  if (isOurs)
    it('about a click gets no navigation source without one', async () => {
      const url = serve(world);
      const claim = { kind: 'open', url, sources: [url], userActivation: true, ...victim };
      await world.open('liar', script(announce(claim)));
      await expectOnly([]);
      expect(world.sites.received('adtech', '/s')).toEqual([]);
    });

  if (isOurs)
    it('about an eligibility that requests cannot have gets nothing', async () => {
      const url = serve(world);
      const claim = { kind: 'request', id: 7, url, eligibility: 'navigation-source' };
      await world.open('liar', script(`${announce(claim)} location.href = '${url}'`)).catch(() => undefined);
      await expectOnly([]);
    });

  it('by messages of the extension’s own kinds reaches nobody', async () => {
    const url = serve(world);
    const messages = [
      { kind: 'attributionsrc', urls: [url], eligibility: 'event-source-or-trigger', ...victim },
      { kind: 'set-settings', settings: { collector: 'http://liar.localhost' } },
      { kind: 'clear' },
    ];
    await world.open(
      'liar',
      script(`for (const message of ${JSON.stringify(messages)}) {
        postMessage(message, '*');
        postMessage(JSON.stringify(message), '*');
        document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: JSON.stringify(message) }));
      }`),
    );
    await expectOnly([]);
    expect(world.sites.received('adtech', '/s')).toEqual([]);
    expect(await world.extension.send({ kind: 'get-settings' })).toMatchObject({ collector: null });
  });

  it('finds no way to the extension’s messages or files', async () => {
    const own = await world.extension.page();
    const files = await own.evaluate(() =>
      ['/icons/48.png', '/pages/consent.html', '/background.js'].map(
        (file) => new URL(file, location.href).href,
      ),
    );
    const page = await world.open('liar', '');
    const found = await page.evaluate(async ([url = '', ...others]) => {
      const { chrome, browser } = globalThis as unknown as Record<
        string,
        { runtime?: { sendMessage?: unknown } } | undefined
      >;
      const loads = await new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(true);
        image.onerror = () => resolve(false);
        image.src = url;
      });
      const isRead = (file: string): Promise<boolean> =>
        fetch(file).then(
          () => true,
          () => false,
        );
      const read = await Promise.all([url, ...others].map(isRead));
      return [typeof chrome?.runtime?.sendMessage, typeof browser?.runtime?.sendMessage, loads, ...read];
    }, files);
    expect(found).toEqual(['undefined', 'undefined', false, false, false, false]);
  });

  if (isOurs)
    it('with announcements that make no sense changes nothing', async () => {
      await world.open(
        'liar',
        script(
          `for (const detail of [undefined, null, 7, '', '{', 'null', '[]', '{"kind":"request"}', '{"kind":"open","url":1}',
           '{"kind":"open","url":"/","sources":[1]}', 'x'.repeat(1e6), { kind: 'request' }, Symbol.iterator.description])
           document.dispatchEvent(new CustomEvent('cointoss:announce', { detail }));
         document.dispatchEvent(new Event('cointoss:announce'));
         document.dispatchEvent(new Event('cointoss:element'));
         document.dispatchEvent(new FocusEvent('cointoss:element', { relatedTarget: document.body }));`,
        ),
      );
      await expectOnly([]);
    });

  it('that replaces what the API is made of only harms its own globals', async () => {
    const url = serve(world);
    const page: Page = await world.open(
      'liar',
      script(`
        const broken = () => { throw new Error('broken'); };
        JSON.stringify = Document.prototype.dispatchEvent = EventTarget.prototype.dispatchEvent = broken;
        globalThis.CustomEvent = globalThis.FocusEvent = broken;
        fetch('${url}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })
          .then(() => (document.title = 'answered'));`),
    );
    await page.waitForFunction(() => document.title === 'answered');
    await world.waitForRecorded(1);
    await expectOnly(['event source 1 on liar by adtech']);
  });

  if (isOurs)
    itInSoak('with 5 000 announcements keeps nobody else waiting', async () => {
      const url = serve(world);
      await world.open(
        'liar',
        script(`for (let id = 0; id < 5000; id++) document.dispatchEvent(new CustomEvent('cointoss:announce', {
          detail: JSON.stringify({ kind: 'open', url: '${url}?' + id, sources: ['${url}?' + id] }),
        }));`),
      );
      const asked = performance.now();
      await world.extension.overview();
      expect(performance.now() - asked).toBeLessThan(2000);
      await expectOnly([]);
      expect(performance.now() - asked).toBeLessThan(6000);
    });
});
