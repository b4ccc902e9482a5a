import type { Registration } from '../src/model/incoming-registration';
import type { Occasion } from '../src/model/decision';
import type { ClickLack, IgnoredReason } from '../formats/codec/mistakes';
import type { Moment, Origin } from '../src/model/units';
import { registeredBy, type FoundEligibility } from './eligibility';
import { originOfPlace, whyBarred, type PagePlace } from './places';
import type { Decided, ObservedResponse, RegistrationHeaders } from './requests';
import { parseInfo } from './structured-headers';

export interface DecidedResponse {
  readonly time: Moment;
  readonly place: PagePlace;
  readonly reportingOrigin: Origin;
  readonly eligibility: FoundEligibility;
  readonly headers: RegistrationHeaders;
  readonly fenced: boolean;
  /** Only for a navigation: what its click lacked to make a source. */
  readonly lack?: ClickLack;
}

export type RegistrationResult =
  | { readonly kind: 'register'; readonly registration: Registration }
  /** `header` is what would have been registered. */
  | {
      readonly kind: 'ignored';
      readonly occasion: Occasion;
      readonly header: string;
      readonly reason: IgnoredReason;
    };

const notClicked = (lack: ClickLack): IgnoredReason => ({ code: 'no-eligible-click', values: { lack } });
const ON_REDIRECT: IgnoredReason = { code: 'trigger-on-redirect', values: {} };

/**
 * As `decideRegistration`, but also for a redirect of a navigation, which is on no page. Null if nothing can be logged about the redirect.
 * @param lack what the click lacked if the response is a navigation's
 */
export function resultOf(
  response: ObservedResponse,
  { place, eligibility }: Decided,
  lack: ClickLack,
): RegistrationResult | null {
  if (place.kind === 'redirect') return onRedirect(response, lack);
  const ofClick = response.kind === 'navigation' ? { lack } : {};
  return decideRegistration({ ...response, place, eligibility, fenced: false, ...ofClick });
}

/**
 * A registration on a redirect is logged on the page where the navigation started. A trigger is on no page there, so it cannot convert. A
 * source needs an eligible click.
 */
function onRedirect(
  { time, reportingOrigin, headers, startedOn }: ObservedResponse,
  lack: ClickLack,
): RegistrationResult | null {
  const header = headers.source ?? headers.trigger;
  if (startedOn === undefined || header === null) return null;
  const occasion: Occasion = { time, contextOrigin: startedOn, reportingOrigin, via: 'header' };
  return {
    kind: 'ignored',
    occasion,
    header,
    reason: headers.source === null ? ON_REDIRECT : notClicked(lack),
  };
}

/** What a response registers, or why nothing (ARA, "process an attribution eligible response"). */
export function decideRegistration(response: DecidedResponse): RegistrationResult {
  const { time, place, reportingOrigin, eligibility, headers, fenced, lack } = response;
  const occasion: Occasion = { time, contextOrigin: originOfPlace(place), reportingOrigin, via: 'header' };
  const ignored = (reason: IgnoredReason): RegistrationResult => ({
    kind: 'ignored',
    occasion,
    header: headers.source ?? headers.trigger ?? '',
    reason,
  });
  if (place.kind !== 'known') return ignored(whyBarred(place));
  if (eligibility === 'unknown') return ignored({ code: 'eligibility-unknown', values: {} });
  if (headers.unknown !== undefined)
    return ignored({ code: 'unknown-header', values: { ...headers.unknown } });
  const info = parseInfo(headers.info);
  if (info.value === null) return ignored({ code: 'info-invalid', values: { problems: info.errors } });
  const present = {
    source: headers.source !== null,
    trigger: headers.trigger !== null,
    osSource: headers.osSource,
    osTrigger: headers.osTrigger,
  };
  const registered = registeredBy(eligibility, present, info.value.preferredPlatform);
  if (registered.kind === 'nothing') {
    const isUnset = registered.reason.code === 'not-eligible' && eligibility === 'unset';
    return ignored(isUnset && lack !== undefined ? notClicked(lack) : registered.reason);
  }
  return {
    kind: 'register',
    registration: {
      occasion,
      register: registered,
      header: (registered.kind === 'source' ? headers.source : headers.trigger) ?? '',
      fenced,
      reportHeaderErrors: info.value.reportHeaderErrors,
    },
  };
}
