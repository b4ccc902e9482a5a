import type { Clock } from './clock';
import { followedNavigation, type DecidedClick } from './navigations';
import type { OwnRequests } from './own-requests';
import type { Recorder } from './recorder';

/**
 * Asks for the sources of a click that a navigation followed, and makes the answers to the navigation itself eligible.
 * @returns resolves when all that concerns the navigation itself is written
 */
export async function recordClick(
  decided: DecidedClick,
  ownRequests: OwnRequests,
  recording: Promise<{ readonly clock: Clock; readonly recorder: Recorder }>,
): Promise<void> {
  const { click } = decided;
  const isFollowed = decided.kind === 'followed';
  const dropped = click.obstacle ?? (isFollowed ? null : 'no-navigation');
  if (isFollowed && dropped === null) {
    const { navigation } = decided;
    for (const url of click.sources)
      void ownRequests.make(url, { ...click, eligibility: 'navigation-source', navigation });
  }
  const { clock, recorder } = await recording;
  if (dropped !== null)
    for (const url of click.sources) void recorder.dropped(url, click, { code: dropped, values: {} });
  if (isFollowed) await recorder.eligibleRequest({ ...followedNavigation(decided), time: clock.now() });
}
