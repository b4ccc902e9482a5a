import {
  epsilonParameter,
  finite,
  gapParameter,
  listParameter,
  ParameterError,
  positive,
  priorParameter,
  valuesParameter,
} from '../../../src/privacy/parameters';
import { Rational, type Exact } from '../../../src/privacy/rational';
import { worded } from '../helpers/throws';
import { integerParameter, trueValueParameter } from '../../../analysis/noise/parameters';

const TWO = Rational.of(2);
const HALVES = priorParameter(['0.5', '0.5']);
const VALUES = [Rational.of(1), Rational.of(2.5)];
const NOT_NUMBERS: Exact[] = [NaN, Infinity, -Infinity, '', 'one'];

/** A rule, what it refuses, and what stands at its bound and is accepted. */
const rules: [string, (value: Exact) => unknown, Exact[], Exact[]][] = [
  [
    'epsilon must be greater than 0 and finite',
    epsilonParameter,
    [0, -0, -1, '-1e-300'],
    [5e-324, '1e-300', 14],
  ],
  ['tau must be greater than 0 and finite', (value) => positive('tau', value), [0, -1e-9], ['1/1000000', 1]],
  ['t must be a finite number', (value) => finite('t', value), [], [0, -1e300, '1/3']],
  [
    'gap must be greater than tau (2) and finite',
    (value) => gapParameter(value, TWO),
    [2, 0, -3, '1.9999'],
    ['2.0001'],
  ],
  [
    'n must be an integer of at least 1',
    (value) => integerParameter('n', value, 1n),
    [0, -1, 1.5, '0.999'],
    [1, '1.0', '1e6'],
  ],
  [
    'true must be an integer from 0 to 4',
    (value) => integerParameter('true', value, 0n, 4n),
    [-1, 5, 0.5],
    [0, 4, '4'],
  ],
  [
    'true must be one of the values (1, 5/2)',
    (value) => trueValueParameter(value, VALUES),
    [0, '2.4999', 2],
    [1, '5/2'],
  ],
  ['prior[1] must be from 0 to 1', (value) => priorParameter(['0', value]), [-1e-9, '1.000000001'], [1]],
];

describe.each(rules)('%s:', (message, rule, refused, accepted) => {
  test.each([...NOT_NUMBERS, ...refused])('%p is refused', (value) => {
    // In a list, a value that is no number gets the message that it must be finite.
    const expected =
      message.startsWith('prior') && NOT_NUMBERS.includes(value)
        ? 'prior[1] must be a finite number'
        : message;
    expect(() => rule(value)).toThrow(ParameterError);
    expect(worded(() => rule(value))).toThrow(
      `${expected}, was ${typeof value === 'string' ? `"${value}"` : String(value)}`,
    );
  });

  test.each(accepted)('%p is accepted', (value) => {
    expect(() => rule(value)).not.toThrow();
  });
});

test('a gap that is missing is refused, not guessed', () => {
  expect(worded(() => gapParameter(undefined, TWO))).toThrow(
    'gap must be greater than tau (2) and finite, was "missing"',
  );
});

describe('a prior', () => {
  test.each<[string, Exact[]]>([
    ['decimals', [0.1, 0.2, 0.7]],
    ['decimal strings', ['0.333', '0.333', '0.334']],
    ['fractions', ['1/3', '1/3', '1/3']],
    ['one certain label', [0, 1, 0]],
  ])('of %s that sum to one is taken as it is', (_, values) => {
    expect(priorParameter(values)).toEqual(values.map((value) => Rational.of(value)));
  });

  test('of doubles is allowed what rounding each of them can lose, and then sums to one exactly', () => {
    const thirds = [1 / 3, 1 / 3, 1 / 3]; // three times 0.3333333333333333: short by 10^−16
    const prior = priorParameter(thirds);
    expect(prior.every((probability) => probability.equals(Rational.of('1/3')))).toBe(true);
  });

  test.each<[Exact[], string]>([
    [['0.5', '0.4'], '0.9'],
    [['0.5', '0.6'], '1.1'],
    [['0.5', '0.500000000000001'], '1.000000000000001'],
    [['0.499999999999999', '0.5'], '0.999999999999999'],
    [[0, 0], '0'],
  ])('of %p is refused', (values, total) => {
    expect(worded(() => priorParameter(values))).toThrow(
      `prior must be a list of probabilities that sum to 1, was ${total}`,
    );
  });
});

describe('lists', () => {
  test('of no candidates are refused', () => {
    expect(worded(() => listParameter('clicks', []))).toThrow(
      'clicks must be a list of at least one number, was "empty"',
    );
    expect(() => priorParameter([])).toThrow(ParameterError);
  });

  test('name the entry that is wrong', () => {
    expect(worded(() => listParameter('clicks', [1, 'x']))).toThrow(
      'clicks[1] must be a finite number, was "x"',
    );
  });

  test('of values must match the prior and be different', () => {
    expect(worded(() => valuesParameter([1], HALVES))).toThrow(
      'values must have as many numbers as the prior has probabilities (2), has 1',
    );
    expect(worded(() => valuesParameter([1, '1.0'], HALVES))).toThrow(
      'values must be a list of different numbers, was "1,1.0"',
    );
  });
});
