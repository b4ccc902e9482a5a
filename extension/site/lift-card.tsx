import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ordersOf, pairOfData, shownLift, type ArmData } from '../../analysis/estimate/lift-by-trigger-data';
import { doubtOfShare, doubtValues, foundLifts, measuredLifts } from '../../analysis/estimate/measured-lifts';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result-json';
import { PlainTable } from '../../ui/fitting-table';
import { LabelledSelect } from '../../ui/select';
import { warning } from '../estimate-texts';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { percent, rounded } from './configuration-card';
import { Slider } from './slider';

const nothingPosted = { slices: new Map(), histogram: new Map() };
const byGroups = '';

/**
 * What the ads of a lift test added, if the groups are its arms, or if the reader says which trigger data are. The reader also says how many people
 * were held out.
 */
export function LiftCard({ result }: { readonly result: EstimateResult }): JSX.Element | null {
  const [held, setHeld] = useState(50);
  const [chosen, setChosen] = useState(byGroups);
  const json = resultJson(result);
  const pair = pairOfData(json);
  const orders = new Map((pair === null ? [] : ordersOf(pair)).map((data) => [keyOf(data), data]));
  const data = orders.get(chosen);
  const byData = data === undefined ? null : shownLift(json, data, held / 100);
  const byArms = foundLifts(measuredLifts(json, nothingPosted, held / 100));
  const lifts: ReturnType<typeof foundLifts> =
    byData === null ? byArms : typeof byData === 'string' ? [] : [['event_level', byData]];
  if (lifts.length === 0 && pair === null) return null;
  const doubt = byData === null && lifts.length > 0 ? doubtOfShare(json, held / 100) : null;
  return (
    <LiftSection isFolded={byArms.length === 0}>
      {pair !== null && (
        <LabelledSelect
          id="lift-arms"
          label={t('site_lift_arms')}
          of={[
            [byGroups, t('site_lift_arms_by_groups')],
            ...[...orders].map(([key, one]) => [key, t('site_lift_arms_data', { ...one })] as const),
          ]}
          value={data === undefined ? byGroups : chosen}
          onChoose={setChosen}
        />
      )}
      {byData === 'uncertain-loss' && <p id="no-lift">{t('site_lift_uncertain_loss')}</p>}
      {byData === 'unknown' && <p id="no-lift">{t('site_lift_unknown')}</p>}
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
      <p class="soft small">
        {byData === null && lifts.length > 0 ? t('site_lift_what') : t('site_lift_arms_what')}
      </p>
    </LiftSection>
  );
}

/** Folded where no group says that there is a lift test: two trigger data say it of few logs. */
const LiftSection = ({
  isFolded,
  children,
}: {
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}): JSX.Element =>
  isFolded ? (
    <details class="card folded">
      <summary>
        <h2>{t('site_lift')}</h2>
      </summary>
      {children}
    </details>
  ) : (
    <Card title={t('site_lift')}>{children}</Card>
  );

const keyOf = ({ exposed, holdout }: ArmData): string => `${exposed},${holdout}`;

const Lifts = ({ lifts }: { readonly lifts: ReturnType<typeof foundLifts> }): JSX.Element => (
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
