import { elementEvent, elementOf } from './announcement';
import { sendAttributionSrc, sendEligibleRequest } from './eligible';
import { FormerValues } from './former-values';
import { forEachMatch, MANY_RECORDS } from './for-each-match';
import { frameSelector, isFrame, noteFormerUrl, noteFrame } from './frames';
import { listen } from './listen';
import { attributionSrcUrls, resolveHttpUrl } from './urls';

const selector = `img[attributionsrc],script[attributionsrc],${frameSelector}`;

/** The attributes that make an element eligible or change what it requests or shows. */
const attributeFilter = ['attributionsrc', 'src', 'srcset', 'srcdoc', 'data'];

/**
 * In ms: Chrome tells which of several URLs an image requests only once the picture's first bytes are there, and the picture may end later than
 * the response waits for its element.
 */
const READ_EVERY = 3000;
const MOST_READS = 10;

/** What was last sent for an element, to send nothing twice. */
interface Sent {
  attributionSrc?: string;
  url?: string;
}

const sentOf = new WeakMap<Element, Sent>();
/** The images whose URL the browser may not tell yet, with the timer of the next read. */
const awaited = new Map<HTMLImageElement, ReturnType<typeof setTimeout>>();
const formerValues = new FormerValues();

/**
 * Finds the `img` and `script` elements with `attributionsrc`, now and later, and sends what they make eligible (ARA, "API for elements"). It
 * also finds the frames, whose `allow` attribute may forbid that.
 */
export function watchElements(): void {
  watchElementsIn(document);
  const readAll = (): void => [...awaited.keys()].forEach((image) => readAgain(image, MOST_READS));
  listen(window, 'pagehide', readAll, { capture: true });
  let outsiders: MutationObserver | undefined;
  listen(
    document,
    elementEvent,
    (event) => {
      const element = elementOf(event);
      if (element === null || !canAsk(element)) return;
      // Such an element loads its `src` although the document's observer does not see it. The page may set `src` later.
      outsiders ??= new MutationObserver((records) => {
        examineFormer(records);
        for (const { target } of records) examineIfEligible(target as Element);
      });
      outsiders.observe(element, { attributeFilter, attributeOldValue: true });
      // In a microtask, because most pages set `src` right after this.
      queueMicrotask(() => {
        examineIfEligible(element);
      });
    },
    { capture: true },
  );
}

/** Watches the document or one shadow tree, without the shadow trees in it. */
export function watchElementsIn(tree: Document | ShadowRoot): void {
  const examineAll = (): void => {
    tree.querySelectorAll(selector).forEach(examine);
  };
  new MutationObserver((records) => {
    records.forEach(noteFormerUrl);
    examineFormer(records);
    if (records.length > MANY_RECORDS) examineAll();
    else records.forEach(examineMutation);
  }).observe(tree, { childList: true, subtree: true, attributeFilter, attributeOldValue: true });
  examineAll();
}

/** Sends what elements asked for between two changes in one task: the elements show only the last. */
function examineFormer(records: readonly MutationRecord[]): void {
  // What these requested before was not eligible.
  const late = new Set<Node>();
  const isNew = formerValues.fromObserver();
  for (const { type, target, attributeName, oldValue } of records) {
    if (type !== 'attributes' || attributeName === null) continue;
    if (oldValue !== null && !isNew(target, `${attributeName} ${oldValue}`)) continue;
    if (attributeName === 'attributionsrc') {
      if (oldValue === null) late.add(target);
      else if (canAsk(target)) sendAttribute(followed(target), oldValue);
    } else if (attributeName === 'src' && oldValue !== null && target instanceof HTMLScriptElement) {
      // An image whose `src` changes twice in one task requests only the last.
      const url =
        target.hasAttribute('attributionsrc') && !late.has(target) ? resolveHttpUrl(oldValue) : null;
      if (url !== null) sendUrl(followed(target), url);
    }
  }
}

const canAsk = (target: Node): target is HTMLImageElement | HTMLScriptElement =>
  target instanceof HTMLImageElement || target instanceof HTMLScriptElement;

function examineMutation({ type, target, addedNodes }: MutationRecord): void {
  if (type === 'attributes') examineIfEligible(target as Element);
  else for (const node of addedNodes) forEachMatch(node, selector, examine);
}

function examineIfEligible(element: Element): void {
  if (element.matches(selector)) examine(element);
}

function examine(element: Element): void {
  if (isFrame(element)) {
    noteFrame(element);
    return;
  }
  const sent = followed(element);
  sendRequest(element, sent);
  sendAttribute(sent, element.getAttribute('attributionsrc') ?? '');
}

function sendAttribute(sent: Sent, attributionSrc: string): void {
  if (attributionSrc === sent.attributionSrc) return;
  sent.attributionSrc = attributionSrc;
  sendAttributionSrc(attributionSrcUrls(attributionSrc));
}

const followed = (element: Element): Sent => sentOf.get(element) ?? startFollowing(element);

function startFollowing(element: Element): Sent {
  const sent: Sent = {};
  sentOf.set(element, sent);
  if (element instanceof HTMLImageElement) {
    const onResponse = (): void => {
      // A lazy image was announced when it was found, but the browser may request it much later.
      if (element.loading === 'lazy') delete sent.url;
      readAgain(element);
    };
    element.addEventListener('load', onResponse);
    element.addEventListener('error', onResponse);
  }
  return sent;
}

function sendRequest(element: Element, sent: Sent): void {
  sendUrl(sent, requestedUrl(element));
  if (element instanceof HTMLImageElement) readLater(element, MOST_READS);
}

/** Sends what an image has requested, if that was not known before. */
function readAgain(image: HTMLImageElement, readsLeft = 0): void {
  if (image.hasAttribute('attributionsrc')) sendUrl(followed(image), requestedUrl(image), true);
  readLater(image, readsLeft);
}

function readLater(image: HTMLImageElement, readsLeft: number): void {
  clearTimeout(awaited.get(image));
  awaited.delete(image);
  // A lazy image may not have requested any.
  if (readsLeft === 0 || image.complete || !hasCandidates(image) || image.loading === 'lazy') return;
  awaited.set(
    image,
    setTimeout(() => readAgain(image, readsLeft - 1), READ_EVERY),
  );
}

/** @param isMade whether the request has been made */
function sendUrl(sent: Sent, url: string, isMade = false): void {
  if (url === sent.url) return;
  sent.url = url;
  sendEligibleRequest(url, isMade);
}

/** The URL that the element requests; empty if there is none, or if it is unknown until the element is loaded. */
function requestedUrl(element: Element): string {
  if (element instanceof HTMLScriptElement) return element.src;
  if (!(element instanceof HTMLImageElement)) return '';
  return hasCandidates(element) ? element.currentSrc : element.src;
}

/** Whether the browser chooses what an image requests. */
const hasCandidates = ({ srcset, parentElement }: HTMLImageElement): boolean =>
  srcset !== '' || parentElement instanceof HTMLPictureElement;
