import { shareOfImpression } from '../../../src/limits/privacy-budget';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import type { SourceRegistration } from '../../../src/model/registration';
import type { StatedRegistration, Trial } from '../../../formats/settings/trial';
import { epsilon, type Probability } from '../../../src/model/units';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { parseSource } from '../../../formats/registration/source';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { textFor } from '../../../formats/settings/localized-text';
import { language, t } from '../../i18n';

/** A source with default settings only. */
const plainAd = { destination: 'https://destination.example' };

/**
 * The probability that noise replaces the output of a source, at the highest ε that the budget allows for an impression. Null if the
 * mechanism has no single such probability.
 */
export function inventedRate(
  { labelNoise, budget }: MeasurementSettings,
  source: SourceRegistration,
): Probability | null {
  if (labelNoise.kind !== 'rr') return null;
  const least = Math.min(shareOfImpression(budget) ?? Infinity, source.eventLevelEpsilon);
  return randomizedTriggerRate(countStates(shapeOf(source)), epsilon(least));
}

/** How often reports are fake under these settings, and why, in plain words. Of a trial's sources it says only what the trial states. */
export function inventedWords(measurement: MeasurementSettings, trial: Trial | null): string {
  if (trial !== null) return statedWords(measurement, trial.registrations);
  const rateOfPlain = (sourceType: SourceType): Probability | null => {
    const { value } = parseSource(plainAd, sourceType, chromiumLimits);
    return value === null ? null : inventedRate(measurement, value);
  };
  const [clicked, seen] = [rateOfPlain('navigation'), rateOfPlain('event')];
  return clicked === null || seen === null
    ? t('asked_invented')
    : t('asked_invented_rates', { clicked: outOf(clicked), seen: outOf(seen) });
}

function statedWords(measurement: MeasurementSettings, stated: readonly StatedRegistration[]): string {
  const ads = stated.flatMap(({ name, sourceType, registration }) => {
    const rate = inventedRate(measurement, registration);
    const values = { name: textFor(name, language).text, how: sourceType, rate: outOf(rate ?? 0) };
    return rate === null ? [] : [t('asked_invented_ad', values)];
  });
  return ads.length === 0 ? t('asked_invented') : t('asked_invented_stated', { ads: ads.join('; ') });
}

/** The probability in words such as "3 of 100". Very small and very large ones are not rounded to none or all. */
export function outOf(rate: number): string {
  if (rate < 0.001) return t('asked_out_of_fewer');
  if (rate > 0.999) return t('asked_out_of_more');
  const whole = rate < 0.01 || rate > 0.99 ? 1000 : 100;
  return t('asked_out_of', { n: Math.round(rate * whole), whole });
}
