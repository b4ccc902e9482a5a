import { oddsOf, type Odds } from '../../../analysis/audit/odds';
import { trueReports } from '../../../analysis/audit/true-reports';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import { epsilon, type Epsilon } from '../../../src/model/units';
import { parseSource } from '../../../formats/registration/source';
import type { StatedRegistration, Trial } from '../../../formats/settings/trial';
import { textFor } from '../../../formats/settings/localized-text';
import { language, t } from '../../i18n';
import { greatest } from '../../../numeric/extremes';

/** A source with default settings only. */
const plainAd = { destination: 'https://destination.example' };

/** How often chance decides under these settings, and what reports then tell, in plain words. Of a trial's sources it says only what the trial states. */
export function inventedWords(measurement: MeasurementSettings, trial: Trial | null): string {
  if (trial !== null) return statedWords(measurement, trial.registrations);
  const plainOdds = (sourceType: SourceType): Odds | null => {
    const { value } = parseSource(plainAd, sourceType, chromiumLimits);
    return value === null ? null : oddsOf(measurement, value);
  };
  const [clicked, seen] = [plainOdds('navigation'), plainOdds('event')];
  return clicked?.replaced == null || seen?.replaced == null
    ? t('asked_invented')
    : t('asked_invented_rates', {
        clicked: outOf(clicked.replaced),
        seen: outOf(seen.replaced),
        ...trueReports(highest([clicked, seen])),
      });
}

function statedWords(measurement: MeasurementSettings, stated: readonly StatedRegistration[]): string {
  const ads = stated.flatMap(({ name, sourceType: how, registration }) => {
    const odds = oddsOf(measurement, registration);
    if (odds.replaced === null) return [];
    return [
      {
        odds,
        words: t('asked_invented_ad', {
          name: textFor(name, language).text,
          how,
          rate: outOf(odds.replaced),
        }),
      },
    ];
  });
  return ads.length === 0
    ? t('asked_invented')
    : t('asked_invented_stated', {
        ads: ads.map(({ words }) => words).join('; '),
        ...trueReports(highest(ads.map(({ odds }) => odds))),
      });
}

/** The probability in words such as "3 of 100". Very small and very large ones are not rounded to none or all. */
export function outOf(rate: number): string {
  if (rate < 0.001) return t('asked_out_of_fewer');
  if (rate > 0.999) return t('asked_out_of_more');
  const whole = rate < 0.01 || rate > 0.99 ? 1000 : 100;
  return t('asked_out_of', { n: Math.round(rate * whole), whole });
}

const highest = (all: readonly Odds[]): Epsilon => epsilon(greatest(all.map((odds) => odds.epsilon)));
