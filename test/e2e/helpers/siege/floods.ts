import { framesOf, inWaves, URLS, type Attack } from './attack';
import { costlyUrls, hangingUrls, lateUrls, longUrls, redirectingUrls, scopedUrls } from './costly-urls';

interface Flood {
  readonly urls: readonly string[];
  readonly messages: number;
  readonly isPage: boolean;
}

/** Runs in a document of the page. */
function flood({ urls, messages, isPage }: Flood): void {
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
  for (const image of document.querySelectorAll('img')) image.remove();
  for (let index = 0; index < messages; index++) ask(index);
}

/**
 * Requests for `attributionsrc`, images that frames declare eligible, calls of `fetch`, and forged announcements of windows. What is
 * registered is large, malformed or slow to answer.
 */
export const mixedFlood: Attack = (visited, site, siege) => {
  const urls = costlyUrls(visited, site, siege);
  const { messages } = siege;
  const of = (isPage: boolean): string => inWaves(flood, { urls, messages, isPage }, siege);
  const frame = visited.sites.page(`${site}-frame`, of(false));
  return framesOf(Array<string>(5).fill(frame)) + of(true);
};

/** Runs in a document: asks for some of the URLs, others in each wave. */
function askNext({ urls, atOnce }: { readonly urls: readonly string[]; readonly atOnce: number }): void {
  const { waves = 0 } = document.body.dataset as { readonly waves?: string };
  document.body.dataset['waves'] = String(Number(waves) + 1);
  const first = (Number(waves) * atOnce) % urls.length;
  const image = document.body.appendChild(new Image());
  image.setAttribute('attributionsrc', [...urls, ...urls].slice(first, first + atOnce).join(' '));
  image.remove();
}

/** Runs in a document. */
function declareLong(urls: readonly string[]): void {
  for (const url of urls) {
    const image = document.body.appendChild(new Image());
    image.setAttribute('attributionsrc', url);
    image.src = url;
    image.remove();
  }
}

/**
 * A frame that asks in `attributionsrc`, twenty in each wave, for scopes that remove sources or match none, chains of redirects, redirects into
 * private networks, fifty origins that never answer and answers that come late; and declares URLs of 48,000 characters with stars.
 */
export const oddUrls: Attack = (visited, site, siege) => {
  const urls = [
    ...scopedUrls(visited, site),
    ...redirectingUrls(visited, site),
    ...hangingUrls(siege, site),
    ...lateUrls(siege, site),
  ];
  const asking = inWaves(askNext, { urls, atOnce: URLS }, siege);
  const declaring = inWaves(declareLong, longUrls(visited, site), siege);
  return framesOf([visited.sites.page(`${site}-odd`, asking + declaring)]);
};

const FRAMES = 20;
/** More would be a siege of the browser: each has a process of its own. */
const SITES = 4;

/** Twenty frames that all ask for `attributionsrc`. */
export const manyFrames: Attack = (visited, site, siege) => {
  const script = inWaves(askNext, { urls: costlyUrls(visited, site, siege), atOnce: URLS }, siege);
  const pages = Array.from({ length: FRAMES }, (_, index) =>
    visited.sites.page(`${site}-many-${index % SITES}`, script),
  );
  return framesOf(pages);
};
