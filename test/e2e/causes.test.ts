import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { waitFor, type BrowserName, type Reply } from '../../scenarios/kit';
import { freePort } from '../../scripts/free-port';
import { press, textOf } from './helpers/internals';
import { lastingSentence, writeCauses, writtenCauses, type Floor, type Found } from './helpers/causes-table';
import { browsersOfRun, isLong, useWorld } from './helpers/world';

/*
 * Why no report comes: docs/mistakes.md has a row for each cause, with the error of the kit. The log has the same reason, and the popup of the page
 * leads to it. The long form follows the popup, and writes into docs/causes.md how many clicks and seconds each
 * reason took.
 */

/** Whether to write what the pages say now, also if docs/causes.md says something else. */
const rewrites = process.env['COINTOSS_CAUSES'] === 'rewrite';
/** In seconds: what an error of the kit may take after the last thing that happened. */
const LONGEST = 3;
const MOST_CLICKS = 2;
/** In ms: longer than the kit takes where nothing keeps it waiting. It keeps a processor busy. */
const BUSY = isLong ? 5000 : 3000;
const SO_FAR = 'ignored so far, because ';
const DAY = 86_400_000;
/** As a person clicks: the button of the mouse stays down for a moment. */
const human = { delay: 60 };

/** By cause, what the table says. */
const documented = new Map(
  readFileSync(path.join(__dirname, '../../docs/mistakes.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, cause, says] = /^\| (.*?) +\| (.*?) +\|$/.exec(line) ?? [];
      return cause === undefined || says === undefined ? [] : [[cause, says.replaceAll('\\|', '|')] as const];
    }),
);

/** Without what differs in each run, and with names in place of origins. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/http:\/\/(\w+)\.localhost(:\d+)?/g, '$1')
    .replaceAll(/(\.\d\d)\d+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2027-01-31T12:00:00.000Z')
    .replaceAll(/source \d+/g, 'source 7')
    // Two days, and the time that the test took.
    .replaceAll(/17[23]\d{3} seconds/g, '172801 seconds');

const addressOf = (page: Page): Promise<string> => page.evaluate(() => location.href).catch(() => '');

/** By cause. Only of the long form. */
const measured = new Map<string, Partial<Record<BrowserName, Found>>>();
const floors: Partial<Record<BrowserName, Floor>> = {};

describe.each(browsersOfRun)('why no report comes (%s)', (name) => {
  const world = useWorld(name, { puppeteer: { networkEnabled: true } });
  const shop = 'http://shop.localhost';
  const answer = (headers: NonNullable<Reply['headers']>): string => world.sites.pixel('adtech', { headers });
  const header = (fields: object): string => JSON.stringify({ destination: shop, ...fields });
  const ad = (fields: object = {}): string => world.sites.source('adtech', header(fields));
  const sale = (data: object | null = { trigger_data: '1' }, more: object = {}, server = 'adtech'): string =>
    world.sites.trigger(server, { ...(data === null ? {} : { event_trigger_data: [data] }), ...more });
  const view = (url: string): string => `<img attributionsrc src="${url}">`;
  const see = (body: string): Promise<Page> => world.open('publisher', body);
  const buy = (url: string, site = 'shop'): Promise<Page> => world.open(site, `<img src="${url}">`);
  const seen = async (fields: object = {}): Promise<void> => {
    await see(view(ad(fields)));
    await world.extension.waitForSources(1);
  };
  const hop = (headers: Readonly<Record<string, string>>): string =>
    world.sites.redirect('adtech', world.sites.page('shop', 'Welcome'), { headers });
  /** How much longer than two seconds 10 answers take, as the kit awaits them; at least 1. */
  const slowness = async (): Promise<number> => {
    const start = performance.now();
    for (let count = 0; count < 10; count += 1) {
      await sleep(100);
      await world.extension.reports();
      await world.extension.overview();
      await world.extension.trace();
    }
    return Math.max(1, (performance.now() - start) / 2000);
  };

  /** From the popup of the page to the reason of the newest entry: the clicks, and what the page of the entry says. */
  const followPopup = async (): Promise<{ readonly clicks: number; readonly sentence: string | null }> => {
    const newest = (await world.extension.trace())[0]?.id;
    const popup = await world.extension.openPage('pages/popup.html');
    // A click has left the page where it registers.
    const link = `#here li a[href$="#/log/${newest}"]`;
    await popup.waitForSelector(link);
    let clicks = 0;
    const click = async (selector: string): Promise<void> => {
      await press(popup, selector);
      clicks += 1;
    };
    await click(link);
    const opened = await waitFor('the entry', async () => {
      for (const page of await world.browser.pages())
        if ((await addressOf(page)).endsWith(`internals.html#/log/${newest}`)) return page;
      return null;
    });
    await opened.waitForSelector('#why-sentence');
    const sentence = await textOf(opened, '#why-sentence');
    await opened.close();
    return { clicks, sentence };
  };

  const causes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a link without `attributionsrc`': async () => {
      const page = await see(`<a id="it" href="${hop({ [REGISTER_SOURCE]: header({}) })}">Buy</a>`);
      await page.click('#it', human);
    },
    'a call of `window.open` without the feature': async () => {
      const url = hop({ [REGISTER_SOURCE]: header({}) });
      const page = await see(`<button id="it" onclick="window.open('${url}', '_blank')">Buy</button>`);
      await page.click('#it', human);
    },
    'a form that is sent': async () => {
      const action = hop({ [REGISTER_SOURCE]: header({}) });
      const page = await see(`<form method="post" action="${action}"><button id="it">Buy</button></form>`);
      await page.click('#it', human);
    },
    'a link without `attributionsrc` in a frame': async () => {
      const link = `<a id="it" href="${hop({ [REGISTER_SOURCE]: header({}) })}" target="_top">Buy</a>`;
      const frame = world.sites.page('widget', link);
      const page = await see(`<iframe src="${frame}"></iframe>`);
      const inner = await page.waitForFrame((one) => one.url() === frame);
      await (await inner.waitForSelector('#it'))?.click(human);
    },
    'an `img` without `attributionsrc`': async () => {
      await buy(ad(), 'publisher');
    },
    '`attributionsrc="URL"`, and no such page': () =>
      see(`<img attributionsrc="${world.sites.origin('adtech')}/none">`),
    '`attributionsrc="URL"`, and no server': async () =>
      see(`<img attributionsrc="http://adtech.localhost:${await freePort()}/">`),
    'a conversion on a redirect to a page': async () => {
      await seen();
      await see(
        `<script>location.href = '${hop({ [REGISTER_TRIGGER]: '{"event_trigger_data":[{}]}' })}'</script>`,
      );
    },
  };

  /** As `causes`. What the browser tells of them is as of one of those, or our code decides them alone; tests in Node try that. */
  const ours: typeof causes = {
    'a link without `attributionsrc` that opens a tab': async () => {
      const page = await see(
        `<a id="it" target="_blank" href="${hop({ [REGISTER_SOURCE]: header({}) })}">Buy</a>`,
      );
      await page.click('#it', human);
    },
    'a link with `attributionsrc` on its picture': async () => {
      const picture = `<img id="it" attributionsrc width="90" height="90" alt="">`;
      const page = await see(`<a href="${hop({ [REGISTER_SOURCE]: header({}) })}">${picture}</a>`);
      await page.click('#it', human);
    },
    'a link that only a script clicks': async () => {
      const page = await see(`<a attributionsrc href="${hop({ [REGISTER_SOURCE]: header({}) })}">Buy</a>`);
      await page.evaluate(() => document.querySelector('a')?.click());
    },
    'a link with `attributionsrc`, and no source header on its way': async () => {
      const page = await see(`<a id="it" attributionsrc href="${hop({})}">Buy</a>`);
      await page.click('#it', human);
    },
    'a `fetch` without the option': () => see(`<script>fetch('${ad()}')</script>`),
    'the header twice in a response': () =>
      see(view(answer({ [REGISTER_SOURCE]: [header({}), header({})] }))),
    'a Permissions Policy': () =>
      world.visit(
        world.sites.serve('publisher', '/policy', {
          headers: { 'Content-Type': 'text/html', 'Permissions-Policy': 'attribution-reporting=()' },
          body: view(ad()),
        }),
      ),
    '`attributionsrc="URL"`, and no header': () => see(`<img attributionsrc="${answer({})}">`),
    'a misspelt header': () => see(view(answer({ 'Attribution-Reporting-Register-Sorce': header({}) }))),
    'a misspelt field': () => see(view(world.sites.source('adtech', { destinaton: shop }))),
    'a header that is not JSON': () => see(view(world.sites.source('adtech', '{'))),
    'a source and a trigger in one response': () =>
      see(view(answer({ [REGISTER_SOURCE]: header({}), [REGISTER_TRIGGER]: '{}' }))),
    'a header for the operating system only': () =>
      see(view(answer({ 'Attribution-Reporting-Register-OS-Source': '"https://os.example"' }))),
    'a source that could say too much': () => see(view(ad({ max_event_level_reports: 20 }))),
    'a conversion without any source': () => buy(sale()),
    'a conversion on another site': async () => {
      await seen();
      await buy(sale(), 'bank');
    },
    'a conversion of another ad server': async () => {
      await seen();
      await buy(sale(undefined, {}, 'other'));
    },
    'a conversion after a refused source': async () => {
      await see(view(ad({ priority: 'high' })));
      await buy(sale());
    },
    'a conversion after the expiry': async () => {
      await seen({ expiry: '86400' });
      await world.extension.advance(2 * DAY);
      await buy(sale());
    },
    'a conversion after the report window': async () => {
      await seen({ event_report_window: '86400' });
      await world.extension.advance(2 * DAY);
      await buy(sale());
    },
    'filters that do not match': async () => {
      await seen({ filter_data: { product: ['1'] } });
      await buy(sale(undefined, { filters: { product: ['2'] } }));
    },
    'a deduplication key again': async () => {
      await seen({ max_event_level_reports: 2 });
      const twice = sale({ deduplication_key: '7' });
      await buy(twice);
      await world.extension.waitForReports(1);
      await buy(`${twice}?again`);
    },
    'trigger data that the source lacks': async () => {
      await seen({ trigger_data_matching: 'exact' });
      await buy(sale({ trigger_data: '5' }));
    },
    'more conversions than reports': async () => {
      await seen();
      await buy(sale());
      await world.extension.waitForReports(1);
      await buy(sale());
    },
    'a conversion that is malformed': async () => {
      await seen();
      await buy(sale(null, { event_trigger_data: 3 }));
    },
    'a conversion without `event_trigger_data`': async () => {
      await seen();
      await buy(sale(null));
    },
  };
  const all = { ...causes, ...ours };

  it('has a row for each cause', () => {
    expect([...documented.keys()]).toEqual(expect.arrayContaining(Object.keys(all)));
    expect([...writtenCauses().keys()].sort()).toEqual(Object.keys(all).sort());
  });

  it.each(Object.keys(isLong ? all : causes))('%s', async (cause) => {
    await all[cause]?.();
    const start = performance.now();
    const wait = world.extension.waitForReports(9, isLong ? {} : { interval: 20 });
    const said = await wait.then(
      () => 'reports',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    const seconds = (performance.now() - start) / 1000;
    const [, why = said] = /is in vain: (.*)/.exec(said) ?? [];
    expect(withoutChance(why)).toBe(documented.get(cause));
    // Otherwise the machine is loaded by other tests. An error that does not come early is another one.
    if (isLong && seconds > LONGEST) expect(seconds).toBeLessThan(LONGEST * (await slowness()));
    if (why.includes(SO_FAR)) {
      // The log says the same once no declaration can come any more.
      await world.waitForUndeclared(1);
      const [, reason] = why.split(SO_FAR);
      expect(await world.ignored()).toEqual([reason]);
      expect(await world.recorded()).toEqual([]);
    }
    if (!isLong) return;
    const { clicks, sentence } = await followPopup();
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(sentence).toMatch(/\w{3}/);
    if (!rewrites) expect(lastingSentence(sentence ?? '')).toBe(writtenCauses().get(cause));
    measured.set(cause, { ...measured.get(cause), [name]: { clicks, seconds, sentence: sentence ?? '' } });
  });

  /** The mean of several, in ms. */
  const meanOf = async (times: number, act: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    for (let time = 0; time < times; time += 1) await act();
    return (performance.now() - start) / times;
  };

  if (isLong)
    it('leaves the browser itself a small part of it', async () => {
      const answer = await meanOf(50, () => world.extension.overview());
      const page = await meanOf(10, async () => (await world.browser.newPage()).close());
      const slow = await slowness();
      // A wait takes ten answers. Nobody waits for a page.
      expect(answer).toBeLessThan(((LONGEST * 1000) / 30) * slow);
      expect(page).toBeLessThan(((LONGEST * 1000) / 3) * slow);
      // Only then do the seconds of the table say something.
      floors[name] = { answer, page, load: loadavg()[0] ?? NaN };
    });

  it('leads to the reason from the popup of the page that a click has led to', async () => {
    await all['a link with `attributionsrc`, and no source header on its way']?.();
    await waitFor('the entry', async () => (await world.ignored()).length > 0);
    const addresses = await Promise.all((await world.browser.pages()).map(addressOf));
    expect(addresses.some((address) => address.startsWith(world.sites.origin('shop')))).toBe(true);
    const { clicks, sentence } = await followPopup();
    expect(sentence).toContain('no answer on its way with the header Attribution-Reporting-Register-Source');
    expect(clicks).toBe(1);
  });

  if (name === 'chrome')
    it('names what a link lacks, also if the background slept when it was pressed', async () => {
      const page = await see(`<a id="it" href="${hop({ [REGISTER_SOURCE]: header({}) })}">Buy</a>`);
      await world.extension.stopWorker();
      // As long as the background may take to start.
      await page.click('#it', { delay: 1000 });
      const wait = world.extension.waitForReports(9, { interval: 20 });
      await expect(wait).rejects.toThrow('the link that led here has no attributionsrc');
    });

  it('waits while a page is busy, which may still declare an element', async () => {
    const page = await buy(ad(), 'publisher');
    let isBusy = true;
    const busy = page.evaluate((ms) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    }, BUSY);
    void busy.then(() => (isBusy = false));
    const wait = world.extension.waitForReports(9, { interval: 20 });
    await expect(wait).rejects.toThrow('its element has no attributionsrc');
    expect(isBusy).toBe(false);
  });
});

// Not after a failure: the next run would compare with what is wrong. Nor after a run of some causes only.
afterAll(() => {
  const { chrome, firefox } = floors;
  const isWhole = [...writtenCauses().keys()].every((cause) => {
    const found = measured.get(cause);
    return found?.chrome !== undefined && found.firefox !== undefined;
  });
  if (chrome !== undefined && firefox !== undefined && isWhole) writeCauses(measured, { chrome, firefox });
});
