import type {
  AttributionModel,
  CreditRule,
  LabelNoise,
  MeasurementSettings,
  PrivateModel,
} from '../../src/model/mechanisms';
import { mistake } from '../codec/mistakes';
import { epsilon } from '../../src/model/units';
import {
  MAX_UNBIASED_VALUES_ON_DEVICES,
  ParameterError,
  priorParameter,
  valuesParameter,
} from '../../src/privacy/parameters';
import { as, boolean, number, choice, orNull, type Codec } from '../codec/codec';
import { checked, constant, record, required, union, withDefault, type FieldsOf } from '../codec/record';
import type { Place } from '../codec/issues';
import { labelNoiseWith } from './mechanism';
import { budget, MAX_NUMBER, positive } from './parse-budget';
import { shown } from '../codec/shown';

/** A browser's background must not be kept busy: the solver takes seconds for more values. */
const MAX_VALUES = 64;

const WEEK = 7 * 24 * 3600;

const credit = withDefault<CreditRule>('credit', choice('draw', 'split'), 'draw');

/** `AttributionModel` with a type for each kind. */
type Model = {
  [Kind in AttributionModel['kind']]: ModelOf<AttributionModel, Kind>;
}[AttributionModel['kind']];
type ModelOf<T, Kind> = T extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Omit<T, 'kind'> & { readonly kind: Kind }
    : never
  : never;

const rules = { unknown: 'warned of' } as const;

const attributionModel = union<Model>({
  priority: record({ kind: constant('kind', 'priority') }, rules),
  'last-touch': record({ kind: constant('kind', 'last-touch') }, rules),
  'first-touch': record({ kind: constant('kind', 'first-touch') }, rules),
  linear: record({ kind: constant('kind', 'linear'), credit }, rules),
  'position-based': record({ kind: constant('kind', 'position-based'), credit }, rules),
  'time-decay': record(
    {
      kind: constant('kind', 'time-decay'),
      credit,
      halfLife: withDefault('halfLife', positive, WEEK),
    },
    rules,
  ),
  exponential: privateModel('exponential'),
  'permute-and-flip': privateModel('permute-and-flip'),
});

function privateModel<Kind extends PrivateModel['kind']>(
  kind: Kind,
): Codec<PrivateModel & { readonly kind: Kind }> {
  return checked(
    record<PrivateModel & { readonly kind: Kind }>(
      {
        kind: constant('kind', kind),
        epsilon: required('epsilon', as(epsilon, positive)),
        score: withDefault('score', choice('linear', 'exponential', 'reciprocal'), 'linear'),
        unit: withDefault('unit', choice('seconds', 'minutes', 'hours', 'days'), 'seconds'),
        tau: required('tau', positive),
        gap: withDefault('gap', orNull(positive), null),
      },
      rules,
    ),
    ({ score, gap, tau }, place) => {
      if (score !== 'reciprocal' && gap !== null) place.error('gap-without-reciprocal');
      if (score === 'reciprocal' && (gap === null || gap <= tau)) place.error('gap-within-tau', { tau });
    },
  );
}

const labelNoise = checked<LabelNoise>(
  labelNoiseWith(number(-MAX_NUMBER, MAX_NUMBER), {
    states: 4096,
    bins: MAX_VALUES,
    unbiased: MAX_UNBIASED_VALUES_ON_DEVICES,
  }),
  checkPrior,
);

/** Reports the mechanisms' own errors at the place of the field. */
function checkPrior(noise: LabelNoise, place: Place): void {
  if (noise.kind === 'rr') return;
  try {
    const prior = priorParameter(noise.prior);
    if (noise.kind === 'rr-with-prior') return;
    valuesParameter(noise.values, prior);
    if (
      noise.values[0] !== 0 ||
      noise.values.some((value, index) => value <= (noise.values[index - 1] ?? -1))
    )
      throw new ParameterError('values', mistake('ascending-from-0', { was: shown(noise.values.join(',')) }));
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    place.at(error.issue.path, null).add(error.issue);
  }
}

/** Missing fields keep the value of `current`. */
export const measurementFields = (current: MeasurementSettings): FieldsOf<MeasurementSettings> => ({
  attribution: withDefault('attribution', attributionModel, current.attribution),
  labelNoise: withDefault('labelNoise', labelNoise, current.labelNoise),
  budget: withDefault('budget', budget(current.budget), current.budget),
  aggregatableReports: withDefault('aggregatableReports', boolean, current.aggregatableReports),
  limits: withDefault('limits', choice('private', 'specification'), current.limits),
});
