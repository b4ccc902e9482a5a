import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { peopleNeeded, MOST_PEOPLE, type Aim } from '../../analysis/estimate/people-needed';
import { registeredConfiguration } from '../../analysis/estimate/registered-configuration';
import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { rich, t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { LinePlot } from '../pages/ui/line-plot';
import { showDecimal, showNumber } from '../pages/words/words';
import { Slider } from './slider';

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
/** In ms, so that dragging a slider does not begin a search at each step. */
const PAUSE = 250;

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
        <div class="row">
          <label for="people-ad">{t('people_ad')}</label>
          <select
            id="people-ad"
            value={ad}
            onChange={({ currentTarget: { value } }) =>
              setAd(adNames.find((name) => name === value) ?? 'view')
            }
          >
            {adNames.map((name) => (
              <option key={name} value={name}>
                {t('people_ad_is', { ad: name })}
              </option>
            ))}
          </select>
        </div>
        <Slider
          id="people-epsilon"
          label={t('workbench_epsilon')}
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
        <div class="row">
          <label for="people-aim">{t('people_aim')}</label>
          <select
            id="people-aim"
            value={kind}
            onChange={({ currentTarget: { value } }) => setKind(value === 'best' ? 'best' : 'interval')}
          >
            <option value="interval">{t('people_aim_interval')}</option>
            <option value="best">{t('people_aim_best')}</option>
          </select>
        </div>
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

/** People by ε; null: more than can be tried. */
type Found = ReadonlyMap<number, number | null>;

function Answer({ wanted, epsilon }: { readonly wanted: Wanted; readonly epsilon: number }): JSX.Element {
  const found = useNeeded(wanted, epsilon);
  const people = found.get(epsilon);
  const known = [...found].flatMap(([at, needed]) => (needed === null ? [] : [[at, needed] as const]));
  return (
    <Card title={t('people_answer')}>
      <p role="status" id="people-needed">
        {people === undefined
          ? t('people_searching')
          : people === null
            ? t('people_too_many', { people: showNumber(MOST_PEOPLE) })
            : t('people_needed', {
                people: showNumber(people),
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
          xTitle={t('workbench_epsilon')}
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

/** Searches at the chosen ε first, then at the curve's, one number of people at a time, so that the page can draw in between. */
function useNeeded(wanted: Wanted, epsilon: number): Found {
  const [state, setState] = useState<{ readonly key: string; readonly found: Found }>({
    key: '',
    found: new Map(),
  });
  const key = JSON.stringify(wanted);
  const before = state.key === key ? state.found : new Map<number, number | null>();
  useEffect(() => {
    const searches = [...new Set([epsilon, ...EPSILONS])]
      .filter((at) => !before.has(at))
      .map((at) => ({ at, steps: search(wanted, at) }));
    let found = before;
    const next = (): void => {
      const [current] = searches;
      if (current === undefined) return;
      const step = current.steps.next();
      if (step.done === true) {
        searches.shift();
        found = new Map([...found, [current.at, step.value?.people ?? null]]);
        setState({ key, found });
      }
      timer = setTimeout(next);
    };
    let timer = setTimeout(next, PAUSE);
    return () => clearTimeout(timer);
    // What was found is no reason to begin again.
  }, [key, epsilon]);
  return before;
}

function search({ ad, rate, aim }: Wanted, epsilon: number): ReturnType<typeof peopleNeeded> {
  const [sourceType, fields] = ads[ad];
  const configuration = registeredConfiguration(sourceType, epsilon, fields);
  return peopleNeeded({ configuration, rate, aim, chance: CHANCE, level: LEVEL }, RUNS, 'lab');
}
