/**
 * Runs beside every page from its start, in the extension's own world, and tells the background which requests of the
 * page may register (ARA, "HTML monkeypatches" and "Network monkeypatches").
 */
import { watchElements } from './elements';
import { watchLinks } from './links';
import { listenToPage } from './page-announcements';
import { watchTrialLinks } from './trial-links';

// ARA is for secure contexts alone; http://localhost and its subdomains are among them.
if (isSecureContext) {
  listenToPage();
  watchElements();
  watchLinks();
  watchTrialLinks();
}
