import fc from 'fast-check';
import { probability } from '../../../src/model/units';
import { groupPrivacy } from '../../../src/privacy/composition';
import { Rational } from '../../../src/privacy/rational';
import {
  basicComposition,
  isWithin,
  isWithinAdvanced,
  lossesOf,
  parallelComposition,
} from '../../../analysis/noise/composition';
import { composedEpsilon } from '../../../extension/pages/explain/composed-epsilon';

const losses = (...values: readonly (number | string)[]): Rational[] =>
  values.map((value) => Rational.of(value));
const epsilon = fc
  .integer({ min: 1, max: 3000 })
  .map((thousandths) => Rational.fraction(BigInt(thousandths), 1000n));

test('losses add up without rounding', () => {
  expect(basicComposition(losses(0.1, 0.2, '1/3')).toString()).toBe('19/30');
  expect(basicComposition([]).toString()).toBe('0');
});

test('of disjoint units the greatest loss counts', () => {
  expect(parallelComposition(losses(0.1, 2, 1.5)).toString()).toBe('2');
  expect(parallelComposition([]).toString()).toBe('0');
});

test('a group loses as many times as much as it has members', () => {
  expect(groupPrivacy(Rational.of(0.1), 3).toString()).toBe('3/10');
});

test('a budget that is spent to the last digit is not overrun, and by the next digit is', () => {
  const tenths = losses(...Array<string>(10).fill('0.1'));
  expect(isWithin(tenths, Rational.ONE, Rational.ZERO)).toBe(true);
  expect(isWithin([...tenths, Rational.of('1e-30')], Rational.ONE, Rational.ZERO)).toBe(false);
});

/** ½·Σ ε² + √(2·ln(1/δ)·Σ ε²), in doubles. */
function advanced(values: readonly Rational[], delta: number): number {
  const squares = values.reduce((sum, value) => sum + value.toNumber() ** 2, 0);
  return squares / 2 + Math.sqrt(2 * Math.log(1 / delta) * squares);
}

test('the exact advanced comparison agrees with the formula on either side of it', () => {
  fc.assert(
    fc.property(
      fc.array(epsilon, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      (values, power) => {
        const delta = `1e-${power}`;
        const bound = advanced(values, Number(delta));
        expect(isWithinAdvanced(values, Rational.of(bound * (1 + 1e-9)), Rational.of(delta))).toBe(true);
        expect(isWithinAdvanced(values, Rational.of(bound * (1 - 1e-9)), Rational.of(delta))).toBe(false);
      },
    ),
  );
});

test('many small losses fit a budget by the advanced theorem that they overrun by the basic one', () => {
  const many = losses(...Array<number>(1000).fill(0.01));
  expect(isWithin(many, Rational.of(2), Rational.ZERO)).toBe(false);
  expect(isWithin(many, Rational.of(2), Rational.of('1e-6'))).toBe(true);
  expect(composedEpsilon(lossesOf(many), probability(0))).toEqual({ epsilon: 10, by: 'basic' });
  const { epsilon: tighter, by } = composedEpsilon(lossesOf(many), probability(1e-6));
  expect(by).toBe('advanced');
  expect(tighter).toBeCloseTo(advanced(many, 1e-6), 12);
});

test('without a δ there is no advanced composition, and nothing spent is within everything', () => {
  expect(isWithinAdvanced(losses(0.01), Rational.of(1), Rational.ZERO)).toBe(false);
  expect(isWithinAdvanced([], Rational.ZERO, Rational.ZERO)).toBe(true);
  // Where ε − S/2 is negative, its square must not count as positive.
  expect(isWithinAdvanced(losses(10), Rational.of(1), Rational.of('0.01'))).toBe(false);
});

test('one loss more never makes room', () => {
  fc.assert(
    fc.property(fc.array(epsilon, { maxLength: 10 }), epsilon, epsilon, (values, more, budget) => {
      const delta = Rational.of('1e-5');
      if (isWithin([...values, more], budget, delta)) expect(isWithin(values, budget, delta)).toBe(true);
    }),
  );
});

/**
 * The theorem must cover what k-fold randomized response really loses: over k independent bits with ε each, the sum of the privacy
 * losses is ε·(2·Bin − k), and the share of it above ε_total, weighted as in the definition, must be at most δ.
 */
test.each([
  [0.1, 100, 1e-3],
  [0.5, 40, 1e-2],
  [1, 20, 1e-4],
])('holds for %d-private bits repeated %d times with δ = %d', (one, count, delta) => {
  const total = advanced(losses(...Array<number>(count).fill(one)), delta);
  const truth = Math.exp(one) / (1 + Math.exp(one));
  let actual = 0;
  let binomial = (1 - truth) ** count;
  for (let trues = 0; trues <= count; trues++) {
    const loss = one * (2 * trues - count);
    if (loss > total) actual += binomial * (1 - Math.exp(total - loss));
    binomial *= ((count - trues) / (trues + 1)) * (truth / (1 - truth));
  }
  expect(actual).toBeLessThanOrEqual(delta);
  expect(actual).toBeGreaterThanOrEqual(0);
});
