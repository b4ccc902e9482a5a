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

/** As `eligibilityByMark`, by the mark in a URL. Servers know no valid one, so it is the page's, on whichever redirect. */
export const eligibilityInUrl = (url: string, origin: Origin | null): MarkedEligibility =>
  eligibilityByMark(markIn(url), origin);
