import { shareOfImpression } from '../../../src/limits/privacy-budget';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { parseSource } from '../../../src/registration/source';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { t } from '../../i18n';

/** An ad that asks for nothing in particular. */
const plainAd = { destination: 'https://destination.example' };

/**
 * The probability with which chance replaces what is reported of an ad that asks for no numbers of its own: of the most ε that the budget
 * leaves an impression. Null where the mechanism is none with one probability.
 */
export function inventedRate(
  { labelNoise, budget }: MeasurementSettings,
  sourceType: SourceType,
): number | null {
  const { value: ad } = parseSource(plainAd, sourceType, chromiumLimits);
  if (labelNoise.kind !== 'rr' || ad === null) return null;
  const epsilon = Math.min(shareOfImpression(budget) ?? Infinity, ad.eventLevelEpsilon);
  return randomizedTriggerRate(countStates(shapeOf(ad)), epsilon);
}

/** How often reports are invented while these settings are in force, and what that is for, in plain words. */
export function inventedWords(measurement: MeasurementSettings): string {
  const [clicked, seen] = [inventedRate(measurement, 'navigation'), inventedRate(measurement, 'event')];
  return clicked === null || seen === null
    ? t('asked_invented')
    : t('asked_invented_rates', { clicked: outOf(clicked), seen: outOf(seen) });
}

/** A probability as a person counts; never 0 or all, which it is not. */
export function outOf(rate: number): string {
  if (rate < 0.001) return t('asked_out_of_fewer');
  if (rate > 0.999) return t('asked_out_of_more');
  const whole = rate < 0.01 || rate > 0.99 ? 1000 : 100;
  return t('asked_out_of', { n: Math.round(rate * whole), whole });
}
