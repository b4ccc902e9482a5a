import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { FittingTable } from '../../../ui/fitting-table';
import type { Answers } from './answers';
import { IntervalMark, scaleOf, type Scale } from './interval-mark';
import { t } from './language';
import { rangesOf, ranked, type Ranked } from './ranking';
import { showCount, showEstimate, showInterval, showRate, titleOf } from './words';

const MOST = 20;

/** Which groups do best, as far as the noise allows to say. */
export function RankingTable({
  answers: { estimates, truth, group },
  nameOf,
}: {
  readonly answers: Answers;
  readonly nameOf: (group: string) => string;
}): JSX.Element | null {
  const rows = useMemo(() => ranked(estimates, truth), [estimates, truth]);
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MOST);
  const scale = scaleOfRows(shown);
  return (
    <section class="card">
      <h2 id="ranking-title">{t('ranking-title', { property: titleOf(group) })}</h2>
      <FittingTable class="scroll" label={{ 'aria-labelledby': 'ranking-title' }}>
        <table class="plain-table" id="ranking">
          <thead>
            <tr>
              <th scope="col">{t('rank')}</th>
              <th scope="col">{titleOf(group)}</th>
              <th scope="col">{t('rate')}</th>
              <th scope="col">{t('interval-95')}</th>
              <th scope="col" aria-hidden="true" />
              {truth !== null && <th scope="col">{t('true-rate')}</th>}
              <th scope="col">{t('alike')}</th>
              <th scope="col">{t('conversions')}</th>
              <th scope="col">{t('interval-95')}</th>
              {truth !== null && <th scope="col">{t('true-conversions')}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <Row key={row.group} name={nameOf(row.group)} {...{ row, index, scale }} />
            ))}
          </tbody>
        </table>
      </FittingTable>
      <p class="soft small">
        {t('alike-meaning')}
        {rows.length > MOST && ` ${t('more-ranks', { count: rows.length - MOST })}`}
      </p>
    </section>
  );
}

const Row = ({
  row: { group, rate, conversions, truth, alike },
  index,
  name,
  scale,
}: {
  readonly row: Ranked;
  readonly index: number;
  readonly name: string;
  readonly scale: Scale;
}): JSX.Element => (
  <tr data-ranked={group}>
    <td>{index + 1}</td>
    <th scope="row">{name}</th>
    <td>{showRate(rate.value)}</td>
    <td>{showInterval(rate.low, rate.high, showRate)}</td>
    <td aria-hidden="true">
      <IntervalMark of={rate} truth={truth?.rate ?? null} scale={scale} />
    </td>
    {truth !== null && <td>{showRate(truth.rate)}</td>}
    <td class={alike.length > 0 ? 'alike' : undefined}>{alike.length > 0 ? `≈ ${rangesOf(alike)}` : '–'}</td>
    <td>{showEstimate(conversions.value)}</td>
    <td>{showInterval(conversions.low, conversions.high, showEstimate)}</td>
    {truth !== null && <td>{showCount(truth.conversions)}</td>}
  </tr>
);

/** All rows have the same scale. */
const scaleOfRows = (rows: readonly Ranked[]): Scale =>
  scaleOf(rows.flatMap(({ rate: { low, high }, truth }) => [low, high, truth?.rate ?? 0]));
