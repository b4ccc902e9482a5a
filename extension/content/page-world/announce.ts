import {
  announceEvent,
  elementEvent,
  readyEvent,
  type Announcement,
  type RequestEligibility,
} from '../announcement';

// Saved now, because the page may replace these later.
const { stringify } = JSON;
const [NativeCustomEvent, NativeFocusEvent, NativePromise] = [CustomEvent, FocusEvent, Promise];
const dispatch = document.dispatchEvent.bind(document);
const listen = document.addEventListener.bind(document);
const later = setTimeout.bind(window);

/** In ms. A request is sent after this time even if nobody answered its announcement. */
const longestWait = 500;

let lastId = 0;

/** Tells the isolated world, which handles it before this returns. */
export function announce(announcement: Announcement): void {
  dispatch(new NativeCustomEvent(announceEvent, { detail: stringify(announcement) }));
}

/** Announces a request. Resolves when it may be sent, and never rejects. */
export function announceRequest(url: string, eligibility: RequestEligibility): Promise<void> {
  return new NativePromise((resolve) => {
    const id = ++lastId;
    listen(readyEvent(id), () => resolve(), { once: true });
    later(resolve, longestWait);
    announce({ kind: 'request', id, url, eligibility });
  });
}

/** Shows the isolated world an element that its observer of the document cannot see. */
export function announceElement(element: Element): void {
  dispatch(new NativeFocusEvent(elementEvent, { relatedTarget: element }));
}
