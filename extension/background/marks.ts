import browser from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import { markIn, type Mark, type RequestEligibility } from '../eligibility-mark';
import { isSealFor, sealKeyOf } from '../seal';

const key = sealKeyOf(browser.runtime);

/** What a mark says. `unknown`: no document of this origin wrote it, so nothing may register. */
export type MarkedEligibility = RequestEligibility | 'unmarked' | 'unknown';

/** @param origin of the document or worker that asks; null if it is opaque */
export function eligibilityByMark(mark: Mark | null, origin: Origin | null): MarkedEligibility {
  if (mark === null) return 'unmarked';
  return isSealFor(key, mark.seal, origin) ? mark.eligibility : 'unknown';
}

/**
 * As `eligibilityByMark`, by the mark in a URL, on whichever redirect. A valid one is from a document of this origin. Documents without an
 * origin share their seals, and any server may have one, so only what is first asked for says what their requests are.
 */
export const eligibilityInUrl = (url: string, origin: Origin | null): MarkedEligibility =>
  origin === null ? 'unmarked' : eligibilityByMark(markIn(url), origin);
