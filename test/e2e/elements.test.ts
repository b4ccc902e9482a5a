import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../scenarios/kit';
import { HoldingServer } from './helpers/holding-server';
import { source } from './helpers/registrations';
import { UnfinishedPictures } from './helpers/unfinished-pictures';
import { browsersOfRun, useWorld } from './helpers/world';

/** What stands on a page, by what it is; A and B register a source each. ways.test.ts has more ways. */
const bodies: Readonly<Record<string, string>> = {
  'an img with two URLs': '<img attributionsrc="A\n B">',
  'a script with two URLs': '<script attributionsrc="A B"></script>',
  'an img with a URL and a src': '<img attributionsrc="A" src="B">',
  'a script that a script adds': `<script>
       const added = document.createElement('script');
       added.setAttribute('attributionsrc', 'A B');
       document.head.append(added);
     </script>`,
  'an img whose attribute changes later': `<img id="late" attributionsrc="A"><script>setTimeout(() => (late.attributionSrc = 'B'), 300)</script>`,
  'an img whose attribute changes twice at once': `<img id="twice"><script>twice.attributionSrc = 'A'; twice.attributionSrc = 'B'</script>`,
  'a script that a script adds, with another attribute and src at once': `<script>
       const renewed = document.createElement('script');
       renewed.setAttribute('attributionsrc', 'B');
       renewed.src = 'A';
       document.head.append(renewed);
       renewed.src = '/never';
       renewed.setAttribute('attributionsrc', '');
     </script>`,
  'an img of a script that changes its attribute later': `<script>
       const changed = new Image();
       changed.attributionSrc = 'A';
       document.documentElement.append(changed);
       setTimeout(() => (changed.attributionSrc = 'B'), 300);
     </script>`,
  'an eligible img that gets another src later': `<img id="later" attributionsrc src="A"><script>setTimeout(() => (later.src = 'B'), 300)</script>`,
};

describe.each(browsersOfRun)('attributionsrc on elements (%s)', (name) => {
  const world = useWorld(name);

  /** Puts URLs in place of A and B. A registers the source with that id, B with the next. */
  const serve = (id = 1): ((html: string) => string) => {
    const { sites } = world;
    const shop = sites.origin('shop');
    const of = id === 1 ? '' : String(id);
    const urls = new Map([
      ['A', sites.serve('adtech', `/a${of}`, { headers: source(id, shop) })],
      ['B', sites.serve('adtech', `/b${of}`, { headers: source(id + 1, shop) })],
    ]);
    return (html) => html.replace(/\b[AB]\b/g, (letter) => urls.get(letter) ?? letter);
  };

  it(`registers what these request: ${Object.keys(bodies).join(', ')}`, async () => {
    const elements = Object.values(bodies);
    const withUrls = elements.map((body, index) => serve(10 * (index + 1))(body));
    await world.open('publisher', withUrls.join(''));
    const words = elements.flatMap((_body, index) =>
      [0, 1].map((second) => `event source ${10 * (index + 1) + second} on publisher by adtech`),
    );
    expect(await world.waitForRecorded(words.length)).toEqual(words);
    // What is sent twice comes a little later.
    await sleep(500);
    expect(await world.recorded()).toEqual(words);
  });

  it('requests the URLs of attributionsrc once each, with the header, without cookies or referrer', async () => {
    const { sites } = world;
    const withUrls = serve();
    sites.serve('adtech', '/cookies', {
      headers: { 'Set-Cookie': 'seen=yes', 'Content-Type': 'text/html' },
      body: 'hello',
    });
    await world.visit(`${sites.origin('adtech')}/cookies`);
    await world.open('publisher', withUrls('<img attributionsrc="A B">'));
    await world.waitForRecorded(2);
    for (const path of ['/a', '/b']) {
      const requests = sites.received('adtech', path);
      expect(requests).toHaveLength(1);
      // ARA, "set Attribution Reporting headers": the eligibility of an img is event-source-or-trigger.
      expect(requests[0]?.headers).toMatchObject({
        'attribution-reporting-eligible': 'event-source, trigger',
      });
      expect(requests[0]?.headers).not.toHaveProperty('cookie');
      expect(requests[0]?.headers).not.toHaveProperty('referer');
    }
  });

  it('lets a page find the API where others looked for it, and reflects the attribute in the property', async () => {
    const page = await world.open('publisher', '<img id="image" attributionsrc="/x y">');
    const found = await page.evaluate(() => [
      ...[HTMLAnchorElement, HTMLAreaElement, HTMLImageElement, HTMLScriptElement].map(
        ({ prototype }) => 'attributionSrc' in prototype,
      ),
      'setAttributionReporting' in XMLHttpRequest.prototype,
    ]);
    expect(found).toEqual([true, true, true, true, true]);
    const values = await page.evaluate(() => {
      const image = document.getElementById('image') as HTMLImageElement & { attributionSrc: string };
      const before = image.attributionSrc;
      image.attributionSrc = '/z';
      return [before, image.getAttribute('attributionsrc'), (new Image() as typeof image).attributionSrc];
    });
    expect(values).toEqual(['/x y', '/z', '']);
  });

  it('takes a source of each of two pages that show the same ad', async () => {
    const withUrls = serve();
    await world.open('publisher', withUrls('<img attributionsrc src="A">'));
    await world.waitForRecorded(1);
    await world.open('blog', withUrls('<img attributionsrc src="A">'));
    expect(await world.waitForRecorded(2)).toEqual([
      'event source 1 on blog by adtech',
      'event source 1 on publisher by adtech',
    ]);
    await waitFor('both sources', async () => (await world.extension.sources()).length === 2);
  });

  it('is named to pages that ask which features there are', async () => {
    const page = await world.open('publisher', '');
    const answers = await page.evaluate((feature) => {
      const { featurePolicy: policy } = document as Document & {
        readonly featurePolicy?: Record<string, (name?: string) => boolean | readonly string[]>;
      };
      const features = ['features', 'allowedFeatures'].map((list) => policy?.[list]?.() ?? []);
      return policy === undefined
        ? null
        : [
            policy['allowsFeature']?.(feature),
            policy['getAllowlistForFeature']?.(feature),
            ...features.map((list) => Array.isArray(list) && list.includes(feature)),
            policy['allowsFeature']?.('no-such-feature'),
          ];
    }, 'attribution-reporting');
    // Firefox has no such interface.
    expect(answers).toEqual(name === 'chrome' ? [true, ['*'], true, true, false] : null);
  });

  // Chrome tells which URL of several an image requests once it has a part of the picture.
  it('counts an img with several URLs once its picture begins, on a page that stays and on one that is left', async () => {
    const { sites } = world;
    const pictures = await UnfinishedPictures.start((path) =>
      source(Number(path.slice(1)), sites.origin('shop')),
    );
    const page = await world.browser.newPage();
    const begin = async (id: number): Promise<void> => {
      await waitFor('the request', () => pictures.paths.includes(`/${id}`));
      // Only reading it again tells the URL.
      await sleep(100);
      pictures.begin();
    };
    const show = async (id: number, html: (url: string) => string): Promise<void> => {
      const shown = sites.page('publisher', html(`${pictures.origin}/${id}`));
      await page.goto(shown, { waitUntil: 'domcontentloaded' });
      await begin(id);
    };
    const recorded = [1, 2, 3].map((id) => `event source ${id} on publisher by pictures`);
    await show(1, (url) => `<img id="ad" attributionsrc srcset="/none 99x, ${url} 1x">`);
    expect(await world.waitForRecorded(1)).toEqual(recorded.slice(0, 1));
    await page.$eval('#ad', (ad, url) => ad.setAttribute('srcset', url), `${pictures.origin}/2`);
    await begin(2);
    expect(await world.waitForRecorded(2)).toEqual(recorded.slice(0, 2));
    await show(
      3,
      (url) => `<div id="host"></div><script>
      host.attachShadow({ mode: 'open' }).innerHTML =
        '<picture><source srcset="${url}"><img attributionsrc src="/none"></picture>';
    </script>`,
    );
    const isTold = (): boolean =>
      document.getElementById('host')?.shadowRoot?.querySelector('img')?.currentSrc !== '';
    await page.waitForFunction(isTold);
    await page.goto(sites.page('shop', 'Welcome'));
    expect(await world.waitForRecorded(3)).toEqual(recorded);
  });

  it('counts one request of an img with several URLs, and none that another element makes after its picture came', async () => {
    const { sites } = world;
    const pictures = await UnfinishedPictures.start(() => source(1, sites.origin('shop')));
    const url = `${pictures.origin}/1`;
    const page = await world.browser.newPage();
    const shown = sites.page('publisher', `<img id="ad" attributionsrc srcset="${url} 1x">`);
    await page.goto(shown, { waitUntil: 'domcontentloaded' });
    await waitFor('the request', () => pictures.paths.length > 0);
    pictures.begin();
    const recorded = await world.waitForRecorded(1);
    pictures.finish();
    await page.waitForFunction(() => {
      const ad = document.getElementById('ad') as HTMLImageElement;
      // One that is broken is complete, too.
      return ad.complete && ad.naturalWidth > 0;
    });
    await page.evaluate((src) => {
      document.head.append(Object.assign(document.createElement('script'), { src }));
    }, url);
    await waitFor('its request', () => pictures.paths.length > 1);
    // Firefox tells of an answer only once a part of its body is there.
    pictures.begin();
    await world.waitForUndeclared(2);
    expect(await world.recorded()).toEqual(recorded);
  });

  it('gives up the requests of a tab that is closed, and no others', async () => {
    const held = await HoldingServer.start();
    const ask = (paths: readonly string[]): string =>
      `<img attributionsrc="${paths.map((path) => `${held.origin}/${path}`).join(' ')}">`;
    const requestsOf = (paths: readonly string[]): typeof held.requests =>
      held.requests.filter(({ path }) => paths.includes(path.slice(1)));
    // It asks first, so no time limit ends its request last.
    await world.open('blog', ask(['open']));
    await waitFor('the request of the open tab', () => requestsOf(['open']).length === 1);
    const paths = ['a', 'b', 'c'];
    const page = await world.open('publisher', ask(paths));
    await waitFor('the requests of the other tab', () => requestsOf(paths).length === paths.length);
    await page.close();
    await waitFor('the end of its requests', () => requestsOf(paths).every(({ wasGivenUp }) => wasGivenUp));
    expect(requestsOf(['open'])).toMatchObject([{ wasGivenUp: false }]);
  });
});
