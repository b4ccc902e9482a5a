import { sendAttributionSrc, sendEligibleRequest, sendLinkPressed } from './eligible';
import { listen } from './listen';
import { attributionSrcUrls } from './urls';
import { watchClicks } from './watch-clicks';

type Hyperlink = HTMLAnchorElement | HTMLAreaElement;

/** Sends what clicks on `a` and `area` elements with `attributionsrc` make eligible (ARA, "follow the hyperlink"). */
export function watchLinks(): void {
  // So early, the header can still be added; what makes a source is only the click.
  const onPress = (event: Event): void => {
    const link = event.isTrusted ? pressedLink(event) : null;
    if (link !== null) sendLinkPressed(link.href);
  };
  listen(window, 'pointerdown', onPress, { capture: true, passive: true });
  watchClicks((event) => {
    const link = pressedLink(event);
    if (link === null) return;
    void sendEligibleRequest('navigation', link.href, 'navigation-source');
    afterDispatch(event, () => event.defaultPrevented || sendSources(link));
  });
}

/** The link that a click at this place follows, if it has `attributionsrc`. */
function pressedLink(event: Event): Hyperlink | null {
  const link = event.composedPath().find(isHyperlink);
  return link?.hasAttribute('attributionsrc') === true ? link : null;
}

function isHyperlink(target: EventTarget): target is Hyperlink {
  return (target instanceof HTMLAnchorElement || target instanceof HTMLAreaElement) && target.href !== '';
}

function sendSources(link: Hyperlink): void {
  sendAttributionSrc(attributionSrcUrls(link), 'navigation-source');
}

/** Calls `action` once, when the page has seen the event that is being dispatched. */
function afterDispatch(event: Event, action: () => void): void {
  let done = false;
  const act = (): void => {
    if (done) return;
    done = true;
    action();
  };
  addEventListener(event.type, act, { once: true });
  // Where the page stops the event, it does not come back here. The task still comes before the navigation commits.
  setTimeout(act);
}
