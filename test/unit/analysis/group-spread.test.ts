import { isLong } from '../helpers/is-long';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import {
  spreadOf,
  standingOut,
  together,
  tooFewToPool,
  type PartSpread,
} from '../../../analysis/estimate/likelihood/group-spread';
import { totalsAmong, withTotals } from '../../../analysis/estimate/likelihood/estimated-risk';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import { tailsOf } from '../../../analysis/estimate/likelihood/posterior';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { configurationOf, drawTally, samplerOf } from '../helpers/estimates';

/** The squared number of margins over the sum of all squared correlations, from the whole matrix. */
function independentOf(vectors: readonly (readonly number[])[], shares: readonly number[]): number {
  const margins = (vectors[0] ?? []).map((_, margin) => vectors.map((own) => own[margin] ?? 0));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value, output) => sum + value * (shares[output] ?? 0), 0);
  const covariance = (one: readonly number[], other: readonly number[]): number =>
    mean(one.map((value, output) => value * (other[output] ?? 0))) - mean(one) * mean(other);
  const varying = margins.filter((own) => covariance(own, own) > 1e-15);
  let squares = 0;
  for (const one of varying)
    for (const other of varying)
      squares += covariance(one, other) ** 2 / (covariance(one, one) * covariance(other, other));
  return varying.length ** 2 / squares;
}

test.each([
  ['event', 2],
  ['navigation', 8],
] as const)(
  'as many margins of %s sources at ε = %s are independent as all correlations say',
  (type, epsilon) => {
    const configuration = configurationOf({}, type, epsilon);
    const response = estimatorOf(configuration).likelihood?.response;
    if (response === undefined) throw new Error('randomized response has a likelihood');
    const support = new Support((output) => response.composition(output));
    const random = seededRandomSource('spread', 0);
    const truths = new Map([
      [0, 350],
      [1, 100],
      [2, 50],
    ]);
    const parts = ['a', 'b', 'c'].map((name) => ({
      group: [name],
      counts: support.countsOf(drawTally(samplerOf(configuration), truths, random)),
      sources: 500,
    }));
    const shares = support.outputs.map(() => 1 / support.outputs.length);
    const [spread] = spreadOf(support, response, parts, shares);

    const counts = support.outputs.map(() => 0);
    for (const { counts: own } of parts)
      own.outputs.forEach(
        (output, index) => (counts[output] = (counts[output] ?? 0) + (own.counts[index] ?? 0)),
      );
    const outputs = [...counts.keys()].filter((output) => (counts[output] ?? 0) > 0);
    const observed = { outputs, counts: outputs.map((output) => counts[output] ?? 0) };
    const even = support.marginsOf({ outputs: [...shares.keys()], counts: shares });
    const { kept } = support.expect(response, observed, even);
    const classes = support.examples.length;
    const vectors = outputs.map((output, index) => {
      const own = new Array<number>(classes + support.cellNames.length).fill(0);
      const weight = (kept.counts[index] ?? 0) / (observed.counts[index] ?? 1);
      const add = (margin: number): void => {
        own[margin] = (own[margin] ?? 0) + weight;
      };
      add(support.classOf[output] ?? 0);
      for (const cell of support.cellsOf[output] ?? []) add(classes + cell);
      return own;
    });
    expect(spread?.independent).toBeCloseTo(
      independentOf(
        vectors,
        observed.counts.map((count) => count / 1500),
      ),
      8,
    );
  },
);

test.each([
  [1, [0]],
  [2, [0, 1]],
  [3, [0, 1, 2]],
  [4, []],
])('parts of %s larger groups with two each follow their own reports in %j', (count, expected) => {
  const part: PartSpread = {
    distances: [50],
    chance: 50,
    room: 5000,
    wide: 10_000,
    independent: 1,
    excess: [0, 0],
  };
  const found = tooFewToPool(Array.from({ length: count }, () => [part, part]));
  expect([...found]).toEqual(expected);
});

const clicks = simulated('navigation', 14);
const { likelihood } = estimatorOf(clicks.configuration);
if (likelihood == null) throw new Error('randomized response has a likelihood');
const { response, measures } = likelihood;
const support = new Support((output) => response.composition(output));

/** The groups that stand out of some whose sources have so many reports with these probabilities, in so many cells. @param first sources of the first group with three reports in one cell */
function found(
  groups: number,
  sources: number,
  probabilities: readonly number[],
  cells: number,
  run: number,
  first = 0,
): readonly number[] {
  const random = seededRandomSource('standing out', run);
  const uniform = seededUniform('standing out', run);
  const truthOf = (): string => {
    let left = uniform();
    const reports = probabilities.findIndex((probability) => (left -= probability) < 0);
    const [data, window] = [Math.floor(uniform() * Math.min(cells, 8)), Math.floor((uniform() * cells) / 8)];
    return clicks.stateOf(data, new Array<number>(Math.max(reports, 0)).fill(window));
  };
  const parts = Array.from({ length: groups }, (_, index) => {
    const own = Array.from({ length: sources }, (_, source) =>
      index === 0 && source < first ? clicks.stateOf(7, [2, 2, 2]) : truthOf(),
    );
    return { group: [`${index}`], counts: support.countsOf(tallyOf(clicks, own, random)), sources };
  });
  const all = together(parts);
  const shares = support.outputs.map(() => 0);
  all.outputs.forEach((output, index) => (shares[output] = (all.counts[index] ?? 0) / (groups * sources)));
  return [...standingOut(spreadOf(support, response, parts, shares))];
}

const alike: readonly (readonly [number, number, readonly number[], number, number])[] = [
  [20, 100, [0.9, 0.08, 0.015, 0.005], 24, 100],
  [40, 25, [0.99, 0.009, 0.001], 2, 100],
  [200, 3, [0.9, 0.08, 0.015, 0.005], 24, 100],
  [3, 100, [0.9, 0.08, 0.015, 0.005], 24, 100],
];
const moreAlike: typeof alike = [
  [8, 250, [0.9, 0.08, 0.015, 0.005], 24, 100],
  [100, 30, [0.9, 0.08, 0.015, 0.005], 24, 100],
  [100, 100, [0.9, 0.1], 8, 40],
  [20, 1000, [0.98, 0.017, 0.002, 0.001], 24, 40],
  [1000, 1, [0.9, 0.08, 0.015, 0.005], 24, 40],
  [12, 50, [0.99, 0.009, 0.001], 2, 100],
  [200, 100, [0.9, 0.09, 0.01], 2, 40],
];

/*
 * The seeds are fixed. If one in 20 runs had a group that stands out, more than 14 of 100 would have one with a probability below 1e-4. The long
 * form tries more.
 */
test.each(isLong ? [...alike, ...moreAlike] : alike)(
  'of %s groups of %s sources that are alike, few stand out',
  (groups, sources, rates, cells, runs) => {
    const wrong = Array.from({ length: runs }, (_, run) => found(groups, sources, rates, cells, run));
    const errors = wrong.filter((apart) => apart.length > 0).length;
    expect(errors / runs).toBeLessThan(0.14);
  },
);

test('a group that differs in few of many margins stands out', () => {
  expect(found(8, 250, [0.9, 0.1], 24, 0, 10)).toEqual([0]);
  expect(found(8, 250, [0.9, 0.1], 24, 0, 1)).toEqual([]);
});

/* Of a group of one source, all outputs may be noise with probability 0.3. */
test.each([
  ['nine groups', 9, {}, 0.01],
  ['ten groups', 10, {}, 0.02],
  ['nine groups beside one of one source', 9, { sources: 1 }, 0.01],
  ['nine groups beside one that is fitted alone', 9, { isAlone: true }, 0.01],
  ['nine groups beside one of another level', 9, { group: ['0', 'a'] }, 0.01],
  ['nine groups beside a tenth', 9, { sources: 99 }, 0.02],
])('intervals of %s leave so many draws beyond each end', (_, count, more, expected) => {
  const group = { group: ['0'], sources: 100, isAlone: false };
  const others = Object.keys(more).length === 0 ? [] : [{ ...group, ...more }];
  const groups = [...Array.from({ length: count }, () => group), ...others];
  expect(tailsOf(groups, { keep: 0.7 }, 0.95)(group)).toBeCloseTo(expected, 12);
});

test('sources without a report stay none if all of a group convert', () => {
  const totals = totalsAmong(measures);
  if (totals === null) throw new Error('clicks have conversions');
  const [none, one] = [[], [0]].map((windows) =>
    support.countsOf(new Map([[clicks.stateOf(0, windows), 1]])),
  );
  const outputs = [none, one].map((counts) => counts?.outputs[0] ?? 0);
  const found = withTotals(support, totals, { outputs, counts: [0, 5] }, { conversions: 5, converting: 5 });
  expect(found.counts).toEqual([0, 5]);
});
