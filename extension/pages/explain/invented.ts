import { shareOfImpression } from '../../../src/limits/privacy-budget';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import { epsilon, type Probability } from '../../../src/model/units';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { parseSource } from '../../../src/registration/source';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { t } from '../../i18n';

/** A source with default settings only. */
const plainAd = { destination: 'https://destination.example' };

/**
 * The probability that noise replaces the output of a source with default settings, at the highest ε that the budget allows for an
 * impression. Null if the mechanism has no single such probability.
 */
export function inventedRate(
  { labelNoise, budget }: MeasurementSettings,
  sourceType: SourceType,
): Probability | null {
  const { value: ad } = parseSource(plainAd, sourceType, chromiumLimits);
  if (labelNoise.kind !== 'rr' || ad === null) return null;
  const least = Math.min(shareOfImpression(budget) ?? Infinity, ad.eventLevelEpsilon);
  return randomizedTriggerRate(countStates(shapeOf(ad)), epsilon(least));
}

/** How often reports are fake under these settings, and why, in plain words. */
export function inventedWords(measurement: MeasurementSettings): string {
  const [clicked, seen] = [inventedRate(measurement, 'navigation'), inventedRate(measurement, 'event')];
  return clicked === null || seen === null
    ? t('asked_invented')
    : t('asked_invented_rates', { clicked: outOf(clicked), seen: outOf(seen) });
}

/** The probability in words such as "3 of 100". Very small and very large ones are not rounded to none or all. */
export function outOf(rate: number): string {
  if (rate < 0.001) return t('asked_out_of_fewer');
  if (rate > 0.999) return t('asked_out_of_more');
  const whole = rate < 0.01 || rate > 0.99 ? 1000 : 100;
  return t('asked_out_of', { n: Math.round(rate * whole), whole });
}
