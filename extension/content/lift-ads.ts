/**
 * Runs in the extension's own world, where a setting has a lift test: shows each ad of a campaign, or the one in its place. The page learns
 * neither the arm nor which one is seen. Both are loaded and made bitmaps in the same order outside the document. One is drawn on a canvas in a closed
 * shadow tree.
 */
import { forEachMatch, MANY_RECORDS } from './for-each-match';
import { send } from './send';
import { whenShown } from './when-shown';

const AD = '[data-lift-campaign]';

/** In pixels. */
const MOST_PIXELS = 4096;

interface Ad {
  readonly reportingOrigin: string;
  readonly campaign: string;
  readonly destination: string;
  /** The URLs of the images. */
  readonly exposed: string;
  readonly holdout: string;
  /** In CSS pixels. */
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
    if (records.length > MANY_RECORDS) look(document.documentElement);
    else for (const { addedNodes } of records) addedNodes.forEach(look);
  }).observe(document, { childList: true, subtree: true });
}

async function show(host: HTMLElement): Promise<void> {
  const ad = adOf(host);
  if (ad === null) return;
  const { reportingOrigin, destination, campaign } = ad;
  const arm = await send({ kind: 'lift-ad', reportingOrigin, destination, campaign });
  if (arm !== 'exposed' && arm !== 'holdout') return;
  const images = { exposed: imageOf(ad.exposed), holdout: imageOf(ad.holdout) };
  const opened: ImageBitmap[] = [];
  try {
    await Promise.all([images.exposed.decode(), images.holdout.decode()]);
    // Its size in pixels is that of both bitmaps, also if the page is zoomed meanwhile: those of one size take the same time to draw. What is
    // only covered may never be drawn, which takes less.
    const canvas = canvasFor(ad);
    const open = async (image: HTMLImageElement): Promise<ImageBitmap> => {
      const bitmap = await bitmapOf(image, canvas);
      opened.push(bitmap);
      return bitmap;
    };
    const bitmaps = { exposed: await open(images.exposed), holdout: await open(images.holdout) };
    canvas.getContext('2d')?.drawImage(bitmaps[arm], 0, 0);
    place(canvas, host);
  } catch {
    // One is missing. To show the other would tell the arm, and one arm would lose its ads.
  } finally {
    for (const bitmap of opened) bitmap.close();
  }
}

function place(canvas: HTMLCanvasElement, host: HTMLElement): void {
  // Not in a tree of the page's element: pages can get that of one of theirs, also if it is closed.
  const box = document.createElement('div');
  box.style.cssText = 'display: inline-block; pointer-events: none';
  box.attachShadow({ mode: 'closed' }).append(canvas);
  host.replaceChildren(box);
}

/** Null if the element lacks something. The background refuses origins that are none. */
function adOf({ dataset }: HTMLElement): Ad | null {
  const {
    liftReportingOrigin: reportingOrigin = '',
    liftCampaign: campaign = '',
    liftDestination: destination = '',
    liftSize: size = '',
  } = dataset;
  const [exposed, holdout] = [dataset['liftExposed'], dataset['liftHoldout']].map(imageUrl);
  const [width = 0, height = 0] = /^(\d{1,4})x(\d{1,4})$/.exec(size)?.slice(1).map(Number) ?? [];
  const isSized = width > 0 && width <= MOST_PIXELS && height > 0 && height <= MOST_PIXELS;
  return typeof exposed === 'string' && typeof holdout === 'string' && isSized
    ? { reportingOrigin, campaign, destination, exposed, holdout, width, height }
    : null;
}

function imageUrl(text: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text, document.baseURI)) return null;
  const { protocol, href } = new URL(text, document.baseURI);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

function imageOf(url: string): HTMLImageElement {
  const image = document.createElement('img');
  image.src = url;
  return image;
}

function canvasFor({ width, height }: Ad): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const scale = Math.min(devicePixelRatio, MOST_PIXELS / Math.max(width, height));
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  // A person who drags what they selected gives the page the HTML of it, canvas and all.
  canvas.style.cssText = `display: block; width: ${width}px; height: ${height}px; user-select: none`;
  return canvas;
}

/** As large as the canvas: the image whole, in the middle, on white. */
function bitmapOf(image: HTMLImageElement, { width, height }: HTMLCanvasElement): Promise<ImageBitmap> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('there is no canvas');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  // Drawings may have no size of their own.
  const [own, high] = [image.naturalWidth || width, image.naturalHeight || height];
  const scale = Math.min(width / own, height / high);
  const [wide, tall] = [own * scale, high * scale];
  context.drawImage(image, (width - wide) / 2, (height - tall) / 2, wide, tall);
  return createImageBitmap(canvas);
}

if (isSecureContext) whenShown(watch);
