import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { Chain } from '../../../analysis/estimate/likelihood/posterior-chain';
import { credibleIntervals } from '../../../analysis/estimate/likelihood/posterior';
import type { GroupTruth } from '../../../analysis/estimate/likelihood/raking';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { certain } from '../../../analysis/estimate/likelihood/strength-posterior';
import { configurationOf } from '../helpers/estimates';

const { likelihood } = estimatorOf(configurationOf({}, 'event', 3));
if (likelihood === null) throw new Error('randomized response has a likelihood');
const { response, measures } = likelihood;
const PARTS = 12;

/** Groups of 400 impressions, of which 40 have a report, beside a part that follows its own reports, and so many others in all. */
function intervalsBeside(others: number): {
  intervals: ReturnType<typeof credibleIntervals>;
  /** How many groups drew under the second prior. */
  second: number;
} {
  const support = new Support((output) => response.composition(output));
  const observedOf = (sources: number): GroupTruth['observed'] =>
    support.countsOf(
      new Map([
        ['0', 0.9 * sources],
        ['1', 0.05 * sources],
        ['2', 0.05 * sources],
      ]),
    );
  const truthOf = (name: string | null, sources: number, isAlone: boolean): GroupTruth => ({
    group: name === null ? [] : [name],
    sources,
    own: observedOf(sources),
    shared: 0,
    base: [],
    observed: observedOf(sources),
    strengths: certain(isAlone ? 1 : 100),
    isAlone,
    sums: 'scaled',
  });
  const groups = [
    truthOf(null, PARTS * 400 + others, true),
    truthOf('alone', 400, true),
    ...Array.from({ length: PARTS }, (_, part) => truthOf(String(part), 400, false)),
  ];
  let second = 0;
  const of = Reflect.get<Chain, 'of'>(Chain.prototype, 'of');
  const spy = jest.spyOn(Chain.prototype, 'of').mockImplementation(function (this: Chain, ...given) {
    const run = of.apply(this, given);
    return (prior) => {
      if (prior === 1) second += 1;
      return run(prior);
    };
  });
  const estimates = groups.map(({ sources }) => measures.map(() => 0.1 * sources));
  const options = { level: 0.95, randomness: 'noise-and-sampling' } as const;
  const intervals = credibleIntervals(support, response, groups, measures, estimates, options);
  spy.mockRestore();
  return { intervals, second };
}

test('parts draw under the second prior only if it moves the larger group', () => {
  // All sources, and the part alone, have no larger group.
  const many = intervalsBeside(1_000_000);
  expect(many.second).toBe(2);
  const few = intervalsBeside(0);
  expect(few.second).toBe(2 + PARTS);
  for (const { intervals } of [many, few])
    for (const own of intervals)
      for (const [low, high] of own) expect(low < high && Number.isFinite(high)).toBe(true);
});
