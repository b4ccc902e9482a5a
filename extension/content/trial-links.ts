import { send } from './send';
import { watchClicks } from './watch-clicks';

const relation = 'cointoss-trial';

/**
 * When a person follows `<a rel="cointoss-trial" href="https://…/trial.json">`, shows the trial on the extension's consent page instead of
 * its JSON. The link is fetched only when the person asks for it there.
 */
export function watchTrialLinks(): void {
  // A frame may be an ad, so it cannot open the page.
  if (window !== window.top) return;
  watchClicks((event) => {
    const link = event.composedPath().find(isTrialLink);
    if (link === undefined) return;
    event.preventDefault();
    void send({ kind: 'trial-link', url: link.href });
  });
}

const isTrialLink = (target: EventTarget): target is HTMLAnchorElement =>
  target instanceof HTMLAnchorElement && target.relList.contains(relation) && target.href !== '';
