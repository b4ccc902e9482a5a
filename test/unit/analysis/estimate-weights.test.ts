import { lossWeights, responseLossWeights } from '../../../analysis/estimate/likelihood/training-weights';
import { transitionRows } from '../../../analysis/estimate/quantities/transition';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';

const PRIOR = ['0.4', '0.3', '0.2', '0.1'];
const VALUES = [0, 1, 5, 20];

/** For each true label, the mean weight of each label. */
const meanWeights = (
  rows: readonly (readonly number[])[],
  weights: readonly (readonly number[])[],
): readonly (readonly number[])[] =>
  rows.map((row) =>
    rows.map((_, label) =>
      row.reduce((sum, chance, output) => sum + chance * (weights[output]?.[label] ?? NaN), 0),
    ),
  );

test.each([
  ['unbiased at ε = 1', transitionRows(unbiasedRandomizer(VALUES, PRIOR, 1), 4)],
  ['unbiased at ε = 4', transitionRows(unbiasedRandomizer(VALUES, PRIOR, 4), 4)],
  ['a prior that leaves all labels', transitionRows(rrWithPrior(PRIOR, 4), 4)],
  ['bins of one value each', transitionRows(rrOnBins(VALUES, PRIOR, 'squared', 6), 4)],
])('the weighted loss has the loss of the true label as its mean: %s', (_, rows) => {
  const weights = lossWeights(rows);
  meanWeights(rows, weights).forEach((row, truth) =>
    row.forEach((mean, label) => expect(mean).toBeCloseTo(label === truth ? 1 : 0, 8)),
  );
  weights.forEach((row, output) => {
    const occurs = rows.some((chances) => (chances[output] ?? 0) > 0);
    expect(row.reduce((a, b) => a + b, 0)).toBeCloseTo(occurs ? 1 : 0, 8);
  });
});

test('randomized response over any number of labels agrees with its inverse', () => {
  const [states, epsilon] = [5, 1.5];
  const truth = Math.exp(epsilon) / (Math.exp(epsilon) + states - 1);
  const rows = Array.from({ length: states }, (_, input) =>
    Array.from({ length: states }, (_, output) => (input === output ? truth : (1 - truth) / (states - 1))),
  );
  const { own, other } = responseLossWeights(states, epsilonOf(epsilon));
  lossWeights(rows).forEach((row, output) =>
    row.forEach((weight, label) => expect(weight).toBeCloseTo(label === output ? own : other, 10)),
  );
  expect(own + (2925 - 1) * responseLossWeights(2925, epsilonOf(14)).other).toBeLessThan(own);
});

test.each([
  ['a label that is never an output', transitionRows(rrWithPrior(PRIOR, 1), 4)],
  ['two labels of one bin', transitionRows(rrOnBins(VALUES, PRIOR, 'squared', 1), 4)],
])('%s cannot be undone', (_, rows) => {
  expect(() => lossWeights(rows)).toThrow('rows must be linearly independent');
});

test.each([
  [0, 1, 'states must be at least 1, was 0'],
  [3, 0, 'epsilon must be greater than 0, was 0'],
])('k = %s at ε = %s is refused', (states, epsilon, message) => {
  expect(() => responseLossWeights(states, epsilonOf(epsilon))).toThrow(message);
});
