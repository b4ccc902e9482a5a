import { minimise, isNegative, type Column } from '../../src/privacy/exact-simplex';
import { outputsFor } from '../../src/privacy/finite-distribution';
import { Rational, sum } from '../../src/privacy/rational';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { fits, instances } from './helpers/mechanisms';
import { exponentialFloor } from './helpers/random';

/** Σ p·E[(o − y)²] of randomized response whose outputs are moved so that it is unbiased. */
function debiasedResponseVariance(
  values: readonly number[],
  prior: readonly number[],
  epsilon: number,
): number {
  const k = values.length;
  const e = Math.exp(epsilon);
  const total = values.reduce((a, b) => a + b, 0);
  const outputs = values.map((value) => ((e + k - 1) * value - total) / (e - 1));
  return values.reduce(
    (variance, truth, input) =>
      variance +
      (prior[input] ?? 0) *
        outputs.reduce(
          (sum, output, index) => sum + ((index === input ? e : 1) / (e + k - 1)) * (output - truth) ** 2,
          0,
        ),
    0,
  );
}

describe('on random instances', () => {
  const draw = instances('unbiased');
  const cases = Array.from({ length: 40 }, () => {
    const size = 1 + draw(6);
    const parts = Array.from({ length: size }, () => 1 + draw(9));
    const total = parts.reduce((a, b) => a + b, 0);
    let value = draw(20) - 10;
    const values = Array.from({ length: size }, () => (value += 1 + draw(12)) / 4);
    return {
      values,
      parts,
      total,
      prior: parts.map((part) => `${part}/${total}`),
      epsilon: (1 + draw(32)) / 8,
    };
  });

  test.each(cases)('$values with $prior at ε = $epsilon', ({ values, parts, total, prior, epsilon }) => {
    const mechanism = unbiasedRandomizer(values, prior, epsilon);
    const rows = values.map((_, input) => mechanism.probabilities(input));

    // Exactly a distribution, exactly unbiased.
    rows.forEach((row, input) => {
      expect(row.every((probability) => probability.sign >= 0n)).toBe(true);
      expect(sum(row).equals(Rational.ONE)).toBe(true);
      const mean = sum(
        row.map((probability, index) => probability.times(mechanism.outputs[index] ?? Rational.ZERO)),
      );
      expect(mean.equals(Rational.of(values[input] ?? NaN))).toBe(true);
    });

    // Provably private: not even e^ε rounded down is exceeded.
    const limit = Rational.fraction(exponentialFloor(epsilon, 200), 1n << 200n);
    for (const row of rows)
      for (const other of rows)
        row.forEach((probability, index) =>
          expect(probability.compare(limit.times(other[index] ?? Rational.ZERO)) <= 0n).toBe(true),
        );

    // As good as debiased randomized response at least, which loses by e^ε being rounded up at the 16th digit only.
    const response = debiasedResponseVariance(
      values,
      parts.map((part) => part / total),
      epsilon,
    );
    expect(mechanism.variance.toNumber()).toBeLessThanOrEqual(response * (1 + 1e-9));
    const variance = rows.map((row, input) =>
      row.reduce(
        (square, probability, index) =>
          square +
          probability.toNumber() *
            ((mechanism.outputs[index]?.toNumber() ?? NaN) - (values[input] ?? NaN)) ** 2,
        0,
      ),
    );
    const weighted = variance.reduce((a, b, input) => a + (b * (parts[input] ?? 0)) / total, 0);
    expect(Math.abs(mechanism.variance.toNumber() - weighted)).toBeLessThanOrEqual(1e-9 * (1 + weighted));
  });
});

test('three values gain clearly over debiased randomized response', () => {
  const third = ['1/3', '1/3', '1/3'];
  const response = debiasedResponseVariance([0, 1, 2], [1 / 3, 1 / 3, 1 / 3], 0.5);
  expect(unbiasedRandomizer([0, 1, 2], third, 0.5).variance.toNumber()).toBeLessThan(0.8 * response);
});

test('many draws fit the probabilities, and those of 10 % less noise do not', () => {
  const prior = ['0.4', '0.3', '0.2', '0.1'];
  const mechanism = unbiasedRandomizer([0, 1, 2, 5], prior, 1);
  const expected = mechanism.probabilities(2).map((probability) => probability.toNumber());
  const indices = mechanism.outputs.map((_, index) => index);
  expect(fits(expected, outputsFor({ outputs: indices, weights: mechanism.weights }, 2))).toBe(true);
  const less = unbiasedRandomizer([0, 1, 2, 5], prior, 1.1);
  const nearest = less.outputs.map((output) => {
    const distances = mechanism.outputs.map((other) => Math.abs(other.minus(output).toNumber()));
    return distances.indexOf(Math.min(...distances));
  });
  expect(fits(expected, outputsFor({ outputs: nearest, weights: less.weights }, 2))).toBe(false);
});

describe('the exact simplex method', () => {
  /** The least cost over all pairs of columns that solve the two rows with amounts of at least 0. */
  function exhaustive(columns: readonly Column[], side: readonly [bigint, bigint]): Rational | null {
    let best: Rational | null = null;
    for (const a of columns)
      for (const b of columns) {
        const [a0, a1, b0, b1] = [...a.entries, ...b.entries] as [bigint, bigint, bigint, bigint];
        const determinant = a0 * b1 - a1 * b0;
        if (determinant === 0n) continue;
        const x = Rational.fraction(side[0] * b1 - side[1] * b0, determinant);
        const y = Rational.fraction(a0 * side[1] - a1 * side[0], determinant);
        if (x.sign < 0n || y.sign < 0n) continue;
        const cost = x.times(Rational.of(a.cost)).plus(y.times(Rational.of(b.cost)));
        if (best === null || cost.compare(best) < 0n) best = cost;
      }
    return best;
  }

  test('finds the optimum of 500 random programmes, or that there is no solution', () => {
    const draw = instances('simplex');
    let infeasible = 0;
    for (let run = 0; run < 500; run++) {
      const columns = Array.from({ length: 3 + draw(5) }, () => ({
        entries: [BigInt(draw(7) - 2), BigInt(draw(7) - 2)],
        cost: BigInt(draw(20)), // not negative, so that the optimum is finite
      })).filter(({ entries: [x, y] }) => x !== 0n || y !== 0n);
      const side = [BigInt(draw(6)), BigInt(draw(6))] as const;
      const expected = exhaustive(columns, [...side]);
      const solution = minimise<Column>(side, ({ rows, denominator }) => {
        const price = ({ entries, cost }: Column): { infeasibility: bigint; cost: bigint } => ({
          infeasibility: -entries.reduce(
            (total, entry, row) => total + entry * (rows[row]?.infeasibility ?? 0n),
            0n,
          ),
          cost:
            cost * denominator -
            entries.reduce((total, entry, row) => total + entry * (rows[row]?.cost ?? 0n), 0n),
        });
        return columns.find((column) => isNegative(price(column))) ?? null;
      });
      const total = solution.columns.reduce((cost, { column, amount }) => cost + column.cost * amount, 0n);
      const cost = solution.feasible ? Rational.fraction(total, solution.denominator) : null;
      if (cost === null) infeasible += 1;
      // A solution of one column alone, or of none, is among the pairs only if some pair spans both rows.
      if (expected !== null || cost === null) expect(String(cost)).toBe(String(expected));
    }
    expect(infeasible).toBeGreaterThan(20);
  });
});
