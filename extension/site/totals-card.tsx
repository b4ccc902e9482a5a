import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  byRank,
  comparedTotals,
  notesOf,
  type ComparedTotal,
  type UnrankedNote,
} from '../../analysis/estimate/result/comparison';
import type { Quantity } from '../../analysis/estimate/quantities/quantities';
import { areTied, pairLevel, pairsOf } from '../../analysis/estimate/intervals/ranks';
import type { Estimate } from '../../analysis/estimate/unbiased/response-estimate';
import { isBounded, type EstimateResult } from '../../analysis/estimate/result/result-json';
import { PlainTable } from '../../ui/fitting-table';
import { warning } from '../estimate-texts';
import { t } from '../i18n';
import { showDuration } from '../pages/words/words';
import { Card } from '../pages/ui/basics';
import { percent, rounded, valueIn } from './configuration-card';

/** The groups with the conversions that the reports of all configurations count, and how they compare. */
export function TotalsCard({
  result: { configurations, groupBy, options },
}: {
  readonly result: EstimateResult;
}): JSX.Element {
  const { level } = options;
  const groups = useMemo(
    () => comparedTotals(configurations, level).filter(({ group }) => group.length === groupBy.length),
    [configurations, groupBy, level],
  );
  const hasValues = groups.some(({ values }) => values !== null);
  const ranked = groups.filter(({ rank }) => rank !== null).length;
  return (
    <Card title={t('site_totals')}>
      <PlainTable
        id="totals"
        head={[
          t('site_rank'),
          t('site_group'),
          t('site_rate'),
          t('source_conversions'),
          t('tables_column_sources'),
          hasValues && t('site_values'),
          t('site_tied_with'),
        ]}
      >
        {[...groups].sort(byRank).map((total) => (
          <tr key={total.group.join('\0')} data-group={total.group.join(', ')}>
            <td>{rankIn(total)}</td>
            <th scope="row">{total.group.join(', ')}</th>
            <td>{numberIn(total, 'conversion-rate')}</td>
            <td>{numberIn(total, 'conversions')}</td>
            <td>
              {t('site_covered', {
                all: total.covered === total.sources ? 'yes' : 'no',
                covered: total.covered,
                sources: total.sources,
              })}
            </td>
            {hasValues && <td>{valuesIn(total)}</td>}
            <td>{tiedWith(total, groups)}</td>
          </tr>
        ))}
      </PlainTable>
      {ranked > 1 && (
        <p class="soft small">
          {warning('ranks-meaning', {
            pairs: pairsOf(ranked),
            level: percent(level),
            pairLevel: percent(pairLevel(level, ranked)),
          })}
        </p>
      )}
    </Card>
  );
}

const rankIn = ({ rank }: ComparedTotal): string =>
  rank === null ? '–' : t('site_rank_is', { ...rank, range: rank.best === rank.worst ? 'no' : 'yes' });

/** With its interval. A rate is only known of a group whose sources all count conversions. */
function numberIn({ estimates, covered, sources }: ComparedTotal, kind: Quantity['kind']): string {
  const found = estimates.find(({ quantity }) => quantity.kind === kind)?.estimate;
  const isRate = kind === 'conversion-rate';
  if (found === undefined || (isRate && covered < sources)) return '–';
  return withInterval(found, isRate ? percent : rounded);
}

/** An average is the estimate over so many. */
export function withInterval(found: Estimate, show: typeof rounded, over = 1): string {
  if (!isBounded(found.interval)) return '–';
  const ends = found.interval.map((end) => end / over);
  const [low = NaN, high = NaN] = ends;
  const value = valueIn(found, (estimate) => show(estimate / over, ends));
  return t('site_with_interval', { value, low: show(low, ends), high: show(high, ends) });
}

/** The sum of the sources that report values or the buckets of sums, and their average. */
function valuesIn({ values }: ComparedTotal): string {
  if (values === null) return '–';
  const { sources, sum } = values;
  return t('site_values_of', {
    sum: withInterval(sum.estimate, rounded),
    average: withInterval(sum.estimate, rounded, sources),
    n: sources,
  });
}

const tiedWith = (total: ComparedTotal, groups: readonly ComparedTotal[]): string =>
  total.rank === null
    ? notesOf(total, groups).map(noteIn).join('; ')
    : groups
        .filter((other) => other !== total && isTied(total, other))
        .map(({ group }) => group.join(', '))
        .join('; ') || '–';

const isTied = (a: ComparedTotal, b: ComparedTotal): boolean =>
  a.compared !== null && b.compared !== null && areTied(a.compared, b.compared);

const durations = (ends: readonly number[]): string => ends.map((end) => showDuration(end * 1000)).join(', ');

const noteIn = (note: UnrankedNote): string =>
  warning(note.id, {
    count: 'count' in note ? note.count : 0,
    sources: 'sources' in note ? note.sources : 0,
    windows: 'windows' in note ? durations(note.windows) : '',
    usual: 'usual' in note ? durations(note.usual) : '',
  });
