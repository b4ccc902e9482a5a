import type { Page } from 'puppeteer';
import { source, trigger } from './registrations';
import type { World } from './world';

/** The most URLs that one message of a page may ask for. */
const URLS = 20;

/** In ms between two floods. */
const PAUSE = 2000;

/** Filter data about as large as a source may have. */
const large = {
  filter_data: Object.fromEntries(
    Array.from({ length: 50 }, (_, key) => [
      `key-${key}`,
      Array.from({ length: 20 }, (_, value) => `value-${value}`.padEnd(25, 'x')),
    ]),
  ),
};

/** Nearly as long as is read: repeated keys within nested long ones. */
const huge = {
  'Attribution-Reporting-Register-Trigger': `${`{"${'k'.repeat(100)}":`.repeat(40)}{${'"a":0,'.repeat(15_000)}"a":0}${'}'.repeat(40)}`,
};

/** What a siege aims at: a server that never answers, and an ad server that others use as well. */
interface Targets {
  readonly hanging: string;
  readonly adServer: string;
}

/** The URLs of one `attributionsrc`, which answer with all that costs time or space, or do not answer. */
function costlyUrls({ sites }: World, site: string, { hanging, adServer }: Targets): readonly string[] {
  const server = `${site}-tech`;
  const own = sites.origin(site);
  return Array.from({ length: URLS }, (_, id) => {
    const path = `/${id}`;
    if (id % 4 === 0) return sites.serve(server, path, { headers: source(id, own, large) });
    if (id % 10 === 1) return sites.serve(server, path, { headers: huge });
    if (id % 10 === 2) return sites.serve(server, path, { headers: trigger(id % 2) });
    if (id % 10 === 3) return `${hanging}/${site}-${id}`;
    if (id % 10 === 5) return sites.redirect(server, sites.origin(server) + path, { path });
    return sites.serve(adServer, `/${site}-${id}`, { headers: source(id, own) });
  });
}

/**
 * Opens a page that attacks again and again, as long as it is open: with requests for `attributionsrc`, with images that frames declare
 * eligible, with calls of `fetch`, and with forged announcements of windows. What is registered is large, malformed or slow to answer.
 * @param messages how many requests of each kind each time; those for `attributionsrc` have 20 URLs each
 */
export async function besiege(world: World, site: string, messages: number, targets: Targets): Promise<Page> {
  const { sites } = world;
  const urls = costlyUrls(world, site, targets);
  const frame = sites.page(`${site}-frame`, '');
  const frames = Array.from({ length: 5 }, () => `<iframe src="${frame}"></iframe>`);
  const page = await world.open(site, frames.join(''));
  for (const each of page.frames())
    await each.evaluate(flood, urls, messages, each === page.mainFrame(), PAUSE);
  return page;
}

/** Runs in a document of the page. */
function flood(urls: readonly string[], count: number, isPage: boolean, pause: number): void {
  const urlOf = (index: number): string => `${urls[index % urls.length] ?? ''}?${performance.now()}`;
  const ask = (index: number): void => {
    const image = document.body.appendChild(new Image());
    image.setAttribute('attributionsrc', isPage ? urls.join(' ') : '');
    if (!isPage) image.src = urlOf(index);
    const attributionReporting = { eventSourceEligible: true, triggerEligible: false };
    if (isPage) void fetch(urlOf(index), { attributionReporting } as RequestInit).catch(() => undefined);
    const detail = JSON.stringify({ kind: 'open', url: location.href, sources: urls });
    document.dispatchEvent(new CustomEvent('cointoss:announce', { detail }));
  };
  const wave = (): void => {
    for (const image of document.querySelectorAll('img')) image.remove();
    for (let index = 0; index < count; index++) ask(index);
  };
  wave();
  setInterval(wave, pause);
}
