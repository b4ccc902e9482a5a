/**
 * Runs in the extension's own world, where a setting has a lift test: shows each ad of a campaign, or the one in its place. The page learns
 * neither the arm nor which one is seen. Both are loaded and painted in the same order, in a closed shadow tree; then one is raised.
 */
import { forEachMatch } from './for-each-match';
import { send } from './send';
import { whenShown } from './when-shown';

const AD = '[data-lift-campaign]';

/** In CSS pixels. */
const MOST_PIXELS = 4096;

interface Ad {
  readonly campaign: string;
  readonly destination: string;
  /** The URLs of the images. */
  readonly exposed: string;
  readonly holdout: string;
  readonly width: number;
  readonly height: number;
}

const seen = new WeakSet<Element>();

function watch(): void {
  const look = (node: Node): void =>
    forEachMatch(node, AD, (element) => {
      if (!(element instanceof HTMLElement) || seen.has(element)) return;
      seen.add(element);
      void show(element);
    });
  look(document.documentElement);
  new MutationObserver((records) => {
    for (const { addedNodes } of records) addedNodes.forEach(look);
  }).observe(document, { childList: true, subtree: true });
}

async function show(host: HTMLElement): Promise<void> {
  const ad = adOf(host);
  if (ad === null) return;
  const { campaign, destination, exposed: url } = ad;
  const arm = await send({ kind: 'lift-ad', url, destination, campaign });
  const tree = arm === 'exposed' || arm === 'holdout' ? treeOf(host) : null;
  if (tree === null) return;
  const box = document.createElement('div');
  box.style.cssText = `position: relative; display: inline-block; overflow: hidden; pointer-events: none; width: ${ad.width}px; height: ${ad.height}px`;
  const images = { exposed: imageIn(box, ad.exposed, 1), holdout: imageIn(box, ad.holdout, 2) };
  layerIn(box, document.createElement('div'), 3);
  try {
    await Promise.all([images.exposed.decode(), images.holdout.decode()]);
  } catch {
    // One is missing. To show the other would tell the arm, and one arm would lose its ads.
    return;
  }
  // Both are painted first, in one order, below a cover: browsers tell pages of the first paint of an image.
  tree.append(box);
  await painted();
  await painted();
  images[arm === 'exposed' ? 'exposed' : 'holdout'].style.zIndex = '4';
}

/** Null if the element lacks something. */
function adOf({ dataset }: HTMLElement): Ad | null {
  const { liftCampaign: campaign = '', liftDestination: destination = '', liftSize: size = '' } = dataset;
  const [exposed, holdout] = [dataset['liftExposed'], dataset['liftHoldout']].map(imageUrl);
  const [width = 0, height = 0] = /^(\d{1,4})x(\d{1,4})$/.exec(size)?.slice(1).map(Number) ?? [];
  const isSized = width > 0 && width <= MOST_PIXELS && height > 0 && height <= MOST_PIXELS;
  return typeof exposed === 'string' && typeof holdout === 'string' && isSized
    ? { campaign, destination, exposed, holdout, width, height }
    : null;
}

function imageUrl(text: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text, document.baseURI)) return null;
  const { protocol, href } = new URL(text, document.baseURI);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/** Null if the page attached one, or the element can have none. */
function treeOf(host: HTMLElement): ShadowRoot | null {
  try {
    return host.attachShadow({ mode: 'closed' });
  } catch {
    return null;
  }
}

function imageIn(box: HTMLElement, url: string, layer: number): HTMLImageElement {
  const image = document.createElement('img');
  image.src = url;
  return layerIn(box, image, layer);
}

function layerIn<T extends HTMLElement>(box: HTMLElement, element: T, layer: number): T {
  element.style.cssText = `position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; background: white; z-index: ${layer}`;
  box.append(element);
  return element;
}

const painted = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));

if (isSecureContext) whenShown(watch);
