import { announceEvent, elementEvent, type Announcement } from '../announcement';

// Saved now, because the page may replace these later.
const { stringify } = JSON;
const [NativeCustomEvent, NativeFocusEvent] = [CustomEvent, FocusEvent];
// oxlint-disable-next-line typescript/unbound-method -- called by `apply`
const { dispatchEvent } = EventTarget.prototype;
const dispatchAt = (target: EventTarget, event: Event): void =>
  void Reflect.apply(dispatchEvent, target, [event]);
const dispatch = (event: Event): void => dispatchAt(document, event);

/** Tells the isolated world, which handles it before this returns. */
export function announce(announcement: Announcement): void {
  dispatch(new NativeCustomEvent(announceEvent, { detail: stringify(announcement) }));
}

/** Shows the isolated world an element that its observer of the document cannot see. */
export function announceElement(element: Element): void {
  // An event at the document would name the host of the shadow tree instead.
  if (element.isConnected) dispatchAt(element, new NativeCustomEvent(elementEvent, { composed: true }));
  else dispatch(new NativeFocusEvent(elementEvent, { relatedTarget: element }));
}
