import type { Json } from '../../src/model/json';
import type { Loss } from '../../src/privacy/bin-loss';
import { Rational } from '../../src/privacy/rational';
import { rrOnBins } from '../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { Fields, list, oneOf, type Parser } from '../../src/parsing/fields';

/** A number without loss: a JSON number where that says it exactly, else a fraction such as "1/3". */
type ExactJson = number | string;

/** By which mechanism a source's output is noised, with its public parameters. `rr` needs none but the states. */
export type Mechanism =
  | { readonly kind: 'rr' }
  | { readonly kind: 'rr-with-prior'; readonly prior: readonly ExactJson[] }
  | {
      readonly kind: 'rr-on-bins';
      readonly values: readonly ExactJson[];
      readonly prior: readonly ExactJson[];
      readonly loss: Loss;
    }
  | {
      readonly kind: 'unbiased';
      readonly values: readonly ExactJson[];
      readonly prior: readonly ExactJson[];
    };

/** Optimising bins and outputs takes time with the cube of their number. */
const MAX_VALUES = 256;

/** `{"kind": …}` with `prior`, `values` and `loss` as its kind has them. */
export const mechanism: Parser<Mechanism> = (place) => {
  const fields = new Fields(place);
  const kind = fields.required('kind', oneOf('rr', 'rr-with-prior', 'rr-on-bins', 'unbiased'), null);
  const prior = (max?: number): readonly ExactJson[] =>
    fields.required('prior', list(exact, { min: 1, ...(max === undefined ? {} : { max }) }), []);
  const values = (): readonly ExactJson[] =>
    fields.required('values', list(exact, { min: 1, max: MAX_VALUES }), []);
  const parsed = ((): Mechanism => {
    switch (kind) {
      case 'rr-with-prior':
        return { kind, prior: prior() };
      case 'rr-on-bins': {
        const loss = fields.required('loss', oneOf('squared', 'absolute', 'poisson'), null);
        return { kind, values: values(), prior: prior(MAX_VALUES), loss: loss ?? 'squared' };
      }
      case 'unbiased':
        return { kind, values: values(), prior: prior(MAX_VALUES) };
      case 'rr':
      case null:
        return { kind: 'rr' };
    }
  })();
  for (const name of fields.names())
    if (!Object.hasOwn(parsed, name)) place.at(name, null).error('field-of-other-mechanism');
  return parsed;
};

const exact: Parser<ExactJson> = (place) => {
  const rational = isNumeric(place.value) ? Rational.parse(place.value) : null;
  const double = rational?.toNumber() ?? NaN;
  if (rational === null || !Number.isFinite(double)) {
    place.expected('exact-number');
    return 0;
  }
  return Rational.parse(double)?.equals(rational) === true ? double : rational.toString();
};

/** Longer strings could name numbers that take forever to work with. */
const isNumeric = (value: Json): value is ExactJson =>
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= 64 && !/e[+-]?\d{4}/i.test(value));

/**
 * How many outputs the mechanism has: the k of its randomized response.
 * @param states how many outputs the source's configuration allows.
 * @throws ParameterError for parameters that the mechanism cannot work with.
 */
export function outputsOf(mechanism: Mechanism, states: bigint, epsilon: number): bigint {
  switch (mechanism.kind) {
    case 'rr':
      return states;
    case 'rr-with-prior':
      return BigInt(rrWithPrior(mechanism.prior, epsilon).k);
    case 'rr-on-bins':
      return BigInt(rrOnBins(mechanism.values, mechanism.prior, mechanism.loss, epsilon).bins.length);
    case 'unbiased':
      return BigInt(unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon).outputs.length);
  }
}

/** Whether a source has one report with the mechanism's output in `noisy_value`, instead of the reports of a state. */
export const reportsValue = ({ kind }: Mechanism): boolean => kind === 'rr-on-bins' || kind === 'unbiased';
