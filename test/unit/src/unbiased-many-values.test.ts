import { nextBands, nextOutputs } from '../../../numeric/output-grid';
import { factorise, solveFactored, zeros } from '../../../numeric/vectors';
import { instances } from '../helpers/mechanisms';
import { checkExactly, falling, upTo } from '../helpers/unbiased';

const isLong = process.env['COINTOSS_LONG'] !== undefined;

const even = (count: number): string[] => Array.from({ length: count }, () => `1/${count}`);

const long: readonly (readonly [number, number])[] = [1, 3, 8, 11, 14].map((epsilon) => [401, epsilon]);

/* Where a truth can have few of the outputs, and most truths are outputs themselves: the hardest for the search. */
test.each([[100, 14], ...(isLong ? long : [])] as const)(
  '%p values at ε = %p are exact and nearly the best',
  (count, epsilon) => {
    for (const prior of isLong ? [falling(count), even(count)] : [falling(count)]) {
      const { variance, gap } = checkExactly(upTo(count), prior, epsilon);
      expect(gap.over(variance).toNumber()).toBeLessThanOrEqual(2 ** -10);
    }
  },
);

describe('the outputs of the next round', () => {
  const outputs = Float64Array.from([-1, 0, 0.25, 0.5, 0.75, 1, 2]);
  const likely = Float64Array.from([0, 0.4, 0, 0, 0, 0.6, 0]);
  const next = (rounding: number, offers: readonly number[] = []): number[] => [
    ...nextOutputs(outputs, likely, offers, rounding),
  ];

  test('are the present ones and the offers', () => {
    expect(next(1)).toEqual([...outputs]);
    expect(next(0.01, [0.4])).toEqual(expect.arrayContaining([...outputs, 0.4]));
  });

  test('are finer where outputs are likely, and the finer the less rounding may cost', () => {
    const within = (from: number, to: number, all: readonly number[]): number =>
      all.filter((output) => output > from && output < to).length;
    const [coarse, fine] = [next(1e-2), next(1e-4)];
    expect(fine.length).toBeGreaterThan(coarse.length);
    expect(within(0, 0.25, fine)).toBeGreaterThan(within(0.25, 0.5, fine));
  });
});

test('bands ascend with the truths, whatever the prices, and each output is in one', () => {
  const draw = instances('bands');
  for (let run = 0; run < 200; run++) {
    const count = 1 + draw(8);
    const places = Array.from({ length: 101 }, (_, place) => place).sort(() => draw(3) - 1);
    const truths = Float64Array.from(places.slice(0, count), (place) => place / 100);
    const prior = Float64Array.from(truths, () => (1 + draw(9)) / 10);
    const prices = Array.from(truths, () => ({ level: (draw(21) - 10) / 50, slope: (draw(21) - 10) / 10 }));
    const outputs = Float64Array.from({ length: 2 + draw(40) }, (_, place) => place / 10 - 1);
    const { from, end } = nextBands({ truths, prior, ratio: 0.1, slack: 0.9 }, prices, outputs);
    const order = [...truths.keys()].sort((a, b) => (truths[a] ?? 0) - (truths[b] ?? 0));
    let [covered, last] = [0, 0];
    for (const x of order) {
      expect(from[x]).toBeGreaterThanOrEqual(last);
      expect(from[x]).toBeLessThanOrEqual(covered);
      expect(end[x]).toBeGreaterThanOrEqual(covered);
      // With fewer outputs, no mean but one could be had.
      expect((end[x] ?? 0) - (from[x] ?? 0)).toBeGreaterThanOrEqual(2);
      [last, covered] = [from[x] ?? 0, end[x] ?? 0];
    }
    expect(covered).toBe(outputs.length);
  }
});

test('a matrix without the zeros that its lines begin with has the same factor', () => {
  const draw = instances('factor');
  for (let run = 0; run < 50; run++) {
    const size = 1 + draw(12);
    const lengths = Array.from({ length: size }, (_, j) => 1 + draw(j + 1));
    const short = lengths.map((length) =>
      Float64Array.from({ length }, (_, place) =>
        place === length - 1 ? 20 + draw(9) : (draw(19) - 9) / 10,
      ),
    );
    const whole = short.map((line, j) => {
      const full = zeros(j + 1);
      full.set(line, j + 1 - line.length);
      return full;
    });
    const side = Float64Array.from({ length: size }, () => draw(19) - 9);
    const solutions = [short, whole].map((triangle) => {
      const lines = triangle.map((line) => line.slice());
      expect(factorise(lines)).toBe(true);
      const solution = side.slice();
      solveFactored(lines, solution);
      return solution;
    });
    const entry = (i: number, j: number): number => (i >= j ? whole[i]?.[j] : whole[j]?.[i]) ?? 0;
    for (const solution of solutions)
      side.forEach((value, i) => {
        const product = solution.reduce((sum, own, j) => sum + own * entry(i, j), 0);
        expect(Math.abs(product - value)).toBeLessThan(1e-12);
      });
  }
});
