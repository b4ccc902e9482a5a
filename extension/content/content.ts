/**
 * Runs in the extension's own world of every page from its start. Tells the background which requests of the page may register (ARA, "HTML
 * monkeypatches" and "Network monkeypatches").
 */
import { watchElements } from './elements';
import { watchLinks } from './links';
import { listenToPage } from './page-announcements';
import { watchTrialLinks } from './trial-links';

// ARA requires a secure context, which includes http://localhost and its subdomains.
if (isSecureContext) {
  listenToPage();
  watchElements();
  watchLinks();
  watchTrialLinks();
}
