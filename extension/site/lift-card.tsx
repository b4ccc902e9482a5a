import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { doubtOfShare, doubtValues, foundLifts, measuredLifts } from '../../analysis/estimate/measured-lifts';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result-json';
import { PlainTable } from '../../ui/fitting-table';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { percent, rounded } from './configuration-card';
import { Slider } from './slider';

const nothingPosted = { slices: new Map(), histogram: new Map() };

/** What the ads of a lift test added, if the groups are its arms. The reader says how many people were held out. */
export function LiftCard({ result }: { readonly result: EstimateResult }): JSX.Element | null {
  const [held, setHeld] = useState(50);
  const json = resultJson(result);
  const lifts = foundLifts(measuredLifts(json, nothingPosted, held / 100));
  if (lifts.length === 0) return null;
  const doubt = doubtOfShare(json, held / 100);
  return (
    <Card title={t('site_lift')}>
      <Slider
        id="holdout"
        label={t('site_lift_holdout')}
        min={1}
        max={99}
        step={1}
        value={held}
        onChange={setHeld}
      />
      {doubt !== null && <p class="banner">{t('site_lift_doubt', doubtValues(doubt, held / 100))}</p>}
      <PlainTable id="lift" head={[t('site_lift_caused'), t('site_lift')]}>
        {lifts.map(([kind, { caused, lift, interval }]) => (
          <tr key={kind}>
            <td>
              {t('site_with_interval', {
                value: rounded(caused.estimate, caused.interval),
                low: rounded(caused.interval[0], caused.interval),
                high: rounded(caused.interval[1], caused.interval),
              })}
            </td>
            <td>
              {t('site_with_interval', {
                value: lift === null ? '–' : percent(lift),
                low: percent(interval[0]),
                high: Number.isFinite(interval[1]) ? percent(interval[1]) : '∞',
              })}
            </td>
          </tr>
        ))}
      </PlainTable>
      <p class="soft small">{t('site_lift_what')}</p>
    </Card>
  );
}
