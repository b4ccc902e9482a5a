import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { likelihoodOf } from '../../../analysis/estimate/likelihood/likelihood';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { FLEXIBLE, numbered, statesOf, trial } from '../../../bench/trial-truths';

const source = simulated('navigation', 5, FLEXIBLE);
const estimator = estimatorOf(source.configuration);
const { likelihood } = estimator;
if (likelihood === null) throw new Error('randomized response has a likelihood');

/*
 * Of 500 sources, noise alone gives 230 reports with a value of 3,000. 40 sources with three reports of one trigger data have only 120 reports, but a value of 4,000.
 */
test('a group that stands out by having no conversions has no value', () => {
  const apart = new Map([
    ['0', 460],
    [source.stateOf(0, [0, 0, 0]), 40],
  ]);
  const others = numbered(12).map((group, stream) => ({
    group,
    tally: tallyOf(
      source,
      trial(500, 200, statesOf(source, 2, [[0], [1]])),
      seededRandomSource('values of groups', stream),
    ),
  }));
  const parts = [{ group: ['apart'], tally: apart as ReadonlyMap<string, number> }, ...others];
  const all = new Map<string, number>();
  for (const { tally } of parts)
    for (const [output, count] of tally) all.set(output, (all.get(output) ?? 0) + count);
  const options = { level: 0.95, randomness: 'noise' } as const;
  for (const [kind, isPositive] of [
    ['conversions', false],
    ['value', true],
  ] as const)
    expect(estimator.estimate({ kind }, apart, options).estimate > 0).toBe(isPositive);
  const found = likelihoodOf(likelihood, [{ group: [], tally: all }, ...parts], options, (quantity) =>
    estimator.estimate(quantity, all, options),
  ).estimates();
  const estimateOf = (group: number, kind: 'conversions' | 'value'): number | undefined =>
    found?.[group]?.[likelihood.measures.findIndex(({ quantity }) => quantity.kind === kind)]?.estimate;
  expect(estimateOf(1, 'conversions')).toBeCloseTo(0, 9);
  expect(estimateOf(1, 'value')).toBeCloseTo(0, 9);
  expect(estimateOf(2, 'value')).toBeGreaterThan(0);
});
