import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../../i18n';
import { useDataset, useSession } from '../../state/session';
import { log } from '../../tables/log';
import { Card } from '../../ui/basics';
import { emptyWords } from '../../words/empty-words';
import { showNumber } from '../../words/words';
import { cellOf, labelOf } from './cells';
import { greatest } from '../../../../numeric/extremes';

const SHOWN = 8;

/** Today's registrations by outcome, as bars. */
export function Today(): JSX.Element {
  const { overview, site, truth } = useSession();
  const dataset = useDataset(log);
  const outcomeKey = truth ? 'exact' : 'outcome';
  const { now } = overview;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const counts = useMemo(() => {
    const [time, what, outcome] = ['time', 'what', outcomeKey].map((key) => cellOf(log, key));
    const found = new Map<string, { what: string; outcome: string; count: number }>();
    for (const item of dataset.items.values()) {
      const at = Number(time?.(item));
      // A record can be later than now: the clock was turned forward for it, and back since.
      if (at < midnight || at > now || (site !== null && !item.sites.includes(site))) continue;
      const key = `${String(what?.(item))}: ${String(outcome?.(item))}`;
      const known = found.get(key);
      if (known !== undefined) known.count += 1;
      else found.set(key, { what: String(what?.(item)), outcome: String(outcome?.(item)), count: 1 });
    }
    return [...found.values()].sort((a, b) => b.count - a.count);
  }, [dataset, dataset.version, now, midnight, site, outcomeKey]);
  const most = greatest([1, ...counts.map(({ count }) => count)]);
  return (
    <Card title={t('overview_today')}>
      {counts.length === 0 ? (
        <p class="soft">
          {dataset.isComplete ? emptyWords(overview, t('overview_nothing_today')) : t('overview_reading_log')}
        </p>
      ) : (
        <div class="bars">
          {counts.slice(0, SHOWN).map(({ what, outcome, count }) => (
            <a
              key={`${what} ${outcome}`}
              href={`#/log?${new URLSearchParams({ 'is.what': what, [`is.${outcomeKey}`]: outcome }).toString()}`}
            >
              <span>
                {t('overview_outcome', {
                  what: labelOf(log, 'what')(what),
                  outcome: labelOf(log, outcomeKey)(outcome),
                })}
              </span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <span class="number">{showNumber(count)}</span>
            </a>
          ))}
        </div>
      )}
    </Card>
  );
}
