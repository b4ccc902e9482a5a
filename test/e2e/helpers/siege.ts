import type { Page } from 'puppeteer-core';
import { waitFor } from '../../../scenarios/kit';
import { source, trigger } from './registrations';
import type { Visited } from './visited';

/** The most URLs that one message of a page may ask for. */
const URLS = 20;

/** In ms between two waves. */
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

interface Siege {
  /** A server that never answers. */
  readonly hanging: string;
  /** One that others use as well. */
  readonly adServer: string;
  /** How many requests of each kind make a wave; those for `attributionsrc` have 20 URLs each. */
  readonly messages: number;
  /** How often, if not as long as the page is open. */
  readonly waves?: number;
}

/** The URLs of one `attributionsrc`, which answer with all that costs time or space, or do not answer. */
function costlyUrls({ sites }: Visited, site: string, { hanging, adServer }: Siege): readonly string[] {
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
 * Opens a page that attacks in waves: with requests for `attributionsrc`, with images that frames declare eligible, with calls of `fetch`,
 * and with forged announcements of windows. What is registered is large, malformed or slow to answer.
 */
export async function besiege(visited: Visited, site: string, siege: Siege): Promise<Page> {
  const { sites } = visited;
  const urls = costlyUrls(visited, site, siege);
  const { messages, waves = null } = siege;
  // A script of the page, because on a loaded machine puppeteer sometimes finds no context to run one in a frame.
  const attack = (isPage: boolean): string => {
    const options: Flood = { urls, messages, waves, isPage, pause: PAUSE };
    return `<script>addEventListener('load', () => setTimeout(${flood.toString()}, 0, ${JSON.stringify(options)}))</script>`;
  };
  const frame = sites.page(`${site}-frame`, attack(false));
  const frames = Array.from({ length: 5 }, () => `<iframe src="${frame}"></iframe>`);
  const page = await visited.open(site, frames.join('') + attack(true));
  await waitFor('the attack', () => sites.received(`${site}-tech`).length > 0);
  return page;
}

interface Flood {
  readonly urls: readonly string[];
  readonly messages: number;
  readonly waves: number | null;
  readonly isPage: boolean;
  readonly pause: number;
}

/** Runs in a document of the page. */
function flood({ urls, messages, waves, isPage, pause }: Flood): void {
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
  let sent = 0;
  const wave = (): void => {
    for (const image of document.querySelectorAll('img')) image.remove();
    for (let index = 0; index < messages; index++) ask(index);
    if (++sent === waves) clearInterval(timer);
  };
  const timer = setInterval(wave, pause);
  wave();
}
