import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownLifts, type ShownLifts } from '../../analysis/estimate/lift/lift-by-trigger-data';
import { doubtValues } from '../../analysis/estimate/lift/measured-lifts';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result/result-json';
import { PlainTable } from '../../ui/fitting-table';
import { FoldableCard } from '../../ui/foldable-card';
import { LabelledSelect } from '../../ui/select';
import { warning } from '../estimate-texts';
import { t } from '../i18n';
import { percent, rounded } from './configuration-card';
import { Slider } from './slider';

const nothingPosted = { slices: new Map(), histogram: new Map() };

/**
 * What the ads of a lift test added, if the groups are its arms, or if the reader says which trigger data are. The reader also says how many people
 * were held out.
 */
export function LiftCard({ result }: { readonly result: EstimateResult }): JSX.Element | null {
  const [held, setHeld] = useState(50);
  const [wanted, setWanted] = useState('');
  const shown = shownLifts(resultJson(result), nothingPosted, wanted, held / 100);
  if (shown === null) return null;
  const { orders, chosen, lifts, problem, doubt, hasArms } = shown;
  return (
    <FoldableCard title={<h2>{t('site_lift')}</h2>} isFolded={!hasArms}>
      {orders.size > 0 && (
        <LabelledSelect
          id="lift-arms"
          label={t('site_lift_arms')}
          of={[
            ['', t('site_lift_arms_by_groups')],
            ...[...orders].map(([key, one]) => [key, t('site_lift_arms_data', { ...one })] as const),
          ]}
          value={chosen}
          onChoose={setWanted}
        />
      )}
      {problem === 'uncertain-loss' && <p id="no-lift">{t('site_lift_uncertain_loss')}</p>}
      {problem === 'unknown' && <p id="no-lift">{t('site_lift_unknown')}</p>}
      {lifts.length > 0 && (
        <>
          <Slider
            id="holdout"
            label={t('site_lift_holdout')}
            min={1}
            max={99}
            step={1}
            value={held}
            onChange={setHeld}
          />
          {doubt !== null && <p class="banner">{warning('lift-doubt', doubtValues(doubt, held / 100))}</p>}
          <Lifts lifts={lifts} />
        </>
      )}
      <p class="soft small">{chosen === '' && hasArms ? t('site_lift_what') : t('site_lift_arms_what')}</p>
    </FoldableCard>
  );
}

const Lifts = ({ lifts }: Pick<ShownLifts, 'lifts'>): JSX.Element => (
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
);
