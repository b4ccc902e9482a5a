import { send } from './send';
import { watchClicks } from './watch-clicks';

const relation = 'cointoss-trial';

/**
 * Shows a person who follows `<a rel="cointoss-trial" href="https://…/trial.json">` the trial on the extension's consent page instead
 * of its JSON. The link can do no more than that: what it leads to is fetched when they ask for it there.
 */
export function watchTrialLinks(): void {
  // A frame, which may be an advertisement, opens nothing.
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
