import { sendLinkPressed, sendNavigation } from './eligible';
import { watchFollowedLinks, watchFollowedLinksIn, type Hyperlink, type LinkWatcher } from './followed-links';
import { attributionSrcUrls } from './urls';
import { wakeAtTimes } from './wake';

const eligibleLinks: LinkWatcher = {
  approached: (link) => {
    if (isEligible(link)) wakeAtTimes();
  },
  // A press is early enough to add the header. Only the click makes a source.
  pressed: (link) => {
    if (isEligible(link)) sendLinkPressed(link.href);
  },
  followed: (link, gesture, inMenu) => {
    if (isEligible(link))
      sendNavigation(
        link.href,
        attributionSrcUrls(link.getAttribute('attributionsrc') ?? ''),
        gesture(),
        inMenu,
      );
  },
};

/** Sends what clicks on `a` and `area` elements with `attributionsrc` make eligible (ARA, "follow the hyperlink"). */
export const watchLinks = (): void => watchFollowedLinks(eligibleLinks);

/** @param tree a shadow tree whose links no event at the window names */
export const watchLinksIn = (tree: ShadowRoot): void => watchFollowedLinksIn(tree, eligibleLinks);

/** Whether following the link is a navigation that may register. Browsers ignore `download` on a link to another origin. */
const isEligible = (link: Hyperlink): boolean =>
  link.href !== '' &&
  link.hasAttribute('attributionsrc') &&
  !(link.hasAttribute('download') && link.origin === location.origin);
