import { likeliestPrior, rowsOf } from '../../../bench/group-mixtures';
import { binomialProbabilities } from '../helpers/coverage';

/** Of 40 sources that have a report with the probability 0.8 if they convert, and otherwise with 0.2. */
const rows = rowsOf(40, 0.8, 0.2);

test('reports of groups come from the sources that convert, and from the noise of the others', () => {
  expect(rows[0]?.[8]).toBeCloseTo(binomialProbabilities(40, 0.2)[8] ?? NaN, 12);
  expect(rows[40]?.[8]).toBeCloseTo(binomialProbabilities(40, 0.8)[8] ?? NaN, 12);
  expect(rows[20]?.reduce((sum, share, reports) => sum + share * reports, 0)).toBeCloseTo(20, 9);
});

/** By how much any other prior can raise the mean log-likelihood, at most (Kiefer & Wolfowitz 1956; Lindsay 1983). */
const gapOf = (prior: readonly number[], seen: readonly number[]): number =>
  Math.max(
    ...rows.map((row) =>
      seen.reduce((sum, reports) => {
        const mixed = prior.reduce((all, weight, truth) => all + weight * (rows[truth]?.[reports] ?? 0), 0);
        return sum + (row[reports] ?? 0) / mixed / seen.length;
      }, 0),
    ),
  ) - 1;

test('no prior explains the reports of groups better than the likeliest one', () => {
  const seen = [8, 9, 7, 8, 10, 6, 8, 20, 21, 32];
  expect(
    gapOf(
      rows.map(() => 1 / rows.length),
      seen,
    ),
  ).toBeGreaterThan(0.5);
  const found = likeliestPrior(rows, seen);
  expect(gapOf(found, seen)).toBeLessThanOrEqual(1e-3);
  expect(found.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
  // Seven groups have about no conversion, two 20, and one all.
  const upTo = (last: number): number => found.slice(0, last).reduce((a, b) => a + b, 0);
  expect(upTo(10)).toBeCloseTo(0.7, 1);
  expect(upTo(31)).toBeCloseTo(0.9, 1);
});
