import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { peopleNeeded, MOST_PEOPLE, type Aim } from '../../analysis/estimate/lift/people-needed';
import { registeredConfiguration } from '../../analysis/estimate/quantities/registered-configuration';
import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { rich, t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { LinePlot } from '../pages/ui/line-plot';
import { showDecimal, showNumber } from '../pages/words/words';
import { Slider } from './slider';
import { useFound } from './use-found';
import { LabelledSelect } from '../../ui/select';

/** What a person has: the defaults of the API, or the click that docs/field-trial.md advises. */
const ads = {
  view: ['event', {}],
  click: ['navigation', {}],
  small: [
    'navigation',
    { max_event_level_reports: 1, trigger_data: [0, 1], event_report_windows: { end_times: [604_800] } },
  ],
} as const satisfies Readonly<Record<string, readonly [SourceType, JsonObject]>>;
type Ad = keyof typeof ads;
const adNames = Object.keys(ads) as readonly Ad[];

const CHANCE = 0.8;
const LEVEL = 0.95;
/** The answer is then wrong by some percent. */
const RUNS = 200;
/** The curve's, beside the one that is chosen. */
const EPSILONS = [1, 2, 3, 5, 8, 14];

interface Wanted {
  readonly ad: Ad;
  readonly rate: number;
  readonly aim: Aim;
}

/** How many people a trial needs, by simulation, as `cointoss power` says it. */
export function HowMany(): JSX.Element {
  const [ad, setAd] = useState<Ad>('view');
  const [epsilon, setEpsilon] = useState(3);
  const [rate, setRate] = useState(2);
  const [kind, setKind] = useState<Aim['kind']>('interval');
  const [within, setWithin] = useState(1);
  const [more, setMore] = useState(1);
  const [campaigns, setCampaigns] = useState(2);
  const aim: Aim =
    kind === 'interval'
      ? { kind, within: within / 100 }
      : { kind, best: Math.min(1, (rate + more) / 100), campaigns };
  return (
    <>
      <h1>{t('people')}</h1>
      <Card>
        <p>{t('people_what')}</p>
        <LabelledSelect
          id="people-ad"
          label={t('people_ad')}
          of={adNames.map((name) => [name, t('people_ad_is', { ad: name })])}
          value={ad}
          onChoose={setAd}
        />
        <Slider
          id="people-epsilon"
          label={t('tables_column_epsilon')}
          min={1}
          max={14}
          step={0.5}
          value={epsilon}
          onChange={setEpsilon}
        />
        <Slider
          id="people-rate"
          label={t('people_rate')}
          min={0.5}
          max={50}
          step={0.5}
          value={rate}
          onChange={setRate}
        />
        <LabelledSelect
          id="people-aim"
          label={t('people_aim')}
          of={[
            ['interval', t('people_aim_interval')],
            ['best', t('people_aim_best')],
          ]}
          value={kind}
          onChoose={setKind}
        />
        {kind === 'interval' ? (
          <Slider
            id="people-within"
            label={t('people_within')}
            min={0.1}
            max={10}
            step={0.1}
            value={within}
            onChange={setWithin}
          />
        ) : (
          <>
            <Slider
              id="people-more"
              label={t('people_more')}
              min={0.5}
              max={20}
              step={0.5}
              value={more}
              onChange={setMore}
            />
            <Slider
              id="people-campaigns"
              label={t('people_campaigns')}
              min={2}
              max={20}
              step={1}
              value={campaigns}
              onChange={setCampaigns}
            />
          </>
        )}
      </Card>
      <Answer wanted={{ ad, rate: rate / 100, aim }} epsilon={epsilon} />
    </>
  );
}

function Answer({ wanted, epsilon }: { readonly wanted: Wanted; readonly epsilon: number }): JSX.Element {
  // The chosen ε first.
  const found = useFound(JSON.stringify(wanted), [epsilon, ...EPSILONS], (at) => search(wanted, at));
  const needed = found.get(epsilon);
  const known = [...found].flatMap(([at, tried]) => (tried === null ? [] : [[at, tried.people] as const]));
  return (
    <Card title={t('people_answer')}>
      <p role="status" id="people-needed">
        {needed === undefined
          ? t('people_searching')
          : needed === null
            ? t('people_too_many', { people: showNumber(MOST_PEOPLE) })
            : t('people_needed', {
                people: showNumber(needed.people),
                chance: showDecimal(CHANCE * 100),
                aim: wanted.aim.kind,
                within: wanted.aim.kind === 'interval' ? wanted.aim.within * 100 : 0,
              })}
      </p>
      {known.length > 1 && (
        <LinePlot
          lines={[
            {
              name: t('people'),
              look: 'estimate',
              points: known.sort(([a], [b]) => a - b),
              at: epsilon,
            },
          ]}
          ticks={EPSILONS}
          xTitle={t('tables_column_epsilon')}
          yTitle={t('people')}
          label={t('people_curve')}
        />
      )}
      <p class="soft small">
        {rich('people_assumed', {
          level: showDecimal(LEVEL * 100),
          code: (parts) => <code>{parts}</code>,
        })}
      </p>
    </Card>
  );
}

function search({ ad, rate, aim }: Wanted, epsilon: number): ReturnType<typeof peopleNeeded> {
  const [sourceType, fields] = ads[ad];
  const configuration = registeredConfiguration(sourceType, epsilon, fields);
  return peopleNeeded({ configuration, rate, aim, chance: CHANCE, level: LEVEL }, RUNS, 'lab');
}
