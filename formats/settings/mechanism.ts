import { MAX_UNBIASED_VALUES_ON_DEVICES } from '../../src/privacy/parameters';
import type { Json } from '../../src/model/json';
import type { Mechanism } from '../../src/model/mechanisms';
import { Rational } from '../../src/privacy/rational';
import { choice, list, plain, type Codec } from '../codec/codec';
import { constant, orUndefined, record, required, union, withDefault } from '../codec/record';

/** Without loss: a JSON number if that is exact, otherwise a fraction such as "1/3". */
export type ExactNumber = number | string;

type Loss = Variant<unknown, 'rr-on-bins'>['loss'];
type Variant<N, Kind extends Mechanism<N>['kind']> = Extract<Mechanism<N>, { readonly kind: Kind }>;

const loss = withDefault<Loss>('loss', choice<Loss>('squared', 'absolute', 'poisson'), 'squared');
const rules = { unknown: 'warned of' } as const;

/** The most numbers in the lists. */
interface Most {
  readonly states: number;
  readonly bins: number;
  readonly unbiased: number;
}

/** `{"kind": …}` with what its kind has of `values`, `prior` and `loss`. */
function kindsOf<N>(
  number: Codec<N>,
  most: Most,
): { [Kind in Mechanism<N>['kind']]: Codec<Variant<N, Kind>> } {
  const numbers = (max: number): Codec<readonly N[]> => list(number, { min: 1, max });
  const [states, bins] = [numbers(most.states), numbers(most.bins)];
  const values = list(number, { min: 1, max: most.unbiased, excess: 'too-many-to-solve' });
  return {
    rr: record({ kind: constant('kind', 'rr') }, rules),
    'rr-with-prior': record(
      { kind: constant('kind', 'rr-with-prior'), prior: required('prior', states) },
      rules,
    ),
    'rr-on-bins': record(
      {
        kind: constant('kind', 'rr-on-bins'),
        values: required('values', bins),
        prior: required('prior', bins),
        loss,
      },
      rules,
    ),
    unbiased: record(
      {
        kind: constant('kind', 'unbiased'),
        values: required('values', values),
        prior: required('prior', values),
      },
      rules,
    ),
  };
}

const exact: Codec<ExactNumber> = plain(
  (place) => {
    const rational = isNumeric(place.value) ? Rational.parse(place.value) : null;
    const double = rational?.toNumber() ?? NaN;
    if (rational === null || !Number.isFinite(double)) {
      place.expected('exact-number');
      return 0;
    }
    return Rational.parse(double)?.equals(rational) === true ? double : rational.toString();
  },
  {
    anyOf: [
      { type: 'number' },
      {
        type: 'string',
        maxLength: 64,
        pattern: '^\\s*([+-]?\\d+/0*[1-9]\\d*|[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,3})?)\\s*$',
      },
    ],
  },
);

/** Longer strings could be numbers that take too long to compute with. */
const isNumeric = (value: Json): value is ExactNumber =>
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= 64 && !/e[+-]?\d{4}/i.test(value));

/** Optimising bins and outputs takes cubic time. */
const MOST_VALUES = 256;

const logged = kindsOf(exact, {
  states: Infinity,
  bins: MOST_VALUES,
  unbiased: MAX_UNBIASED_VALUES_ON_DEVICES,
});

/** The mechanism of a source in a source log. A prior without values can also be over values. */
export const mechanism: Codec<Mechanism<ExactNumber>> = union<Mechanism<ExactNumber>>({
  ...logged,
  'rr-with-prior': record<Variant<ExactNumber, 'rr-with-prior'>>(
    {
      kind: constant('kind', 'rr-with-prior'),
      prior: required('prior', list(exact, { min: 1 })),
      values: orUndefined('values', list(exact, { min: 1 })),
    },
    rules,
  ),
});

/** The name of a mechanism. */
export const mechanismKind = choice(...(Object.keys(logged) as Mechanism<unknown>['kind'][]));

export const labelNoiseWith = (number: Codec<number>, most: Most): Codec<Mechanism<number>> =>
  union<Mechanism<number>>(kindsOf(number, most));
