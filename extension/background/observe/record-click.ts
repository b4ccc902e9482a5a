import { whyBarred } from '../../../recording/places';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import { followedNavigation, type DecidedClick } from '../documents/navigations';
import type { OwnRequests } from './own-requests';
import type { Recording } from '../record/recorder';

const NO_NAVIGATION: IgnoredReason = { code: 'no-navigation', values: {} };

/**
 * Asks for the sources of a click that a navigation followed, and makes the answers to the navigation itself eligible.
 * @returns resolves when all that concerns the navigation itself is written
 */
export async function recordClick(
  decided: DecidedClick,
  ownRequests: OwnRequests,
  recording: Recording,
): Promise<void> {
  const { click } = decided;
  const { place, sources, makers, tabId, asked } = click;
  if (decided.kind === 'followed' && place.kind === 'known') {
    const { contextOrigin } = place;
    const { navigation } = decided;
    const eligibility = 'navigation-source';
    const request = { contextOrigin, makers, tabId, asked, navigation, eligibility } as const;
    for (const url of sources) void ownRequests.make(url, request);
  }
  const { clock, recorder } = await recording;
  const why = place.kind === 'known' ? NO_NAVIGATION : whyBarred(place);
  if (decided.kind === 'not-followed' || place.kind !== 'known')
    for (const url of sources) void recorder.refusals.dropped(url, click, why);
  if (decided.kind === 'followed')
    await recorder.eligibleRequest({ ...followedNavigation(decided), time: clock.now() }, asked);
}
