import type { Page } from 'puppeteer-core';
import { waitFor } from '../../../scenarios/kit';
import type { World } from './world';

/** The developer tools' own way to a panel, as its tab may be hidden in a menu. */
export const SHOW_PANEL = `import('devtools://devtools/bundled/ui/legacy/legacy.js').then(({ InspectorView }) => {
  const view = InspectorView.InspectorView.instance();
  const panel = view.tabbedPane.tabs.find(({ id }) => id.endsWith('Cointoss'));
  return panel === undefined ? false : view.showPanel(panel.id).then(() => true);
})`;

/** The panel in the developer tools of a page. */
export async function openPanel({ browser }: World, inspected: Page): Promise<Page> {
  const tools = await inspected.openDevTools();
  await waitFor('the panel', () => tools.evaluate(SHOW_PANEL));
  const panel = await browser.waitForTarget((target) => target.url().includes('/internals.html?panel'));
  return panel.asPage();
}
