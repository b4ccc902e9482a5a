import type { Page } from 'puppeteer-core';
import { source } from './helpers/registrations';
import { browsersOfRun, useWorld } from './helpers/world';
import { english } from '../../words/english';

const human = { delay: 60 };

describe.each(browsersOfRun)('a mistake leaves its reason in the log (%s)', (name) => {
  const world = useWorld(name);

  /** The newest entry, once there is one: where it counts, and why it registered nothing. */
  const ignored = async (): Promise<string> => {
    await world.waitForUndeclared(1);
    const [entry] = await world.extension.trace();
    if (entry?.kind !== 'ignored') return String(entry?.kind);
    return `${new URL(entry.contextOrigin).hostname}: ${english.mistakeText(entry.reason)}`;
  };

  const hop = (): string =>
    world.sites.redirect('adtech', world.sites.page('shop', 'Welcome'), {
      headers: source(5, world.sites.origin('shop')),
    });

  const noClick =
    'publisher.localhost: no eligible click led here: the link has no attributionsrc, or no person pressed it';

  it.each<[string, (url: string) => string, (page: Page) => Promise<unknown>]>([
    [
      'a link without attributionsrc',
      (url) => `<a id="it" href="${url}">Buy</a>`,
      (page) => page.click('#it', human),
    ],
    [
      'such a link that opens a tab',
      (url) => `<a id="it" href="${url}" target="_blank">Buy</a>`,
      (page) => page.click('#it', human),
    ],
    [
      'a click by a script alone',
      (url) => `<a id="it" attributionsrc href="${url}">Buy</a>`,
      (page) => page.evaluate(() => document.querySelector('a')?.click()),
    ],
  ])('%s whose answer has a source', async (_what, body, act) => {
    await act(await world.open('publisher', body(hop())));
    expect(await ignored()).toBe(noClick);
    expect(await world.recorded()).toEqual([]);
  });

  it('a click in a frame counts on the page around it', async () => {
    const frame = world.sites.page('widget', `<a id="it" href="${hop()}" target="_top">Buy</a>`);
    const page = await world.open('publisher', `<iframe src="${frame}"></iframe>`);
    const inner = await page.waitForFrame((one) => one.url() === frame);
    await (await inner.waitForSelector('#it'))?.click(human);
    expect(await ignored()).toBe(noClick);
  });

  it('a misspelt header', async () => {
    const headers = { 'Attribution-Reporting-Register-Sorce': '{}' };
    const pixel = world.sites.pixel('adtech', { headers });
    await world.open('publisher', `<img attributionsrc src="${pixel}">`);
    expect((await ignored()).toLowerCase()).toBe(
      'publisher.localhost: the response has the header attribution-reporting-register-sorce, which nobody knows; it may mean attribution-reporting-register-source',
    );
  });
});
