import { greatest } from '../../../numeric/extremes';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { PlainTable } from '../../../ui/fitting-table';
import type { PostedAnswer } from '../../http/answers';
import type { ReachNumber } from '../../http/posted-reach';
import { withInterval } from './campaign-cells';
import { t } from './language';
import { bare, showInterval, showPeople, showRate, showTime, titleOf } from './words';

const MOST = 50;

/** How many people saw ads, and how often, as the operator posted it. */
export function ReachTable({
  reach: { received_time: time, rows },
}: {
  readonly reach: PostedAnswer<ReachNumber>;
}): JSX.Element | null {
  const groups = useMemo(() => grouped(rows), [rows]);
  if (time === null) return null;
  const columns = (rows[0]?.group ?? []).map(([column]) => column);
  const most = Math.max(1, greatest(rows.map(({ impressions }) => impressions)));
  const further = Array.from({ length: most - 1 }, (_, index) => index + 2);
  return (
    <section class="card" id="reach">
      <h2 id="reach-title">{t('reach-title')}</h2>
      <p class="soft small">
        {t('reach-meaning', { time: showTime(time), by: rows[0]?.by === 'exact' ? 'exact' : 'noise' })}
      </p>
      <PlainTable
        id="reached"
        class="scroll"
        label={{ 'aria-labelledby': 'reach-title' }}
        head={[
          columns.length === 0 ? t('everybody') : columns.map(titleOf).join(', '),
          t('people'),
          t('posted-interval'),
          ...further.map((count) => t('people-at-least', { count })),
        ]}
      >
        {[...groups].slice(0, MOST).map(([name, numbers]) => (
          <Row key={name} {...{ name, numbers, further }} />
        ))}
      </PlainTable>
      {groups.size > MOST && <p class="soft small">{t('more-rows', { count: groups.size - MOST })}</p>}
    </section>
  );
}

/** By the name of the group, and how many impressions people have at least. */
function grouped(rows: readonly ReachNumber[]): ReadonlyMap<string, ReadonlyMap<number, ReachNumber>> {
  const groups = new Map<string, Map<number, ReachNumber>>();
  for (const row of rows) {
    const name = row.group.map(([, value]) => (value === '' ? t('no-value') : bare(value))).join(', ');
    groups.set(name, (groups.get(name) ?? new Map<number, ReachNumber>()).set(row.impressions, row));
  }
  return groups;
}

const Row = ({
  name,
  numbers,
  further,
}: {
  readonly name: string;
  readonly numbers: ReadonlyMap<number, ReachNumber>;
  readonly further: readonly number[];
}): JSX.Element => {
  const all = numbers.get(1);
  return (
    <tr data-reach={name}>
      <th scope="row">{name === '' ? t('everybody') : name}</th>
      <td>{peopleOf(all)}</td>
      <td>{all === undefined ? '–' : showInterval(all.low, all.high, showPeople)}</td>
      {further.map((count) => (
        <td key={count}>{shareOf(numbers.get(count))}</td>
      ))}
    </tr>
  );
};

/** As the share of all who were reached, which frequency is in the literature, beside the number. If noise hides the share, the number has an interval. */
function shareOf(number: ReachNumber | undefined): string {
  if (number === undefined) return '?';
  const { estimate: value, low, high, share, share_low: least, share_high: most } = number;
  if (share === null)
    return low === high ? showPeople(value) : withInterval({ value, low, high }, showPeople);
  return t('people-share', {
    people: showPeople(value),
    share: showRate(share, [least, most]),
    interval: showInterval(least ?? NaN, most ?? NaN, showRate),
  });
}

const peopleOf = (number: ReachNumber | undefined): string =>
  number === undefined ? '?' : showPeople(number.estimate);
