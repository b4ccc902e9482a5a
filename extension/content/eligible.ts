import type { RequestEligibility } from '../eligibility-mark';
import type { Gesture } from './gestures';
import { listen } from './listen';
import { send, sendUntilAnswered } from './send';
import { resolveHttpUrl } from './urls';
import { whenShown } from './when-shown';

/**
 * Tells the background that an element's request for `url` may register.
 * @param isMade whether the element has made it
 */
export function sendEligibleRequest(url: string, isMade: boolean): void {
  const resolved = resolveHttpUrl(url);
  const getsRule = !isMade && !isLeft;
  if (resolved !== null) void sendUntilAnswered({ kind: 'eligible-request', url: resolved, getsRule });
}

/** Tells the background that a script's request for `url` may register. */
export function sendEligibleFetch(url: string, eligibility: RequestEligibility): void {
  const resolved = resolveHttpUrl(url);
  if (resolved !== null) void sendUntilAnswered({ kind: 'eligible-fetch', url: resolved, eligibility });
}

let isLeft = false;

/** Watches whether the page is being left. Call it before the page's own scripts run. */
export function watchLeaving(): void {
  for (const type of ['pagehide', 'pageshow'])
    listen(
      window,
      type,
      () => {
        isLeft = type === 'pagehide';
      },
      { capture: true },
    );
}

/** Makes the background add the header to a navigation that a pressed link may start. */
export function sendLinkPressed(url: string): void {
  const resolved = resolveHttpUrl(url);
  if (resolved !== null) void send({ kind: 'link-pressed', url: resolved });
}

/**
 * Tells the background that a person is about to get to `url` from here. `sources` are registered if they do.
 * @param inMenu whether it only opened the menu of a link
 */
export function sendNavigation(
  url: string,
  sources: readonly string[],
  gesture: Gesture,
  inMenu = false,
): void {
  const resolved = resolveHttpUrl(url);
  if (resolved === null || gesture.kind === 'none') return;
  const { press, time } = gesture;
  void send({ kind: 'navigation', url: resolved, sources, press, time, inMenu });
}

/** Makes the background request the URLs of an element's `attributionsrc`, if there are any. */
export function sendAttributionSrc(urls: readonly string[]): void {
  if (urls.length > 0) whenShown(() => void send({ kind: 'attributionsrc', urls }));
}
