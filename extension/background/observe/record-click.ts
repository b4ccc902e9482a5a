import { whyBarred } from '../../../recording/places';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import { followedNavigation, type DecidedClick } from '../documents/navigations';
import type { NavigationAnswers } from './navigation-answers';
import type { OwnRequests } from './own-requests';
import type { Recording } from '../record/recorder';

const NO_NAVIGATION: IgnoredReason = { code: 'no-navigation', values: {} };
const NO_SOURCE_ON_WAY: IgnoredReason = { code: 'no-source-on-way', values: {} };

/**
 * Asks for the sources of a click that a navigation followed, and makes the answers to the navigation itself eligible.
 * @returns resolves when all that concerns the navigation itself is written
 */
export async function recordClick(
  decided: DecidedClick,
  ownRequests: OwnRequests,
  recording: Recording,
  answers: Pick<NavigationAnswers, 'lacksSource'>,
): Promise<void> {
  const { click } = decided;
  const { place, sources, makers, tabId, asked } = click;
  const mayRegister = decided.kind === 'followed' && place.kind === 'known';
  if (mayRegister) {
    const { contextOrigin } = place;
    const { navigation } = decided;
    const eligibility = 'navigation-source';
    const request = { contextOrigin, makers, tabId, asked, navigation, eligibility } as const;
    for (const url of sources) void ownRequests.make(url, request);
  }
  const { clock, recorder } = await recording;
  if (!mayRegister) {
    const why = place.kind === 'known' ? NO_NAVIGATION : whyBarred(place);
    for (const url of sources) void recorder.refusals.dropped(url, click, why);
  } else if (sources.length === 0)
    // Otherwise the log has the answers of the URLs in `attributionsrc`.
    void answers
      .lacksSource(decided.requestId)
      .then((isLacking) =>
        isLacking ? recorder.refusals.dropped(click.url, click, NO_SOURCE_ON_WAY) : undefined,
      );
  if (decided.kind === 'followed')
    await recorder.eligibleRequest({ ...followedNavigation(decided), time: clock.now() }, asked);
}
