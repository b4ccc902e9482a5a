import { elementOf, elementEvent } from './announcement';
import { gestureOfClick, gestureOfScript, type Gesture } from './gestures';
import { listen } from './listen';
import { watchClicks } from './watch-clicks';

/** In ms: how long after a person pressed a key the focus may move because of it. */
const OF_KEY = 1000;

export type Hyperlink = HTMLAnchorElement | HTMLAreaElement;

/** What to do about links. */
export interface LinkWatcher {
  /** A person moves the pointer on the link or the focus to it, and may press it next. */
  readonly approached: (link: Hyperlink) => void;
  /** A person presses the link, which may lead to a click. */
  readonly pressed: (link: Hyperlink) => void;
  /**
   * The link is followed, and the page has handled the event. `inMenu`: a person opened its menu, from which they may open it in another tab.
   * `gesture` is asked only if it is needed: each press is good for few clicks of scripts.
   */
  readonly followed: (link: Hyperlink, gesture: () => Gesture, inMenu: boolean) => void;
}

/** When a person last pressed a key, in ms since the document began. */
let lastKey = -Infinity;

/** Watches all `a` and `area` elements of the document. */
export function watchFollowedLinks(watcher: LinkWatcher): void {
  const onKey = ({ isTrusted }: Event): void => {
    if (isTrusted) lastKey = performance.now();
  };
  listen(window, 'keydown', onKey, { capture: true, passive: true });
  watchFollowedLinksIn(window, watcher);
  const onScriptedClick = scriptedClicks(watcher);
  listen(
    document,
    elementEvent,
    (event) => {
      const link = elementOf(event);
      if (link !== null && isHyperlink(link))
        link.addEventListener('click', onScriptedClick, { capture: true, once: true });
    },
    { capture: true },
  );
}

/** @param tree the window, or a shadow tree whose links no event at the window names */
export function watchFollowedLinksIn(tree: Window | ShadowRoot, watcher: LinkWatcher): void {
  const onTrusted =
    (act: (link: Hyperlink) => void) =>
    (event: Event): void => {
      const link = event.isTrusted ? linkOf(event) : null;
      if (link !== null) act(link);
    };
  const onApproach = onTrusted(watcher.approached);
  for (const type of ['pointerover', 'pointermove'])
    listen(tree, type, onApproach, { capture: true, passive: true });
  // The event is also trusted if a script calls `focus()`. The key that moves the focus need not activate the page.
  const onFocus = (event: Event): void => {
    if (navigator.userActivation.isActive || performance.now() - lastKey <= OF_KEY) onApproach(event);
  };
  listen(tree, 'focusin', onFocus, { capture: true, passive: true });
  listen(tree, 'pointerdown', onTrusted(watcher.pressed), { capture: true, passive: true });
  let last: Hyperlink | null = null;
  watchClicks((event) => {
    const link = linkOf(event);
    // A double click is one navigation.
    const isRepeated = link === last && (event as MouseEvent).detail > 1;
    last = link;
    if (link !== null && !isRepeated) followAfter(event, link, gestureOfClick, watcher);
  }, tree);
  listen(tree, 'click', scriptedClicks(watcher), { capture: true });
  // The menu may open the link in another tab.
  const onMenu = (event: Event): void => {
    const link = event.isTrusted ? linkOf(event) : null;
    if (link !== null) followAfter(event, link, gestureOfClick, watcher, true);
  };
  listen(tree, 'contextmenu', onMenu, { capture: true });
}

/** A script clicks a link, while a person's press gives it the user activation that a navigation source needs. */
const scriptedClicks =
  (watcher: LinkWatcher) =>
  (event: Event): void => {
    const link = event.isTrusted ? null : linkOf(event);
    if (link !== null) followAfter(event, link, gestureOfScript, watcher);
  };

/** The page may still change the link, or cancel the event. */
function followAfter(
  event: Event,
  link: Hyperlink,
  gestureAt: (time: number) => Gesture,
  { followed }: LinkWatcher,
  inMenu = false,
): void {
  // Before the page handles the event, which may take long.
  const time = Date.now();
  afterDispatch(event, link.isConnected ? window : link, () => {
    if (!event.defaultPrevented) followed(link, () => gestureAt(time), inMenu);
  });
}

const linkOf = (event: Event): Hyperlink | null => event.composedPath().find(isHyperlink) ?? null;

const isHyperlink = (target: EventTarget): target is Hyperlink =>
  target instanceof HTMLAnchorElement || target instanceof HTMLAreaElement;

/** Calls `action` once, after the page has handled the event that is being dispatched. @param last gets the event last */
function afterDispatch(event: Event, last: EventTarget, action: () => void): void {
  let done = false;
  const act = (): void => {
    if (done) return;
    done = true;
    action();
  };
  last.addEventListener(event.type, act, { once: true });
  // If the page stops the event, the listener above never runs. This task still runs before the navigation commits.
  setTimeout(act);
}
