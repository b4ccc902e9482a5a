import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { slicesBy } from '../../../analysis/estimate/result/campaigns';
import type { Lift } from '../../../analysis/estimate/lift/lift';
import { shownLifts, type ShownLifts } from '../../../analysis/estimate/lift/lift-by-trigger-data';
import { doubtValues } from '../../../analysis/estimate/lift/measured-lifts';
import { FittingTable } from '../../../ui/fitting-table';
import { FoldableCard } from '../../../ui/foldable-card';
import { LabelledSelect } from '../../../ui/select';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { t } from './language';
import { showEstimate, showRate } from './words';

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
  const [wanted, setWanted] = useState('');
  const slices = (rows: typeof summary.rows): ReturnType<typeof slicesBy> =>
    isFiltered(view) ? new Map() : slicesBy(rows, group);
  const posted = { slices: slices(summary.rows), histogram: slices(histogram.rows) };
  const shown = shownLifts(estimates, posted, wanted, percent / 100);
  if (shown === null) return null;
  const { orders, chosen, lifts, problem, doubt, hasArms } = shown;
  return (
    <FoldableCard title={<h2 id="lift-title">{t('lift-title')}</h2>} isFolded={!hasArms}>
      {orders.size > 0 && (
        <LabelledSelect
          id="lift-arms"
          label={t('lift-arms')}
          of={[
            ['', t('lift-arms-by-groups')],
            ...[...orders].map(([key, one]) => [key, t('lift-arms-data', { ...one })] as const),
          ]}
          value={chosen}
          onChoose={setWanted}
        />
      )}
      {problem === 'uncertain-loss' && <p id="no-lift">{t('lift-uncertain-loss')}</p>}
      {problem === 'unknown' && <p id="no-lift">{t('lift-unknown')}</p>}
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
              onInput={({ currentTarget: { valueAsNumber: held } }) => {
                if (held > 0 && held < 100) setPercent(held);
              }}
            />
          </p>
          {doubt !== null && <p class="banner">{t('lift-doubt', doubtValues(doubt, percent / 100))}</p>}
          <Lifts lifts={lifts} />
        </>
      )}
      <p class="soft small">{t(chosen === '' && hasArms ? 'lift-what' : 'lift-arms-what')}</p>
    </FoldableCard>
  );
}

const Lifts = ({ lifts }: Pick<ShownLifts, 'lifts'>): JSX.Element => (
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
