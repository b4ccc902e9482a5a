import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { slicesBy } from '../../../analysis/estimate/campaigns';
import {
  doubtOfShare,
  doubtValues,
  foundLifts,
  measuredLifts,
} from '../../../analysis/estimate/measured-lifts';
import { FittingTable } from '../../../ui/fitting-table';
import { isFiltered, type View } from './address';
import type { Answers } from './answers';
import { t } from './language';
import { showEstimate, showRate } from './words';

/** What the ads of a lift test added, if the groups are its arms. The reader says how many people were held out. */
export function LiftTable({
  view,
  answers: { estimates, group, summary, histogram },
}: {
  readonly view: View;
  readonly answers: Answers;
}): JSX.Element | null {
  const [percent, setPercent] = useState(50);
  const slices = (rows: typeof summary.rows): ReturnType<typeof slicesBy> =>
    isFiltered(view) ? new Map() : slicesBy(rows, group);
  const posted = { slices: slices(summary.rows), histogram: slices(histogram.rows) };
  const lifts = foundLifts(measuredLifts(estimates, posted, percent / 100));
  if (lifts.length === 0) return null;
  const doubt = doubtOfShare(estimates, percent / 100);
  return (
    <section class="card">
      <h2 id="lift-title">{t('lift-title')}</h2>
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
            {lifts.map(([kind, { caused, lift, interval }]) => (
              <tr key={kind}>
                <th scope="row">{t('lift-by', { kind })}</th>
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
              </tr>
            ))}
          </tbody>
        </table>
      </FittingTable>
      <p class="soft small">{t('lift-what')}</p>
    </section>
  );
}
