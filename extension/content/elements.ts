import { elementEvent } from './announcement';
import { sendAttributionSrc, sendEligibleRequest } from './eligible';
import { forEachMatch } from './for-each-match';
import { listen } from './listen';
import { attributionSrcUrls } from './urls';

const selector = 'img[attributionsrc],script[attributionsrc]';

/** The attributes that make an element eligible or change what it requests. */
const attributeFilter = ['attributionsrc', 'src', 'srcset'];

/**
 * From here on, one search of the document is cheaper than a look at each record, as when the page is parsed. An
 * element that was added and removed among so many changes is not found then.
 */
const manyRecords = 50;

/** What was last sent of an element, so that nothing is sent twice. */
interface Sent {
  attributionSrc?: string;
  url?: string;
}

const sentOf = new WeakMap<Element, Sent>();

/**
 * Finds the `img` and `script` elements with `attributionsrc`, now and later, and sends what they make eligible
 * (ARA, "API for elements"). Not seen are elements in shadow trees and elements parsed outside of the document that
 * never get into it, unless a script gave them the attribute while they were outside.
 */
export function watchElements(): void {
  new MutationObserver(examineMutations).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter,
  });
  examineDocument();

  let outsiders: MutationObserver | undefined;
  listen(document, elementEvent, (event) => {
    const { relatedTarget: element } = event as FocusEvent;
    if (!(element instanceof HTMLImageElement || element instanceof HTMLScriptElement)) return;
    // The observer of the document does not see it, but it loads its `src` all the same, which may come later.
    outsiders ??= new MutationObserver((records) => {
      for (const { target } of records) examineIfEligible(target as Element);
    });
    outsiders.observe(element, { attributeFilter });
    // In a microtask, as the page sets the `src` next most of the time.
    queueMicrotask(() => {
      examineIfEligible(element);
    });
  });
}

function examineMutations(records: readonly MutationRecord[]): void {
  if (records.length > manyRecords) {
    examineDocument();
    return;
  }
  for (const record of records) {
    if (record.type === 'attributes') examineIfEligible(record.target as Element);
    else for (const node of record.addedNodes) forEachMatch(node, selector, examine);
  }
}

function examineDocument(): void {
  document.querySelectorAll(selector).forEach(examine);
}

function examineIfEligible(element: Element): void {
  if (element.matches(selector)) examine(element);
}

function examine(element: Element): void {
  const sent = sentOf.get(element) ?? startFollowing(element);
  sendRequest(element, sent);
  const attributionSrc = element.getAttribute('attributionsrc') ?? '';
  if (attributionSrc === sent.attributionSrc) return;
  sent.attributionSrc = attributionSrc;
  sendAttributionSrc(attributionSrcUrls(element), 'event-source-or-trigger');
}

function startFollowing(element: Element): Sent {
  const sent: Sent = {};
  sentOf.set(element, sent);
  if (element instanceof HTMLImageElement) {
    const onResponse = (): void => {
      // A lazy image was announced when it was found; it may have been requested much later.
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
  if (url === sent.url) return;
  sent.url = url;
  void sendEligibleRequest('element', url, 'event-source-or-trigger');
}

/** What the element requests; empty if that is nothing, or is not known before it is there. */
function requestedUrl(element: Element): string {
  if (element instanceof HTMLScriptElement) return element.src;
  if (!(element instanceof HTMLImageElement)) return '';
  const hasCandidates = element.srcset !== '' || element.parentElement instanceof HTMLPictureElement;
  return hasCandidates ? element.currentSrc : element.src;
}
