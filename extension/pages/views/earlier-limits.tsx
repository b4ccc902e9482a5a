import type { JSX } from 'preact';
import { earlierLimitsUntil } from '../explain/earlier-limits';
import { t } from '../../i18n';
import { useSession } from '../state/session';
import { useChanges, useLoaded } from '../state/use-stored';
import { showTime } from '../words/words';

/** Says when what is promised does not hold, because of sources that were recorded under other settings. */
export function EarlierLimits(): JSX.Element | null {
  const { reader, overview, settings } = useSession();
  const changes = useChanges(['sources']);
  const until = useLoaded(
    async () => earlierLimitsUntil(await reader.range('sources', 0, Infinity), overview.now),
    [reader, changes],
  );
  // What is said of the settings covers these sources, too.
  if (until === undefined || until === null || settings.limits === 'specification') return null;
  return (
    <p class="warn" id="earlier-limits">
      {t('limits_earlier', { until: showTime(until) })}
    </p>
  );
}
