/** Runs in the page's own world before its scripts, where a setting offers W3C Attribution and the browser has none of its own. */
import { defineAttribution } from './page-world/attribution';
import { hideSourceText } from './page-world/methods';

if (isSecureContext && !('attribution' in navigator)) {
  hideSourceText();
  defineAttribution();
}
