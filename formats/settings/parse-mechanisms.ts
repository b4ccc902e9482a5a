import type {
  AttributionModel,
  CreditRule,
  LabelNoise,
  MeasurementSettings,
  PrivateModel,
} from '../../src/model/mechanisms';
import { mistake } from '../../src/model/mistakes';
import { epsilon } from '../../src/model/units';
import { ParameterError, priorParameter, valuesParameter } from '../../src/privacy/parameters';
import { MAX_UNBIASED_VALUES } from '../../src/privacy/unbiased-randomizer';
import { as, boolean, number, choice, orNull, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import type { Place } from '../codec/issues';
import { labelNoiseWith } from './mechanism';
import { budget, MAX_NUMBER, positive } from './parse-budget';
import { shown } from '../codec/shown';

const MAX_VALUES = 64;

const credit = (fields: Fields): CreditRule => fields.optional('credit', choice('draw', 'split'), 'draw');

const models: Readonly<Record<AttributionModel['kind'], (fields: Fields, place: Place) => AttributionModel>> =
  {
    priority: () => ({ kind: 'priority' }),
    'last-touch': () => ({ kind: 'last-touch' }),
    'first-touch': () => ({ kind: 'first-touch' }),
    linear: (fields) => ({ kind: 'linear', credit: credit(fields) }),
    'position-based': (fields) => ({ kind: 'position-based', credit: credit(fields) }),
    'time-decay': (fields) => ({
      kind: 'time-decay',
      credit: credit(fields),
      halfLife: fields.optional('halfLife', positive, 7 * 24 * 3600),
    }),
    exponential: (fields, place) => privateModel('exponential', fields, place),
    'permute-and-flip': (fields, place) => privateModel('permute-and-flip', fields, place),
  };

const modelKinds = Object.keys(models) as AttributionModel['kind'][];

const attributionModel: Parser<AttributionModel> = (place) => {
  const fields = new Fields(place);
  const kind = fields.required('kind', choice(...modelKinds), 'priority');
  const model = models[kind](fields, place);
  fields.warnUnknown();
  return model;
};

function privateModel(kind: PrivateModel['kind'], fields: Fields, place: Place): PrivateModel {
  const model: PrivateModel = {
    kind,
    epsilon: fields.required('epsilon', as(epsilon, positive), epsilon(1)),
    score: fields.optional('score', choice('linear', 'exponential', 'reciprocal'), 'linear'),
    unit: fields.optional('unit', choice('seconds', 'minutes', 'hours', 'days'), 'seconds'),
    tau: fields.required('tau', positive, 1),
    gap: fields.optional('gap', orNull(positive), null),
  };
  if (model.score !== 'reciprocal' && model.gap !== null) place.error('gap-without-reciprocal');
  if (model.score === 'reciprocal' && (model.gap === null || model.gap <= model.tau))
    place.error('gap-within-tau', { tau: model.tau });
  return model;
}

const parseLabelNoise = labelNoiseWith(number(-MAX_NUMBER, MAX_NUMBER), {
  states: 4096,
  bins: MAX_VALUES,
  unbiased: MAX_UNBIASED_VALUES,
});

const labelNoise: Parser<LabelNoise> = (place) => {
  const noise = parseLabelNoise(place);
  checkPrior(noise, place);
  return noise;
};

/** Reports the mechanisms' own errors at the place of the field. */
function checkPrior(noise: LabelNoise, place: Place): void {
  if (noise.kind === 'rr' || noise.prior.length === 0) return;
  try {
    const prior = priorParameter(noise.prior);
    if (noise.kind === 'rr-with-prior' || noise.values.length === 0) return;
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
export const measurementSettings = (fields: Fields, current: MeasurementSettings): MeasurementSettings => ({
  attribution: fields.optional('attribution', attributionModel, current.attribution),
  labelNoise: fields.optional('labelNoise', labelNoise, current.labelNoise),
  budget: fields.optional('budget', budget(current.budget), current.budget),
  aggregatableReports: fields.optional('aggregatableReports', boolean, current.aggregatableReports),
  limits: fields.optional('limits', choice('private', 'specification'), current.limits),
});
