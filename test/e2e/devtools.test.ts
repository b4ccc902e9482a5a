import type { Target } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { trigger } from './helpers/registrations';
import { useWorld } from './helpers/world';

// In Firefox no script can drive the developer tools.
describe('the panel in the developer tools (chrome)', () => {
  const world = useWorld('chrome', { puppeteer: { args: ['--auto-open-devtools-for-tabs'] } });

  const evaluate = async (target: Target, expression: string): Promise<unknown> => {
    const session = await target.createCDPSession();
    try {
      return (await session.send('Runtime.evaluate', { expression, awaitPromise: true })).result.value;
    } finally {
      await session.detach();
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

  /** Whether a panel shows what concerns a site alone: its own source, and not the other's. */
  const about =
    (name: string) =>
    (text: string): boolean =>
      text.includes(`Only ${name}.localhost`) && text.includes(', kept') === (name === 'blog');

  it('opens on the requests of the inspected site', async () => {
    const page = await world.open('blog', '<p>a page</p>');
    await waitFor('the panel of the site', async () =>
      (await openPanels()).some((text) => text.includes('Only blog.localhost')),
    );
    const plain = world.sites.serve('blog', '/seen', { headers: trigger(1) });
    await waitFor('the request', async () => {
      await page.goto(world.sites.page('blog', `<img src="${plain}">`));
      const texts = await Promise.all(
        targets(isPanel).map((panel) => evaluate(panel, `document.querySelector('.hops')?.innerText ?? ''`)),
      );
      return texts.some((text) => /\/seen[^]*no matching source/.test(String(text)));
    });
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
