import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { belief } from '../../analysis/audit/belief';
import { bufferedRandomSource } from '../../analysis/random/sources';
import { t } from '../i18n';
import { showNumber } from '../pages/words/words';
import { isStill } from '../pages/simulate/use-runs';
import { Card } from '../pages/ui/basics';
import { Slider } from './slider';
import { percent } from './configuration-card';
import { TossDrawing } from './toss-drawing';
import { TossPlot } from './toss-plot';
import { estimatedShare, tossMany, tossOdds, type TossPoint } from './toss-run';
import { withInterval } from './totals-card';

const PEOPLE = 10_000;
const STEP = 100;
/** Of the people, who made a purchase. */
const SHARE = 0.1;

const random = bufferedRandomSource((words) => void crypto.getRandomValues(words));

/** From the true state through the coin to the report, with the real probabilities. */
export function Toss(): JSX.Element {
  const [epsilon, setEpsilon] = useState(1);
  const odds = useMemo(() => tossOdds(epsilon), [epsilon]);
  return (
    <>
      <h1>{t('toss')}</h1>
      <Card>
        <p>{t('toss_what')}</p>
        <Slider
          id="toss-epsilon"
          label={t('tables_column_epsilon')}
          min={0.1}
          max={8}
          step={0.1}
          value={epsilon}
          onChange={setEpsilon}
        />
        <TossDrawing odds={odds} />
        <p id="toss-odds">
          {t('toss_odds', {
            truth: percent(odds.truth),
            other: percent(odds.other),
            replaced: percent(odds.replaced),
          })}
        </p>
      </Card>
      <Many key={epsilon} epsilon={epsilon} />
    </>
  );
}

/** Tosses for many people; the estimate settles beside the truth. */
function Many({ epsilon }: { readonly epsilon: number }): JSX.Element {
  const [points, setPoints] = useState<readonly TossPoint[]>([]);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (shown >= points.length) return;
    const frame = requestAnimationFrame(() => setShown(shown + 1));
    return () => cancelAnimationFrame(frame);
  }, [shown, points]);
  const toss = (): void => {
    const made = tossMany(random, epsilon, SHARE, { people: PEOPLE, step: STEP });
    setPoints(made);
    setShown(isStill() ? made.length : 1);
  };
  const last = points[shown - 1];
  return (
    <Card title={t('toss_many_title')}>
      <p>
        {t('toss_many_what', {
          people: showNumber(PEOPLE),
          share: percent(SHARE),
          right: percent(belief(SHARE, epsilon, 1)),
        })}
      </p>
      <div class="row">
        <button type="button" class="primary" id="toss-many" onClick={toss}>
          {t('toss_many', { people: showNumber(PEOPLE) })}
        </button>
      </div>
      <TossPlot points={points.slice(0, shown)} people={PEOPLE} truth={SHARE} />
      <p role="status" id="toss-result">
        {last === undefined || last.tosses < PEOPLE
          ? ''
          : t('toss_result', {
              observed: percent(last.observed),
              estimate: withInterval(estimatedShare(last, epsilon), percent),
              truth: percent(SHARE),
            })}
      </p>
    </Card>
  );
}
