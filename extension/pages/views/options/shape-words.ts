import type { AttributionModel, LabelNoise } from '../../../../src/model/mechanisms';
import { t } from '../../../i18n';
import { modelName } from '../../words/model-names';

const noiseNames: Readonly<Record<LabelNoise['kind'], string>> = {
  rr: t('settings_mechanism_rr'),
  'rr-with-prior': t('settings_mechanism_prior'),
  'rr-on-bins': t('settings_mechanism_bins'),
  unbiased: t('settings_mechanism_unbiased'),
};

const isNoise = (kind: string): kind is LabelNoise['kind'] => kind in noiseNames;

/** An attribution model or a mechanism. */
export const kindName = (kind: string): string =>
  isNoise(kind) ? noiseNames[kind] : modelName(kind as AttributionModel['kind']);

/** By the name of a field in JSON. */
export const fieldNames: Readonly<Record<string, string>> = {
  epsilon: t('tables_column_epsilon'),
  score: t('settings_field_score'),
  unit: t('settings_field_unit'),
  tau: t('settings_field_tau'),
  gap: t('settings_field_gap'),
  credit: t('settings_field_credit'),
  halfLife: t('settings_field_half_life'),
  values: t('settings_field_values'),
  prior: t('settings_field_prior'),
  loss: t('settings_field_loss'),
  reportingSite: t('settings_field_reporting_site'),
  sourceSite: t('settings_field_source_site'),
  destination: t('settings_field_destination'),
  id: t('settings_field_id'),
  key: t('settings_field_key'),
  campaign: t('settings_field_campaign'),
  holdout: t('settings_field_holdout'),
};

/** By the value in JSON. No two fields have the same one. */
export const choiceNames: Readonly<Record<string, string>> = {
  draw: t('settings_choice_draw'),
  split: t('settings_choice_split'),
  linear: t('settings_choice_linear'),
  exponential: t('settings_choice_exponential'),
  reciprocal: t('settings_choice_reciprocal'),
  seconds: t('settings_choice_seconds'),
  minutes: t('ui_clock_minutes'),
  hours: t('ui_clock_hours'),
  days: t('settings_period_placeholder'),
  squared: t('settings_choice_squared'),
  absolute: t('settings_choice_absolute'),
  poisson: t('settings_choice_poisson'),
};
