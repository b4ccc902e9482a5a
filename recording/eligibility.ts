import type { SourceType } from '../src/model/limits';
import type { IgnoredReason } from '../formats/codec/mistakes';
import type { EligibleKey } from './structured-headers';

/** Which registrations the response to a request may make (ARA, "eligibility"). */
export type Eligibility =
  | 'unset'
  | 'empty'
  | 'event-source'
  | 'navigation-source'
  | 'trigger'
  | 'event-source-or-trigger';

/**
 * What is known about a request. `unknown`: Cointoss did not see the request begin, or cannot tell who wrote the mark in its URL. Then
 * nothing registers.
 */
export type FoundEligibility = Eligibility | 'unknown';

/** The eligibility in an `Attribution-Reporting-Eligible` header; null: the request has no such header. */
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

export type Registered =
  | { readonly kind: 'source'; readonly sourceType: SourceType }
  | { readonly kind: 'trigger' }
  | { readonly kind: 'nothing'; readonly reason: IgnoredReason };

/** ARA, "process an attribution eligible response" and "get the registration platform". */
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
  if (source && trigger) return nothing({ code: 'source-and-trigger', values: {} });
  if (!source && !trigger) return nothing({ code: 'not-eligible', values: { eligibility } });
  const [web, os] = source ? [headers.source, headers.osSource] : [headers.trigger, headers.osTrigger];
  if (!web) return nothing({ code: 'os-only', values: {} });
  if (os && preferredPlatform === null) return nothing({ code: 'no-preferred-platform', values: {} });
  if (!os && preferredPlatform === 'os') return nothing({ code: 'os-preferred', values: {} });
  if (!source) return { kind: 'trigger' };
  return { kind: 'source', sourceType: eligibility === 'navigation-source' ? 'navigation' : 'event' };
}

const nothing = (reason: IgnoredReason): Registered => ({ kind: 'nothing', reason });
