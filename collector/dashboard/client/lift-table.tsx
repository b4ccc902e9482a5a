import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { slicesBy } from '../../../analysis/estimate/campaigns';
import type { Lift } from '../../../analysis/estimate/lift';
import {
  ordersOf,
  pairOfData,
  shownLift,
  type ArmData,
} from '../../../analysis/estimate/lift-by-trigger-data';
import {
  doubtOfShare,
  doubtValues,
  foundLifts,
  measuredLifts,
} from '../../../analysis/estimate/measured-lifts';
import { FittingTable } from '../../../ui/fitting-table';
import { LabelledSelect } from '../../../ui/select';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { t } from './language';
import { showEstimate, showRate } from './words';

const byGroups = '';

/**
 * What the ads of a lift test added, if the groups are its arms, or if the reader says which trigger data are. The reader also says how many people
 * were held out.
 */
export function LiftTable({
  view,
  answers: { estimates, group, summary, histogram },
}: {
  readonly view: View;
  readonly answers: Answers;
}): JSX.Element | null {
  const [percent, setPercent] = useState(50);
  const [chosen, setChosen] = useState(byGroups);
  const slices = (rows: typeof summary.rows): ReturnType<typeof slicesBy> =>
    isFiltered(view) ? new Map() : slicesBy(rows, group);
  const posted = { slices: slices(summary.rows), histogram: slices(histogram.rows) };
  const pair = pairOfData(estimates);
  const orders = new Map((pair === null ? [] : ordersOf(pair)).map((data) => [keyOf(data), data]));
  const data = orders.get(chosen);
  const byData = data === undefined ? null : shownLift(estimates, data, percent / 100);
  const byArms = foundLifts(measuredLifts(estimates, posted, percent / 100));
  const lifts: ReturnType<typeof foundLifts> =
    byData === null ? byArms : typeof byData === 'string' ? [] : [['event_level', byData]];
  if (lifts.length === 0 && pair === null) return null;
  const doubt = byData === null && lifts.length > 0 ? doubtOfShare(estimates, percent / 100) : null;
  return (
    <LiftSection isFolded={byArms.length === 0}>
      {pair !== null && (
        <LabelledSelect
          id="lift-arms"
          label={t('lift-arms')}
          of={[
            [byGroups, t('lift-arms-by-groups')],
            ...[...orders].map(([key, one]) => [key, t('lift-arms-data', { ...one })] as const),
          ]}
          value={data === undefined ? byGroups : chosen}
          onChoose={setChosen}
        />
      )}
      {byData === 'uncertain-loss' && <p id="no-lift">{t('lift-uncertain-loss')}</p>}
      {byData === 'unknown' && <p id="no-lift">{t('lift-unknown')}</p>}
      {lifts.length > 0 && (
        <>
          <p class="row">
            <label for="holdout">{t('lift-holdout')}</label>
            <input
              id="holdout"
              type="number"
              min={1}
              max={99}
              step="any"
              value={percent}
              onInput={({ currentTarget: { valueAsNumber: wanted } }) => {
                if (wanted > 0 && wanted < 100) setPercent(wanted);
              }}
            />
          </p>
          {doubt !== null && <p class="banner">{t('lift-doubt', doubtValues(doubt, percent / 100))}</p>}
          <Lifts lifts={lifts} />
        </>
      )}
      <p class="soft small">{t(byData === null && lifts.length > 0 ? 'lift-what' : 'lift-arms-what')}</p>
    </LiftSection>
  );
}

/** Folded where no group says that there is a lift test: two trigger data say it of few logs. */
function LiftSection({
  isFolded,
  children,
}: {
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const title = <h2 id="lift-title">{t('lift-title')}</h2>;
  return isFolded ? (
    <details class="card folded">
      <summary>{title}</summary>
      {children}
    </details>
  ) : (
    <section class="card">
      {title}
      {children}
    </section>
  );
}

const keyOf = ({ exposed, holdout }: ArmData): string => `${exposed},${holdout}`;

const Lifts = ({ lifts }: { readonly lifts: ReturnType<typeof foundLifts> }): JSX.Element => (
  <FittingTable class="scroll whole" label={{ 'aria-labelledby': 'lift-title' }}>
    <table class="plain-table" id="lift">
      <thead>
        <tr>
          <td />
          <th scope="col">{t('lift-caused')}</th>
          <th scope="col">{t('lift-share')}</th>
        </tr>
      </thead>
      <tbody>
        {lifts.map(([kind, lift]) => (
          <tr key={kind}>
            <th scope="row">{t('lift-by', { kind })}</th>
            <LiftCells lift={lift} />
          </tr>
        ))}
      </tbody>
    </table>
  </FittingTable>
);

const LiftCells = ({ lift: { caused, lift, interval } }: { readonly lift: Lift }): JSX.Element => (
  <>
    <td>
      {t('lift-interval', {
        value: showEstimate(caused.estimate, caused.interval),
        low: showEstimate(caused.interval[0], caused.interval),
        high: showEstimate(caused.interval[1], caused.interval),
      })}
    </td>
    <td>
      {t('lift-interval', {
        value: showRate(lift),
        low: showRate(interval[0]),
        high: Number.isFinite(interval[1]) ? showRate(interval[1]) : '∞',
      })}
    </td>
  </>
);
