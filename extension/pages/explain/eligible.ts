import type { FoundEligibility } from '../../../recording/eligibility';
import { ELIGIBLE } from '../../../recording/structured-headers';
import { carriesRegistration, eligibilityOfHop, type Hop } from '../data/request-tree';
import { t } from '../../i18n';
import type { Outcome } from '../words/outcome';
import type { OutcomeId } from '../words/outcome-words';

const eligibilities: Readonly<Record<FoundEligibility, string>> = {
  unset: t('requests_eligible_unset'),
  unknown: t('requests_eligible_unknown'),
  empty: t('requests_eligible_empty'),
  'event-source': t('requests_eligible_impression'),
  'navigation-source': t('requests_eligible_click'),
  trigger: t('requests_eligible_conversion'),
  'event-source-or-trigger': t('requests_eligible_both'),
};

/** What a hop may register, and why, in a sentence or two. */
export function eligibleWords(hop: Hop): string {
  if (hop.decision === null && hop.eligibility === null && !hop.isBegun) return t('requests_eligible_unseen');
  const eligibility = eligibilityOfHop(hop);
  if (eligibility === 'unset' || eligibility === 'unknown' || eligibility === 'empty')
    return eligibilities[eligibility];
  return t('requests_eligible_because', { what: eligibilities[eligibility], how: howOf(hop) });
}

type How = 'own' | 'click' | 'element' | 'script';

/** What made the request eligible. */
export function howOf(hop: Hop): How {
  if (hop.isOwn) return 'own';
  if (eligibilityOfHop(hop) === 'navigation-source') return 'click';
  // A service worker makes the requests of elements in its own way, and in no tab.
  return hop.type !== 'xmlhttprequest' || (hop.isDeclared && hop.tabId < 0) ? 'element' : 'script';
}

/** Which hops to show: those about registrations, those whose registration came to nothing, or all. */
export type ShownHops = 'relevant' | 'nothing' | 'all';

/** Whether a hop carried a registration, or was to carry one. */
export const isRelevant = (hop: Hop): boolean =>
  carriesRegistration(hop) || !['unset', 'unknown', 'empty'].includes(eligibilityOfHop(hop));

/** Noise or debug mode decided what they report, but they were kept. */
const KEPT: ReadonlySet<OutcomeId> = new Set<OutcomeId>(['kept-noised', 'kept-forced']);

/** Whether the server of a hop was not told that it may register, although it may: some register only then. */
export const lacksHeader = (hop: Hop): boolean =>
  isRelevant(hop) &&
  hop.isBegun &&
  !hop.requestHeaders.some(({ name }) => name.toLowerCase() === ELIGIBLE.toLowerCase());

/**
 * Whether a hop had a registration that was refused, dropped or ignored, or was to have one and failed.
 * @param outcome of its registration; null if there is none, or none yet
 */
export function cameToNothing(hop: Hop, outcome: Pick<Outcome, 'key' | 'tone'> | null): boolean {
  if (!carriesRegistration(hop)) return isRelevant(hop) && !isRedirected(hop);
  return outcome !== null && outcome.tone !== 'good' && !KEPT.has(outcome.key);
}

const isRedirected = ({ status }: Hop): boolean => status !== null && status >= 300 && status < 400;
