import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { reports } from '../../tables/reports';
import { Card, Moment } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { bare } from '../../words/words';
import { cellOf } from './cells';

const SHOWN = 6;

/** The reports that are sent next. */
export function Due(): JSX.Element {
  const { overview, site } = useSession();
  const dataset = useDataset(reports);
  const next = cellOf(reports, 'next_attempt');
  const destination = cellOf(reports, 'destination');
  const due = useMemo(
    () =>
      [...dataset.items.values()]
        .filter((item) => next(item) !== null && (site === null || item.sites.includes(site)))
        .sort((a, b) => Number(next(a)) - Number(next(b)))
        .slice(0, SHOWN),
    [dataset, dataset.version, site],
  );
  return (
    <Card title={t('overview_due')}>
      {due.length === 0 ? (
        <p class="soft">{t(dataset.isComplete ? 'overview_nothing_due' : 'leaves_reading')}</p>
      ) : (
        <ol class="issues">
          {due.map((item) => (
            <li key={item.id}>
              {rich('overview_report', {
                id: item.id,
                link: linkTo(routeTo(['reports', item.id])),
                destination: bare(String(destination(item) ?? '')),
                when: <Moment time={Number(next(item))} now={overview.now} />,
              })}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
