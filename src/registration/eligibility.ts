import type { SourceType } from '../model/limits';
import type { Eligibility } from '../model/requests';
import type { EligibleKey } from './header';

/** The eligibility that an `Attribution-Reporting-Eligible` header states; null is a request without the header. */
export function eligibilityOf(keys: ReadonlySet<EligibleKey> | null): Eligibility {
  if (keys === null) return 'unset';
  if (keys.has('navigation-source')) return 'navigation-source';
  const event = keys.has('event-source');
  const trigger = keys.has('trigger');
  if (event && trigger) return 'event-source-or-trigger';
  return event ? 'event-source' : trigger ? 'trigger' : 'empty';
}

/** The header for an eligibility (ARA, "set Attribution Reporting headers"); null for none. */
export function eligibleHeader(eligibility: Eligibility): string | null {
  if (eligibility === 'unset') return null;
  if (eligibility === 'empty') return '';
  return eligibility === 'event-source-or-trigger' ? 'event-source, trigger' : eligibility;
}

/** What a response registers, or why nothing. */
export type Registered =
  | { readonly kind: 'source'; readonly sourceType: SourceType }
  | { readonly kind: 'trigger' }
  | { readonly kind: 'nothing'; readonly reason: string };

/**
 * ARA, "process an attribution eligible response" and "get the registration platform": what a response with certain headers
 * registers, given what its request was eligible for.
 */
export function registeredBy(
  eligibility: Eligibility,
  headers: {
    readonly source: boolean;
    readonly trigger: boolean;
    readonly osSource: boolean;
    readonly osTrigger: boolean;
  },
  preferredPlatform: 'web' | 'os' | null,
): Registered {
  const allowsSource =
    eligibility === 'event-source' ||
    eligibility === 'navigation-source' ||
    eligibility === 'event-source-or-trigger';
  const allowsTrigger =
    eligibility === 'unset' || eligibility === 'trigger' || eligibility === 'event-source-or-trigger';
  const source = allowsSource && (headers.source || headers.osSource);
  const trigger = allowsTrigger && (headers.trigger || headers.osTrigger);
  if (source && trigger) return nothing('the response has both a source and a trigger header');
  if (!source && !trigger) return nothing(`the request is not eligible (${eligibility})`);
  const [web, os] = source ? [headers.source, headers.osSource] : [headers.trigger, headers.osTrigger];
  if (!web) return nothing('the response registers with the operating system only');
  if (os && preferredPlatform === null)
    return nothing('the response has a web and an OS header and prefers neither');
  if (!os && preferredPlatform === 'os')
    return nothing('the response prefers the operating system, but does not register with it');
  if (!source) return { kind: 'trigger' };
  return { kind: 'source', sourceType: eligibility === 'navigation-source' ? 'navigation' : 'event' };
}

const nothing = (reason: string): Registered => ({ kind: 'nothing', reason });
