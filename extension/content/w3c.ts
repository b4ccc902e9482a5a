/** Runs in the extension's own world, where a setting offers W3C Attribution: passes the page's calls and the person's activations on. */
import { watchActivations } from './activations';
import { passCalls } from './attribution-calls';
import { sendReports } from './send-reports';

if (isSecureContext) {
  watchActivations();
  passCalls();
  sendReports();
}
