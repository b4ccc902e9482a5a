import browser from 'webextension-polyfill';
import type { Origin } from '../../../src/model/units';
import { markIn, type Mark, type RequestEligibility } from '../../eligibility-mark';
import { isSealFor, sealKeyOf } from '../../seal';

const key = sealKeyOf(browser.runtime);

/** What a mark says. `unknown`: no document of this origin wrote it, so nothing may register. */
export type MarkedEligibility = RequestEligibility | 'unknown';

/** @param origin of the document or worker that asks */
export const eligibilityByMark = (mark: Mark, origin: Origin): MarkedEligibility =>
  isSealFor(key, mark.seal, origin) ? mark.eligibility : 'unknown';

/**
 * As `eligibilityByMark`, by the mark in a URL, on whichever redirect: a valid one is from a document of this origin. Null if there is none, or
 * no origin: no seal is that of an opaque document alone.
 */
export function eligibilityInUrl(url: string, origin: Origin | null): MarkedEligibility | null {
  const mark = origin === null ? null : markIn(url);
  return mark === null || origin === null ? null : eligibilityByMark(mark, origin);
}
