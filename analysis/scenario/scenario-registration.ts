import type { Registration } from '../../src/model/incoming-registration';
import type { IgnoredReason } from '../../formats/codec/mistakes';
import { decideRegistration } from '../../recording/decide-registration';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { INFO } from '../../recording/structured-headers';
import type { ScenarioEvent, ScenarioResponse } from './scenario';

export type ScenarioRequest = Extract<ScenarioEvent, { kind: 'request' }>;

export type ScenarioRegistration =
  | { readonly kind: 'register'; readonly registration: Registration }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason };

const names = {
  source: REGISTER_SOURCE.toLowerCase(),
  trigger: REGISTER_TRIGGER.toLowerCase(),
  info: INFO.toLowerCase(),
};

/** What a response of a scenario registers, or why nothing. */
export function scenarioRegistration(
  request: ScenarioRequest,
  { headers, reportingOrigin, time }: ScenarioResponse,
): ScenarioRegistration {
  if (reportingOrigin === null)
    return { kind: 'ignored', reason: { code: 'no-reporting-origin', values: {} } };
  return decideRegistration({
    time,
    place: { kind: 'known', contextOrigin: request.contextOrigin },
    reportingOrigin,
    eligibility: request.eligibility,
    headers: {
      source: headers.get(names.source) ?? null,
      trigger: headers.get(names.trigger) ?? null,
      osSource: headers.has('attribution-reporting-register-os-source'),
      osTrigger: headers.has('attribution-reporting-register-os-trigger'),
      info: headers.get(names.info) ?? null,
    },
    fenced: request.fenced,
  });
}
