import { announceEvent, elementEvent, type Announcement } from '../announcement';

// Saved now, because the page may replace these later.
const { stringify } = JSON;
const [NativeCustomEvent, NativeFocusEvent] = [CustomEvent, FocusEvent];
const dispatch = document.dispatchEvent.bind(document);

/** Tells the isolated world, which handles it before this returns. */
export function announce(announcement: Announcement): void {
  dispatch(new NativeCustomEvent(announceEvent, { detail: stringify(announcement) }));
}

/** Shows the isolated world an element that its observer of the document cannot see. */
export function announceElement(element: Element): void {
  dispatch(new NativeFocusEvent(elementEvent, { relatedTarget: element }));
}
