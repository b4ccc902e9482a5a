import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { Chain, Coefficients } from '../../../analysis/estimate/likelihood/posterior-chain';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { certain } from '../../../analysis/estimate/likelihood/strength-posterior';
import { configurationOf } from '../helpers/estimates';

/* The first point of the grid of strengths is infinite, so chains meet it although it is rare. */
test('parts whose shares of cells are those of the larger group draw them without chance', () => {
  const { likelihood } = estimatorOf(configurationOf({}, 'navigation', 2));
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  const { response, measures } = likelihood;
  const support = new Support((output) => response.composition(output));
  const tally = new Map([
    ['0', 60],
    ['1', 20],
    ['40', 20],
  ]);
  const observed = support.countsOf(tally);
  const even = support.even();
  const chain = new Chain(
    support,
    response,
    new Coefficients(support, measures),
    'noise-and-sampling',
    [even],
    2,
  );
  const group = {
    group: ['part'],
    sources: 100,
    own: observed,
    shared: 0,
    base: support.outputs.map(() => 0),
    observed,
    strengths: certain(20),
    ofCells: certain(Infinity),
    isAlone: false,
    sums: 'scaled' as const,
  };
  const { models, ofPeople } = chain.of(group, [[even]], true, 1)(0);
  const shares = support.sharesOfLists(even.cells).slice();
  for (const { cells } of models.slice(0, 20))
    support.sharesOfLists(cells).forEach((share, cell) => {
      expect(share).toBeCloseTo(shares[cell] ?? NaN, 9);
    });
  for (const sums of ofPeople) expect(sums.every(Number.isFinite)).toBe(true);
});
