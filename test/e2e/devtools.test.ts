import type { Page, Target } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { trigger } from './helpers/registrations';
import { itInSoak, useWorld } from './helpers/world';

/** In ms. To look into each of the developer tools takes a tenth of a second of processor time. */
const SPARING = { interval: 500 };

// In Firefox no script can drive the developer tools.
describe('the panel in the developer tools (chrome)', () => {
  const world = useWorld('chrome', { puppeteer: { args: ['--auto-open-devtools-for-tabs'] } });

  /** @returns `null` where the target navigates or closes meanwhile: a panel loads anew with its tab. */
  const evaluate = async (target: Target, expression: string): Promise<unknown> => {
    const session = await target.createCDPSession().catch(() => null);
    if (session === null) return null;
    try {
      return (
        (await session.send('Runtime.evaluate', { expression, awaitPromise: true })).result.value ?? null
      );
    } catch {
      return null;
    } finally {
      await session.detach().catch(() => undefined);
    }
  };

  const targets = (matches: (url: string) => boolean): readonly Target[] =>
    world.browser.targets().filter((target) => matches(target.url()));

  /** The developer tools' own way to a panel, as its tab may be hidden in a menu. */
  const showPanel = `import('devtools://devtools/bundled/ui/legacy/legacy.js').then(({ InspectorView }) => {
    const view = InspectorView.InspectorView.instance();
    const panel = view.tabbedPane.tabs.find(({ id }) => id.endsWith('Cointoss'));
    return panel === undefined ? false : view.showPanel(panel.id).then(() => true);
  })`;

  const isPanel = (url: string): boolean => url.includes('/internals.html?panel');

  /** What the panels show, after `expression` ran in them. */
  const openPanels = async (expression = ''): Promise<readonly string[]> => {
    for (const tools of targets((url) => url.startsWith('devtools://'))) await evaluate(tools, showPanel);
    const texts = await Promise.all(
      targets(isPanel).map((panel) => evaluate(panel, `${expression}; document.body.innerText`)),
    );
    return texts.map(String);
  };

  /** What an expression is in the panel of this page's developer tools. */
  const evaluatePanel = async (page: Page, expression: string): Promise<unknown> => {
    const found = await Promise.all(
      targets(isPanel).map((panel) =>
        evaluate(
          panel,
          `new Promise((answer) => chrome.devtools.inspectedWindow.eval('location.href', answer)).then((url) => url === ${JSON.stringify(page.url())} ? ${expression} : null)`,
        ),
      ),
    );
    return found.find((one) => one !== null) ?? null;
  };

  /** Whether a panel shows what concerns a site alone: its own source, and not the other's. */
  const about =
    (name: string) =>
    (text: string): boolean =>
      text.includes(`Only ${name}.localhost`) && text.includes(', kept') === (name === 'blog');

  /** A page in a new tab, whose panel no other test has led elsewhere. */
  const openNew = async (body: string): Promise<Page> => {
    const page = await world.browser.newPage();
    await page.goto(world.sites.page('blog', body));
    return page;
  };

  itInSoak('opens on the requests of its tab, whichever site they are on', async () => {
    const { sites } = world;
    // Each tab has a panel of its own, which may open late.
    const page = await openNew('<p>a page</p>');
    await waitFor(
      'the panel',
      async () => {
        await openPanels();
        return (await evaluatePanel(page, `document.body.innerText.includes('Only this tab')`)) === true;
      },
      SPARING,
    );
    const seen = sites.serve('blog', '/seen', { headers: trigger(1) });
    const paths = (inspected = page): Promise<unknown> =>
      evaluatePanel(
        inspected,
        `[...document.querySelectorAll('.hops li')].map(({ dataset }) => new URL(dataset.url).pathname).join()`,
      );
    await waitFor('the request', async () => {
      await page.goto(sites.page('blog', `<img src="${seen}">`));
      return String(await paths()).includes('/seen');
    });
    // Another tab of the same site, and then another site in this tab.
    const other = sites.serve('blog', '/other', { headers: trigger(1) });
    const neighbour = await openNew(`<img src="${other}">`);
    await world.recorded();
    const bought = sites.serve('adtech', '/bought', { headers: trigger(1) });
    await page.goto(sites.page('shop', `<img src="${bought}">`));
    await waitFor('the request on the other site', async () => String(await paths()).includes('/bought'));
    const found = String(await paths());
    expect(found).toContain('/seen');
    expect(found).not.toContain('/other');

    // A panel that is opened after that shows what the background has kept.
    await evaluatePanel(page, `document.querySelector('#clear').click()`);
    const count = (): Promise<unknown> => evaluatePanel(page, `document.querySelector('#count').textContent`);
    expect(await count()).toBe('0 of 0 shown');
    await evaluatePanel(page, 'location.reload()');
    await waitFor('the panel of the other tab', async () => {
      await openPanels();
      return String(await paths(neighbour)).includes('/other');
    });
    expect(await count()).toBe('0 of 0 shown');
  });

  it('shows what concerns the inspected site, and follows it', async () => {
    for (const contextOrigin of ['https://news.example', world.sites.origin('blog')])
      await world.extension.register(
        'navigation',
        { destination: 'https://shop.example' },
        { contextOrigin, reportingOrigin: 'https://adtech.example' },
      );
    const page = await world.open('blog', '<p>a page</p>');
    const toOverview = `location.hash = '#/overview'`;
    await waitFor('the panel of the site', async () => (await openPanels(toOverview)).some(about('blog')));
    await page.goto(world.sites.page('shop', '<p>another</p>'));
    await waitFor('the panel to follow', async () => (await openPanels()).some(about('shop')));
  });
});
