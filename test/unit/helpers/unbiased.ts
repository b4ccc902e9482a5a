import { overCommonDenominator, Rational, type Exact } from '../../../src/privacy/rational';
import { unbiasedRandomizer, type UnbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { exponentialFloor } from './random';

/** Makes the randomizer, and checks in fractions that each row is a distribution whose mean is the truth, and that all are ε-private. */
export function checkExactly(
  values: readonly number[],
  prior: readonly Exact[],
  epsilon: number,
): UnbiasedRandomizer {
  const mechanism = unbiasedRandomizer(values, prior, epsilon);
  const limit = Rational.fraction(exponentialFloor(epsilon, 200), 1n << 200n);
  const rows = values.map((_, input) => mechanism.probabilities(input));
  rows.forEach((row, input) => {
    const { denominator } = overCommonDenominator([...row, ...mechanism.outputs]);
    const whole = ({ numerator, denominator: own }: Rational): bigint => numerator * (denominator / own);
    const total = row.reduce((sum, probability) => sum + whole(probability), 0n);
    const mean = row.reduce(
      (sum, probability, index) =>
        sum + whole(probability) * whole(mechanism.outputs[index] ?? Rational.ZERO),
      0n,
    );
    expect(total).toBe(denominator);
    expect(Rational.fraction(mean, denominator * denominator).equals(Rational.of(values[input] ?? NaN))).toBe(
      true,
    );
  });
  mechanism.outputs.forEach((_, index) => {
    const column = rows.map((row) => row[index] ?? Rational.ZERO);
    const least = column.reduce((a, b) => (a.compare(b) < 0n ? a : b));
    const most = column.reduce((a, b) => (a.compare(b) > 0n ? a : b));
    expect(least.sign > 0n).toBe(true);
    expect(most.compare(limit.times(least)) <= 0n).toBe(true);
  });
  return mechanism;
}

/** Prior probabilities that fall with the value, such as those of purchases. */
export const falling = (count: number): string[] => {
  const weights = Array.from({ length: count }, (_, value) => Math.round(1e6 / (1 + value)));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => `${weight}/${total}`);
};

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, value) => value);
