import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { log } from '../../tables/log';
import { Card, Chip } from '../../ui/basics';
import { emptyWords } from '../../words/empty-words';
import { bare, showDistance } from '../../words/words';
import { cellOf, labelOf, toneOf } from './cells';

const LATEST = 8;

/** The newest entries of the log, each with what became of it. */
export function Latest(): JSX.Element {
  const { overview, site, truth } = useSession();
  const dataset = useDataset(log);
  const outcomeKey = truth ? 'exact' : 'outcome';
  const latest = useMemo(
    () =>
      [...dataset.items.values()]
        .filter((item) => site === null || item.sites.includes(site))
        .sort((a, b) => b.id - a.id)
        .slice(0, LATEST),
    [dataset, dataset.version, site],
  );
  const [what, outcome, page, time] = ['what', outcomeKey, 'page', 'time'].map((key) => cellOf(log, key));
  return (
    <Card title={t('overview_latest')}>
      {latest.length === 0 ? (
        <p class="soft">
          {dataset.isComplete
            ? emptyWords(overview, t('overview_nothing_latest'))
            : t('overview_reading_log')}
        </p>
      ) : (
        <ol class="latest-entries" id="latest">
          {latest.map((item) => (
            <li key={item.id}>
              <a href={routeTo(['log', item.id])}>
                {t('popup_entry', { what: labelOf(log, 'what')(what?.(item) ?? null), id: item.id })}
              </a>
              <Chip tone={toneOf(log, outcomeKey)(outcome?.(item) ?? null)}>
                {labelOf(log, outcomeKey)(outcome?.(item) ?? null)}
              </Chip>
              <span class="soft small">
                {bare(String(page?.(item) ?? ''))}, {showDistance(overview.now, Number(time?.(item)))}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
