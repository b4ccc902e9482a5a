import fc from 'fast-check';
import {
  graphParameter,
  reweighted,
  type EdgeWeights,
  type MatchingParameters,
} from '../../../analysis/matching/graph';
import { greedyMatching } from '../../../analysis/matching/greedy';
import { inGrains, laplaceMatching } from '../../../analysis/matching/noisy-weights';
import { maximumWeightMatching } from '../../../analysis/matching/maximum-weight';
import { ParameterError } from '../../../src/privacy/parameters';
import { Rational, type Exact } from '../../../src/privacy/rational';
import { everyMatching, written } from '../helpers/matchings';
import { worded } from '../helpers/throws';

const wholeGraph = (weights: EdgeWeights): ReturnType<typeof reweighted<Rational, bigint>> =>
  reweighted(graphParameter({ weights }), (weight) => weight.numerator);

/** Matrices of up to 5 × 5 entries, a few of them absent; small numbers make many ties, large ones do not fit a double. */
const matrices = (entry: fc.Arbitrary<bigint>): fc.Arbitrary<(bigint | null)[][]> =>
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
    .chain(([clicks, conversions]) =>
      fc.array(fc.array(fc.option(entry, { freq: 6 }), { minLength: conversions, maxLength: conversions }), {
        minLength: clicks,
        maxLength: clicks,
      }),
    )
    .filter((weights) => weights.flat().some((weight) => weight !== null));

describe.each<[string, fc.Arbitrary<bigint>]>([
  ['small weights', fc.bigInt(-3n, 5n)],
  ['weights of 100 bits', fc.bigInt(-(2n ** 99n), 2n ** 100n)],
  ['weights that differ in the last of 80 bits', fc.bigInt(2n ** 80n, 2n ** 80n + 3n)],
])('a maximum-weight matching of %s', (_, entry) => {
  test('is a matching of positive edges, and weighs as much as the best of all', () => {
    fc.assert(
      fc.property(matrices(entry), (weights) => {
        const at = ({ click, conversion }: { click: number; conversion: number }): bigint =>
          weights[click]?.[conversion] ?? 0n;
        const found = maximumWeightMatching(wholeGraph(weights));
        expect(everyMatching(weights).map(written)).toContain(written(found));
        expect(found.every((pair) => at(pair) > 0n)).toBe(true);
        const best = everyMatching(weights)
          .map((matching) => matching.reduce((sum, pair) => sum + at(pair), 0n))
          .reduce((a, b) => (a > b ? a : b));
        expect(found.reduce((sum, pair) => sum + at(pair), 0n)).toBe(best);
      }),
      { seed: 1, numRuns: 700 },
    );
  });
});

test.each<[string, EdgeWeights, string]>([
  [
    'not the heaviest edge, if two others weigh more',
    [
      [5, 4],
      [4, 0],
    ],
    '0-1 1-0',
  ],
  [
    'nothing, if all weighs 0 or less',
    [
      [-1, 0],
      [-2, -1],
    ],
    '',
  ],
  [
    'only what is worth it',
    [
      [3, -5],
      [-5, -1],
    ],
    '0-0',
  ],
  [
    'no pair that is no edge',
    [
      [null, 1],
      [null, 2],
    ],
    '1-1',
  ],
  ['one of many conversions', [[1, 2, 9, 3]], '0-2'],
  ['one of many clicks', [[1], [2], [9], [3]], '2-0'],
])('a maximum-weight matching uses %s', (_, weights, expected) => {
  expect(written(maximumWeightMatching(wholeGraph(weights)))).toBe(expected);
});

test('sixty clicks and conversions are matched along the only matching of greatest weight', () => {
  // (i + 1)·(j + 1) is greatest when the order is the same; here conversion j stands at 59 − j.
  const side = Array.from({ length: 60 }, (_, index) => index);
  const weights = side.map((i) => side.map((j) => (i + 1) * (60 - j)));
  expect(maximumWeightMatching(wholeGraph(weights))).toEqual(
    side.map((i) => ({ click: i, conversion: 59 - i })),
  );
});

describe('the grain', () => {
  test.each<[Exact, Exact, bigint]>([
    ['0.5', 1, 1n],
    ['-0.5', 1, 0n],
    ['-0.51', 1, -1n],
    ['7/3', '1/3', 7n],
    [2.4, 1, 2n],
    ['1e30', '0.1', 10n ** 31n],
  ])('makes of %s, in grains of %s, %s', (x, grain, expected) => {
    expect(inGrains(Rational.of(x), Rational.of(grain))).toBe(expected);
  });

  test('lets nothing move by more than the whole grains that it moved', () => {
    const fraction = fc
      .tuple(fc.bigInt(-400n, 400n), fc.bigInt(1n, 24n))
      .map(([a, b]) => Rational.fraction(a, b));
    const above0 = fraction.filter(({ sign }) => sign > 0n);
    fc.assert(
      fc.property(fraction, above0, fc.bigInt(1n, 9n), fc.bigInt(0n, 100n), (x, grain, grains, share) => {
        const moved = x.plus(grain.times(Rational.fraction(grains * share, 100n)));
        const change = inGrains(moved, grain) - inGrains(x, grain);
        expect(change >= 0n && change <= grains).toBe(true);
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe('bad input', () => {
  const good: MatchingParameters = {
    weights: [
      [1, 2],
      [3, null],
    ],
    epsilon: 1,
    sensitivity: 1,
  };
  const all = [laplaceMatching, greedyMatching];

  const cases: [string, Partial<MatchingParameters>][] = [
    ['weights must be a matrix of at least one number, was "empty"', { weights: [] }],
    ['weights must be a matrix of at least one number, was "empty"', { weights: [[], []] }],
    ['weights must be a matrix of at least one number, was "empty"', { weights: [[null]] }],
    ['weights[1] must be as long as weights[0] (2), was 1', { weights: [[1, 2], [3]] }],
    ['weights[1] must be as long as weights[0] (0), was 1', { weights: [[], [3]] }],
    ['weights[1][0] must be a finite number, was NaN', { weights: [[1], [NaN]] }],
    ['weights[0][1] must be a finite number, was -Infinity', { weights: [[1, -Infinity]] }],
    ['weights[0][0] must be a finite number, was "x"', { weights: [['x']] }],
    ['epsilon must be greater than 0 and finite, was 0', { epsilon: 0 }],
    ['epsilon must be greater than 0 and finite, was Infinity', { epsilon: Infinity }],
    ['sensitivity must be greater than 0 and finite, was 0', { sensitivity: 0 }],
    ['sensitivity must be greater than 0 and finite, was -1', { sensitivity: -1 }],
  ];

  test.each(cases)('%s: %p', (message, change) => {
    for (const mechanism of all) {
      expect(() => mechanism({ ...good, ...change })).toThrow(ParameterError);
      expect(worded(() => mechanism({ ...good, ...change }))).toThrow(message);
    }
  });

  test('is none of this', () => {
    for (const mechanism of all) expect(() => mechanism(good)).not.toThrow();
  });
});
