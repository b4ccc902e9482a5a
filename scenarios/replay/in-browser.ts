import type { ApiConfig } from '../../analysis/scenario/api-config';
import { ScenarioError } from '../../analysis/scenario/calls/scenario-error';
import type { Scenario, ScenarioEvent } from '../../analysis/scenario/scenario';

/** @throws ScenarioError for the first thing in a scenario that no browser with Cointoss can do; docs/replay.md gives the reasons. */
export function requireBrowserCan({ config, events }: Scenario): void {
  requireTimedRetries(config);
  events.forEach((event, index) => requireEvent(event, `input.registrations[${index}]`));
}

function requireTimedRetries({ navigationRetry }: ApiConfig): void {
  if (navigationRetry !== null)
    throw impossible('api_config.retry_after_new_navigation', 'the extension retries by time only');
}

function requireEvent(event: ScenarioEvent, path: string): void {
  if (event.kind !== 'request') return;
  if (event.fenced)
    throw impossible(`${path}.registration_request.fenced`, 'browsers have no fenced frames any more');
  const unreachable = event.responses.findIndex(({ reportingOrigin }) => reportingOrigin === null);
  if (unreachable >= 0 && event.responses.length > 1)
    throw impossible(
      `${path}.responses[${unreachable}].url`,
      'a browser follows no redirect from https to http',
    );
}

const impossible = (path: string, reason: string): ScenarioError =>
  new ScenarioError(path, `cannot be replayed in a browser: ${reason}`);
