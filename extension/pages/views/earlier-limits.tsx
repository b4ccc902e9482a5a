import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Settings } from '../../../formats/settings/settings';
import type { Moment } from '../../../src/model/units';
import { earlierLimitsUntil } from '../explain/earlier-limits';
import type { Reader } from '../data/reader';
import { t } from '../../i18n';
import { useSession } from '../state/session';
import type { Act } from '../state/use-act';
import { showTime } from '../words/words';

interface EarlierLimitsOf {
  /** Null: it is not known yet. */
  readonly reader: Reader | null;
  readonly now: number;
  /** What is said of the specification's limits covers sources that were recorded under them, too. */
  readonly limits: Settings['limits'];
  /** Shows what went wrong. */
  readonly act: Act;
}

/** Says until when what is promised does not hold, because of sources that were recorded under other settings. */
export function EarlierLimits(of: EarlierLimitsOf): JSX.Element | null {
  const until = useEarlierLimits(of);
  if (until === null) return null;
  return (
    <p class="warn" id="earlier-limits">
      {t('limits_earlier', { until: showTime(until) })}
    </p>
  );
}

/** On the pages that show records: of this device, or of an open file. */
export function EarlierLimitsOfRecords(): JSX.Element | null {
  const { reader, overview, settings, act } = useSession();
  return <EarlierLimits reader={reader} now={overview.now} limits={settings.limits} act={act} />;
}

function useEarlierLimits({ reader, now, limits, act }: EarlierLimitsOf): Moment | null {
  const [until, setUntil] = useState<Moment | null>(null);
  useEffect(() => {
    if (reader === null || limits === 'specification') return;
    const load = (): void => {
      reader.range('sources', 0, Infinity).then(
        (sources) => setUntil(earlierLimitsUntil(sources, now)),
        (error: unknown) =>
          act(() => Promise.reject(error instanceof Error ? error : new Error(String(error)))),
      );
    };
    load();
    return reader.onChange(({ sources }) => {
      if (sources !== undefined) load();
    });
  }, [reader, limits]);
  return limits === 'specification' ? null : until;
}
