import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { FittingTable } from '../../../ui/fitting-table';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { columnsOf, compared, type Compared } from './comparison';
import { IntervalMark, scaleOf, type Scale } from './interval-mark';
import { t } from './language';
import { ranked } from './ranking';
import { insideOf, showCount, showEstimate, showInterval, showNumber, showTime, titleOf } from './words';

const MOST = 20;

/** What the operator posted of a summary report beside the event-level estimates, and which is tighter. */
export function SummaryTable({
  view,
  answers: { estimates, truth, group, summary },
  nameOf,
}: {
  readonly view: View;
  readonly answers: Answers;
  readonly nameOf: (group: string) => string;
}): JSX.Element | null {
  const rows = useMemo(
    () => compared(summary.rows, group, ranked(estimates, truth)),
    [summary, group, estimates, truth],
  );
  if (summary.received_time === null) return null;
  const cannot = isFiltered(view)
    ? t('summary-filtered')
    : rows.length === 0
      ? t('summary-other-columns', {
          columns: columnsOf(summary.rows).map(insideOf).join(', '),
          property: insideOf(group),
        })
      : null;
  return (
    <section class="card" id="summary">
      <h2 id="summary-title">{t('summary-title')}</h2>
      <p class="soft small">{t('summary-meaning', { time: showTime(summary.received_time) })}</p>
      {cannot === null ? (
        <ComparedTable {...{ group, nameOf }} rows={rows} knowsTruth={truth !== null} />
      ) : (
        <p class="empty">{cannot}</p>
      )}
    </section>
  );
}

function ComparedTable({
  group,
  rows,
  nameOf,
  knowsTruth,
}: {
  readonly group: string;
  readonly rows: readonly Compared[];
  readonly nameOf: (group: string) => string;
  readonly knowsTruth: boolean;
}): JSX.Element {
  const shown = rows.slice(0, MOST);
  const scale = scaleOf(
    shown.flatMap(({ summary, eventLevel, truth }) => [
      ...[summary, eventLevel ?? summary].flatMap(({ low, high }) => [low, high]),
      truth ?? 0,
    ]),
  );
  return (
    <>
      <FittingTable class="scroll" label={{ 'aria-labelledby': 'summary-title' }}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{titleOf(group)}</th>
              <th scope="col">{t('by-summary')}</th>
              <th scope="col">{t('posted-interval')}</th>
              <th scope="col" aria-hidden="true" />
              <th scope="col">{t('by-event-level')}</th>
              <th scope="col">{t('interval-95')}</th>
              <th scope="col" aria-hidden="true" />
              <th scope="col">{t('tighter')}</th>
              {knowsTruth && <th scope="col">{t('true-conversions')}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.group} name={nameOf(row.group)} {...{ row, scale, knowsTruth }} />
            ))}
          </tbody>
        </table>
      </FittingTable>
      {rows.length > MOST && <p class="soft small">{t('more-rows', { count: rows.length - MOST })}</p>}
    </>
  );
}

const Row = ({
  row: { group, summary, eventLevel, truth, ratio },
  name,
  scale,
  knowsTruth,
}: {
  readonly row: Compared;
  readonly name: string;
  readonly scale: Scale;
  readonly knowsTruth: boolean;
}): JSX.Element => (
  <tr data-compared={group}>
    <th scope="row">{name}</th>
    <td>{showEstimate(summary.value)}</td>
    <td>{showInterval(summary.low, summary.high, showEstimate)}</td>
    <td aria-hidden="true">
      <IntervalMark of={summary} truth={truth} scale={scale} />
    </td>
    <td>{eventLevel === null ? '–' : showEstimate(eventLevel.value)}</td>
    <td>{eventLevel === null ? '–' : showInterval(eventLevel.low, eventLevel.high, showEstimate)}</td>
    <td aria-hidden="true">
      {eventLevel !== null && <IntervalMark of={eventLevel} truth={truth} scale={scale} />}
    </td>
    <td>{tighterIn(ratio)}</td>
    {knowsTruth && <td>{truth === null ? '–' : showCount(truth)}</td>}
  </tr>
);

/** Which standard error is smaller, and how many times. */
const tighterIn = (ratio: number | null): string =>
  ratio === null
    ? '–'
    : ratio >= 1
      ? t('tighter-summary', { times: timesOf(ratio) })
      : t('tighter-event-level', { times: timesOf(1 / ratio) });

const timesOf = (ratio: number): string => showNumber(Number(ratio.toPrecision(2)));
