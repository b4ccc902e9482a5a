import {
  announceEvent,
  elementEvent,
  readyEvent,
  type Announcement,
  type RequestEligibility,
} from '../announcement';

// The page may replace any of these later; its own code and this must not get in each other's way.
const { stringify } = JSON;
const [NativeCustomEvent, NativeFocusEvent, NativePromise] = [CustomEvent, FocusEvent, Promise];
const dispatch = document.dispatchEvent.bind(document);
const listen = document.addEventListener.bind(document);
const later = setTimeout.bind(window);

/** A request goes out after this many milliseconds even if nobody answered that it may. */
const longestWait = 500;

let lastId = 0;

/** Tells the isolated world; it has heard when this returns. */
export function announce(announcement: Announcement): void {
  dispatch(new NativeCustomEvent(announceEvent, { detail: stringify(announcement) }));
}

/** Announces a request; resolves when it may be made, and never rejects. */
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
