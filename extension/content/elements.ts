import { elementEvent, elementOf } from './announcement';
import { sendAttributionSrc, sendEligibleRequest } from './eligible';
import { FormerValues } from './former-values';
import { forEachMatch, MANY_RECORDS } from './for-each-match';
import { frameSelector, isFrame, noteFormerUrl, noteFrame } from './frames';
import { listen } from './listen';
import { candidateUrls, sourceSets } from './srcset';
import { attributionSrcUrls, resolveHttpUrl, resolveHttpUrls } from './urls';
import { MOST_CANDIDATES } from '../content-messages';

const selector = `img[attributionsrc],script[attributionsrc],${frameSelector}`;

/** The attributes that make an element eligible or change what it requests or shows. */
const attributeFilter = ['attributionsrc', 'src', 'srcset', 'srcdoc', 'data'];

/**
 * In ms: how long the URL that an image with several requests may stay unknown. Chrome tells it once the picture's first bytes have come, which
 * may be later than the response waits for its declaration.
 */
const TOLD_WITHIN = 3000;

/** What was last sent for an element, to send nothing twice. */
interface Sent {
  attributionSrc?: string;
  url?: string;
  /** Those of which it requested one, until it tells which. */
  candidates?: ReadonlySet<string>;
}

const sentOf = new WeakMap<Element, Sent>();
/** The images whose URL the browser does not tell yet. */
const awaited = new Set<HTMLImageElement>();
const formerValues = new FormerValues();

/**
 * Finds the `img` and `script` elements with `attributionsrc`, now and later, and sends what they make eligible (ARA, "API for elements"). It
 * also finds the frames, whose `allow` attribute may forbid that.
 */
export function watchElements(): void {
  watchElementsIn(document);
  listen(window, 'pagehide', () => awaited.forEach(sendCandidates), { capture: true });
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
      if (element.hasAttribute('attributionsrc')) sendRequest(element, sent);
    };
    element.addEventListener('load', onResponse);
    element.addEventListener('error', onResponse);
  }
  return sent;
}

function sendRequest(element: Element, sent: Sent): void {
  const url = requestedUrl(element);
  sendUrl(sent, url);
  if (!(element instanceof HTMLImageElement)) return;
  if (url !== '') awaited.delete(element);
  // A lazy image may not have requested any.
  else if (hasCandidates(element) && element.loading !== 'lazy' && !awaited.has(element)) {
    awaited.add(element);
    setTimeout(() => {
      if (awaited.has(element)) sendCandidates(element);
    }, TOLD_WITHIN);
  }
}

/** Sends the URL that an awaited image requests or, if the browser does not tell, all of which it may be one. */
function sendCandidates(image: HTMLImageElement): void {
  awaited.delete(image);
  if (!image.hasAttribute('attributionsrc')) return;
  const sent = followed(image);
  const url = requestedUrl(image);
  if (url !== '') {
    sendUrl(sent, url);
    return;
  }
  // `src` is resolved already, and may be in `srcset`, too.
  const urls = [...new Set(resolveHttpUrls(candidateUrls(image, sourceSets(image)), MOST_CANDIDATES))];
  const { candidates: before } = sent;
  sent.candidates = new Set(urls);
  sendEligibleRequest(
    urls.filter((each) => before?.has(each) !== true),
    true,
  );
}

function sendUrl(sent: Sent, url: string): void {
  if (url === sent.url) return;
  sent.url = url;
  const resolved = resolveHttpUrl(url);
  if (resolved === null) return;
  // What is declared again after its response would count for a later request.
  if (sent.candidates?.has(resolved) !== true) sendEligibleRequest([resolved]);
  delete sent.candidates;
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
