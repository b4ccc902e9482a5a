import { sendLinkPressed, sendNavigation } from './eligible';
import { listen } from './listen';
import { attributionSrcUrls } from './urls';
import { watchClicks } from './watch-clicks';

type Hyperlink = HTMLAnchorElement | HTMLAreaElement;

/** Sends what clicks on `a` and `area` elements with `attributionsrc` make eligible (ARA, "follow the hyperlink"). */
export function watchLinks(): void {
  // A press is early enough to add the header. Only the click makes a source.
  const onPress = (event: Event): void => {
    const link = event.isTrusted ? pressedLink(event) : null;
    if (link !== null) sendLinkPressed(link.href);
  };
  listen(window, 'pointerdown', onPress, { capture: true, passive: true });
  watchClicks((event) => {
    const link = pressedLink(event);
    if (link === null) return;
    afterDispatch(event, () => event.defaultPrevented || sendNavigation(link.href, attributionSrcUrls(link)));
  });
}

/** The link with `attributionsrc` that a click here would follow. */
function pressedLink(event: Event): Hyperlink | null {
  const link = event.composedPath().find(isHyperlink);
  return link?.hasAttribute('attributionsrc') === true && !isDownload(link) ? link : null;
}

/** Browsers ignore `download` on a link to another origin. */
const isDownload = (link: Hyperlink): boolean =>
  link.hasAttribute('download') && link.origin === location.origin;

function isHyperlink(target: EventTarget): target is Hyperlink {
  return (target instanceof HTMLAnchorElement || target instanceof HTMLAreaElement) && target.href !== '';
}

/** Calls `action` once, after the page has handled the event that is being dispatched. */
function afterDispatch(event: Event, action: () => void): void {
  let done = false;
  const act = (): void => {
    if (done) return;
    done = true;
    action();
  };
  addEventListener(event.type, act, { once: true });
  // If the page stops the event, the listener above never runs. This task still runs before the navigation commits.
  setTimeout(act);
}
