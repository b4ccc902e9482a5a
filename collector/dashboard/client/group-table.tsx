import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { FittingTable } from '../../../ui/fitting-table';
import type { Answers } from './answers';
import { withInterval } from './campaign-cells';
import { t } from './language';
import { rowsOf, type Conversions, type GroupRow } from './group-rows';
import { insideOf, showCount, showEstimate, showShare, titleOf } from './words';

type Column = 'sources' | 'reports' | 'counted' | 'noise' | 'estimate';

const columns: readonly { readonly key: Column; readonly title: string }[] = [
  { key: 'sources', title: t('sources') },
  { key: 'reports', title: t('reports') },
  { key: 'counted', title: t('conversions-raw') },
  { key: 'noise', title: t('expected-noise') },
  { key: 'estimate', title: t('by-event-level') },
];

/** Every group with its numbers over all configurations, sortable by any column. */
export function GroupTable({
  answers: { statistics, estimates, group },
  nameOf,
}: {
  readonly answers: Answers;
  readonly nameOf: (group: string) => string;
}): JSX.Element {
  const [sort, setSort] = useState<Column>('reports');
  const [descending, setDescending] = useState(true);
  const rows = useMemo(() => rowsOf(statistics, estimates), [statistics, estimates]);
  const sorted = [...rows].sort((a, b) => compare(valueOf(a, sort), valueOf(b, sort), descending));
  const sortBy = (key: Column): void => {
    setDescending(sort === key ? !descending : true);
    setSort(key);
  };
  return (
    <section class="card">
      <h2 id="groups-title">{t('by-group', { property: insideOf(group) })}</h2>
      <FittingTable class="scroll" label={{ 'aria-labelledby': 'groups-title' }}>
        <table class="plain-table sortable" id="groups">
          <thead>
            <tr>
              <th scope="col">{titleOf(group)}</th>
              {columns.map(({ key, title }) => (
                <th
                  key={key}
                  scope="col"
                  {...(sort === key
                    ? { 'aria-sort': descending ? ('descending' as const) : ('ascending' as const) }
                    : {})}
                >
                  <button type="button" class="plain" onClick={() => sortBy(key)}>
                    {title}
                    {sort === key && <span aria-hidden="true">{descending ? '↓' : '↑'}</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ group: of, sources, reports, conversions }) => (
              <tr key={of ?? '\0'} data-group={of}>
                <th scope="row">{of === null ? <span class="soft">{t('not-logged')}</span> : nameOf(of)}</th>
                <td>{showCount(sources)}</td>
                <td>{showCount(reports)}</td>
                <td>{conversions === null ? UNKNOWN : showEstimate(conversions.counted)}</td>
                <td>{conversions === null ? UNKNOWN : noiseShare(conversions)}</td>
                <td>{withInterval(conversions?.estimate ?? null, showEstimate)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </FittingTable>
      {estimates.totals.some(({ covered, sources }) => covered < sources) && (
        <p class="soft small">{t('values-not-counted')}</p>
      )}
      {statistics.moreGroups > 0 && (
        <p class="soft small">{t('more-groups', { count: statistics.moreGroups })}</p>
      )}
    </section>
  );
}

const UNKNOWN = '–';

const noiseShare = ({ counted, noise }: Conversions): string =>
  counted > 0 ? showShare(Math.min(1, noise / counted)) : UNKNOWN;

const valueOf = ({ sources, reports, conversions }: GroupRow, column: Column): number | null =>
  ({
    ...{ sources, reports },
    counted: conversions?.counted ?? null,
    noise: conversions?.noise ?? null,
    estimate: knownOf(conversions?.estimate?.value),
  })[column];

const knownOf = (value = NaN): number | null => (Number.isNaN(value) ? null : value);

/** Unknown values come last in either direction. */
function compare(a: number | null, b: number | null, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return descending ? b - a : a - b;
}
