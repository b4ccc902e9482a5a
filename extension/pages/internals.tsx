import { render } from 'preact';
import { liveReader } from './data/live-reader';
import { inspectedSite } from './state/inspected-site';
import { namePage } from './state/page';
import { App } from './views/app';

/** In a tab, shows everything. In the developer tools, or with `?site=`, shows one site only. */
async function start(): Promise<void> {
  const reader = await liveReader();
  const draw = (site: string | null): void => {
    document.documentElement.classList.toggle('panel', site !== null);
    render(<App key={site} reader={reader} site={site} />, document.body);
  };
  const given = new URLSearchParams(location.search);
  if (given.has('panel')) inspectedSite(draw);
  else draw(given.get('site'));
}

namePage('page_internals');
void start();
