/**
 * Runs in the extension's own world of pages that are opened in debug mode. Tells the background of clicks that make no source because
 * `attributionsrc` is missing, so that the log can say so. Without debug mode, clicks on other links are nobody's business.
 */
import type { clickLacks } from '../content-messages';
import { listenToAnnouncements } from './announcements';
import { watchFollowedLinks, watchFollowedLinksIn, type Hyperlink, type LinkWatcher } from './followed-links';
import { gestureOfScript, watchGestures, type Gesture } from './gestures';
import { sendUntilAnswered } from './send';
import { watchShadowTrees } from './shadow-trees';
import { resolveHttpUrl } from './urls';
import { wake, wakeAtTimes } from './wake';

type Lack = (typeof clickLacks)[number];

const plainLinks: LinkWatcher = {
  approached: (link) => {
    if (isPlain(link)) wakeAtTimes();
  },
  pressed: (link) => {
    if (isPlain(link)) wake();
  },
  followed: (link, gesture, inMenu) => {
    if (isPlain(link)) sendIneligibleClick(link.href, () => lackOf(link), gesture(), inMenu);
  },
};

function sendIneligibleClick(url: string, lack: () => Lack, gesture: Gesture, inMenu = false): void {
  const resolved = resolveHttpUrl(url);
  if (resolved === null || gesture.kind === 'none') return;
  const { time } = gesture;
  void sendUntilAnswered({ kind: 'ineligible-click', url: resolved, lack: lack(), time, inMenu });
}

/** Whether it is a link to another document that cannot make a source. */
const isPlain = (link: Hyperlink): boolean =>
  link.href !== '' && !link.hasAttribute('attributionsrc') && !isInThisDocument(link);

/** Whether only the fragment differs, so that nothing is loaded. */
const isInThisDocument = ({ href }: Hyperlink): boolean =>
  href.includes('#') && href.split('#')[0] === location.href.split('#')[0];

function lackOf(link: Hyperlink): Lack {
  const isElsewhere =
    link.closest('[attributionsrc]') !== null || link.querySelector('[attributionsrc]') !== null;
  return isElsewhere ? 'elsewhere' : 'attribute';
}

if (isSecureContext) {
  watchGestures();
  listenToAnnouncements((announcement) => {
    if (announcement.kind === 'plain-open')
      sendIneligibleClick(announcement.url, () => 'feature', gestureOfScript());
  });
  watchFollowedLinks(plainLinks);
  watchShadowTrees((tree) => {
    if (tree.mode === 'closed') watchFollowedLinksIn(tree, plainLinks);
  });
}
