/**
 * Runs in the extension's own world of every page from its start. Tells the background which requests of the page may register (ARA, "HTML
 * monkeypatches" and "Network monkeypatches").
 */
import { watchElements, watchElementsIn } from './elements';
import { watchLeaving } from './eligible';
import { answerAboutFrames } from './frames';
import { watchGestures } from './gestures';
import { giveSeal } from './give-seal';
import { watchLinks, watchLinksIn } from './links';
import { listenToPage } from './page-announcements';
import { watchShadowTrees } from './shadow-trees';
import { watchTrialLinks } from './trial-links';

// ARA requires a secure context, which includes http://localhost and its subdomains.
if (isSecureContext) {
  giveSeal();
  watchGestures();
  listenToPage();
  watchLeaving();
  answerAboutFrames();
  watchElements();
  watchLinks();
  watchShadowTrees((tree) => {
    watchElementsIn(tree);
    if (tree.mode === 'closed') watchLinksIn(tree);
  });
  watchTrialLinks();
}
