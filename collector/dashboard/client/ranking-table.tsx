import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Answers } from './answers';
import { t } from './language';
import { rangesOf, ranked, type Estimated, type Ranked } from './ranking';
import { showCount, showEstimate, showInterval, showRate, titleOf } from './words';

const MOST = 20;

/** Which groups do best, as far as the noise lets anybody tell. */
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
  const scale = scaleOf(shown);
  return (
    <section class="card">
      <h2 id="ranking-title">{t('ranking-title', { property: titleOf(group) })}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="ranking-title">
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
      </div>
      <p class="soft small">
        {t('alike-meaning')}
        {rows.length > MOST && ` ${t('more-ranks', { count: rows.length - MOST })}`}
      </p>
    </section>
  );
}

type Scale = (rate: number) => number;

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
      <IntervalMark rate={rate} truth={truth?.rate ?? null} scale={scale} />
    </td>
    {truth !== null && <td>{showRate(truth.rate)}</td>}
    <td class={alike.length > 0 ? 'alike' : undefined}>{alike.length > 0 ? `≈ ${rangesOf(alike)}` : '–'}</td>
    <td>{showEstimate(conversions.value)}</td>
    <td>{showInterval(conversions.low, conversions.high, showEstimate)}</td>
    {truth !== null && <td>{showCount(truth.conversions)}</td>}
  </tr>
);

const WIDTH = 160;

/** All rows have the same scale, from 0 or the lowest end to the highest. */
function scaleOf(rows: readonly Ranked[]): Scale {
  const ends = rows.flatMap(({ rate: { low, high }, truth }) => [low, high, truth?.rate ?? 0]);
  const finite = [0, ...ends.filter(Number.isFinite)];
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  return (rate) =>
    (most === least ? 0 : (Math.min(most, Math.max(least, rate)) - least) / (most - least)) * WIDTH;
}

const IntervalMark = ({
  rate: { value, low, high },
  truth,
  scale,
}: {
  readonly rate: Estimated;
  readonly truth: number | null;
  readonly scale: Scale;
}): JSX.Element => (
  <svg class="interval-mark" width={WIDTH + 8} height="14" viewBox={`-4 0 ${WIDTH + 8} 14`}>
    <line class="zero" x1={scale(0)} x2={scale(0)} y1="0" y2="14" />
    <rect class="interval" x={scale(low)} width={Math.max(1, scale(high) - scale(low))} y="4" height="6" />
    <circle class="estimate" cx={scale(value)} cy="7" r="4" />
    {truth !== null && <line class="truth" x1={scale(truth)} x2={scale(truth)} y1="1" y2="13" />}
  </svg>
);
