import { elementOf, elementEvent } from './announcement';
import { sendLinkPressed, sendNavigation } from './eligible';
import { gestureOfClick, gestureOfScript, type Gesture } from './gestures';
import { listen } from './listen';
import { attributionSrcUrls } from './urls';
import { watchClicks } from './watch-clicks';

type Hyperlink = HTMLAnchorElement | HTMLAreaElement;

/** Sends what clicks on `a` and `area` elements with `attributionsrc` make eligible (ARA, "follow the hyperlink"). */
export function watchLinks(): void {
  watchLinksIn(window);
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
export function watchLinksIn(tree: Window | ShadowRoot): void {
  // A press is early enough to add the header. Only the click makes a source.
  const onPress = (event: Event): void => {
    const link = event.isTrusted ? linkOf(event) : null;
    if (link !== null && isEligible(link)) sendLinkPressed(link.href);
  };
  listen(tree, 'pointerdown', onPress, { capture: true, passive: true });
  let last: Hyperlink | null = null;
  watchClicks((event) => {
    const link = linkOf(event);
    // A double click is one navigation.
    const isRepeated = link === last && (event as MouseEvent).detail > 1;
    last = link;
    if (link !== null && !isRepeated) followAfter(event, link, gestureOfClick);
  }, tree);
  listen(tree, 'click', onScriptedClick, { capture: true });
  // The menu may open the link in another tab.
  const onMenu = (event: Event): void => {
    const link = event.isTrusted ? linkOf(event) : null;
    if (link !== null) followAfter(event, link, gestureOfClick, true);
  };
  listen(tree, 'contextmenu', onMenu, { capture: true });
}

/** A script clicks a link, while a person's press gives it the user activation that a navigation source needs. */
function onScriptedClick(event: Event): void {
  const link = event.isTrusted ? null : linkOf(event);
  if (link !== null) followAfter(event, link, gestureOfScript);
}

/** The page may still change the link, or cancel the event. */
function followAfter(
  event: Event,
  link: Hyperlink,
  gestureAt: (time: number) => Gesture,
  inMenu = false,
): void {
  // Before the page handles the event, which may take long.
  const time = Date.now();
  afterDispatch(event, link.isConnected ? window : link, () => {
    if (!event.defaultPrevented && isEligible(link))
      sendNavigation(
        link.href,
        attributionSrcUrls(link.getAttribute('attributionsrc') ?? ''),
        gestureAt(time),
        inMenu,
      );
  });
}

const linkOf = (event: Event): Hyperlink | null => event.composedPath().find(isHyperlink) ?? null;

/** Whether following the link is a navigation that may register. Browsers ignore `download` on a link to another origin. */
const isEligible = (link: Hyperlink): boolean =>
  link.href !== '' &&
  link.hasAttribute('attributionsrc') &&
  !(link.hasAttribute('download') && link.origin === location.origin);

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
