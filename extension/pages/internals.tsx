import { render } from 'preact';
import browser from 'webextension-polyfill';
import { liveReader } from './data/live-reader';
import { inspectedSite } from './state/inspected-site';
import { namePage } from './state/page';
import { App } from './views/app';

/** In a tab, shows everything. In the developer tools, or with `?site=`, shows one site only, and of requests the inspected tab's. */
async function start(): Promise<void> {
  const reader = await liveReader();
  const draw = (site: string | null, tab: number | null): void => {
    document.documentElement.classList.toggle('panel', site !== null);
    render(<App reader={reader} site={site} tab={tab} />, document.body);
  };
  const given = new URLSearchParams(location.search);
  if (given.has('panel')) inspectedSite((site) => draw(site, browser.devtools.inspectedWindow.tabId));
  else draw(given.get('site'), null);
}

namePage('page_internals');
void start();
