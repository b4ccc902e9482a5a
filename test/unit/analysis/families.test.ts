import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { fitsModel } from '../../../analysis/estimate/likelihood/fit-test';
import { familiesOf, type Family } from '../../../analysis/estimate/likelihood/families';
import {
  averaged,
  likelihoodOf,
  type LikelyEstimate,
} from '../../../analysis/estimate/likelihood/likelihood';
import type { ResponseModel } from '../../../analysis/estimate/quantities/response-model';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { FLEXIBLE, statesOf, trial } from '../../../bench/trial-truths';

const source = simulated('navigation', 5, FLEXIBLE);
const estimator = estimatorOf(source.configuration);
const { likelihood } = estimator;
if (likelihood === null) throw new Error('randomized response has a likelihood');
const { response, measures } = likelihood;
const { sharing } = response;
if (sharing === undefined) throw new Error('reports of buckets may share windows');
const outputs = Array.from({ length: Number(response.outputs) }, (_, output) => String(output));

const tallyWith = (
  windows: readonly (readonly number[])[],
  stream: number,
  sources = 500,
): ReadonlyMap<string, number> =>
  tallyOf(
    source,
    trial(sources, sources / 5, statesOf(source, 2, windows)),
    seededRandomSource('families', stream),
  );

/** Two reports of one trigger data as often in one window, and in each window, as if they did not depend on each other. */
const APART = [[0], [1], [0, 0], [0, 1], [1, 1], [0, 1]];
const TOGETHER = [[0], [1], [0, 0], [1, 1], [0, 0, 0], [1, 1, 1]];

test('in both families, what the cells of a possible output add is what it adds', () => {
  const compositions = [(output: string) => response.composition(output), sharing];
  for (const { adds, ofReport } of measures)
    for (const output of ofReport === null ? [] : outputs)
      for (const compositionOf of compositions) {
        const { lists, reports, isPossible } = compositionOf(output);
        expect(reports).toBe(response.composition(output).lists.flat().length);
        if (isPossible)
          expect(lists.flat().reduce((sum, cell) => sum + (ofReport?.(cell) ?? NaN), 0)).toBe(adds(output));
      }
});

test('if reports share windows, those of each trigger data are in one', () => {
  const possible = outputs.filter((output) => sharing(output).isPossible);
  // Up to three of one trigger data in one of two windows, and two of one beside one of the other.
  expect(possible).toHaveLength(1 + 2 * 3 * 2 + 3 * 2 * 2);
  const found = new Support(sharing);
  const counts = found.countsOf(new Map(outputs.map((output) => [output, 10])));
  const { kept } = found.expect(response, counts, found.even());
  kept.outputs.forEach((output, index) => {
    const isPossible = sharing(found.outputs[output] ?? '').isPossible;
    expect(kept.counts[index] === 0).toBe(!isPossible);
  });
});

/* The seeds are fixed. */
test('the family with shared windows has the weight if reports share them, and otherwise hardly any', () => {
  const ofShared = (tally: ReadonlyMap<string, number>): number =>
    familiesOf(response, tally, 0.95).reduce(
      (sum, { support, weight }) => sum + (support.lists > 2 ? weight : 0),
      0,
    );
  const mean = (windows: readonly (readonly number[])[]): number =>
    [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, stream) => sum + ofShared(tallyWith(windows, stream)) / 8, 0);
  expect(mean(TOGETHER)).toBeGreaterThan(0.8);
  expect(mean(APART)).toBeLessThan(0.1);
});

test('without noise, reports of a trigger data in two windows refute shared windows', () => {
  const exact = estimatorOf(simulated('navigation', 700, FLEXIBLE).configuration).likelihood?.response;
  if (exact === undefined) throw new Error('randomized response has a likelihood');
  const [apart = ''] = outputs.filter((output) => !sharing(output).isPossible);
  for (const tally of [
    new Map([[apart, 3]]),
    new Map([
      ['0', 20],
      [apart, 3],
    ]),
  ]) {
    const families = familiesOf(exact, tally, 0.95);
    expect(families.map(({ support, weight }) => [support.lists, weight])).toEqual([[2, 1]]);
  }
});

test('a mechanism on labels, and default reports, have one family', () => {
  const other = estimatorOf(simulated('navigation', 8).configuration).likelihood?.response;
  if (other === undefined) throw new Error('randomized response has a likelihood');
  expect(other.sharing).toBeUndefined();
  expect(
    familiesOf(
      other,
      new Map([
        ['0', 90],
        ['7', 10],
      ]),
      0.95,
    ).map(({ weight }) => weight),
  ).toEqual([1]);
});

test('the surer an interval must be, the less probable families it holds', () => {
  const tallies = Array.from({ length: 60 }, (_, stream) => tallyWith(TOGETHER, stream, 100));
  const least = (level: number): readonly number[] =>
    tallies.flatMap((tally) => {
      const families = familiesOf(response, tally, level);
      return families.length === 2 ? [Math.min(...families.map(({ weight }) => weight))] : [];
    });
  for (const level of [0.5, 0.95, 0.99])
    for (const weight of least(level)) expect(weight).toBeGreaterThanOrEqual(0.1 * (1 - level));
  expect(least(0.95).some((weight) => weight < 0.05)).toBe(true);
  expect(least(0.99).length).toBeGreaterThan(least(0.95).length);
});

test('a family without an estimate of some group is left out', () => {
  const estimates = [[{ estimate: 3, interval: [1, 5] as const }]];
  const none = { weight: 0.6, estimates: null };
  expect(averaged([none, { weight: 0.4, estimates }])).toEqual(estimates);
  expect(averaged([{ weight: 0.4, estimates }, none])).toEqual(estimates);
  expect(averaged([none])).toBeNull();
});

test('a family that does not fit is left out', () => {
  // In the first family, each output has a share of its own; in the second, noise alone gives one output.
  const [never = ''] = outputs.filter((output) => response.composition(output).reports === 3);
  const ownShares = (output: string): ReturnType<ResponseModel['composition']> => ({
    ...response.composition(output),
    kind: output,
    lists: [],
  });
  const without = (output: string): ReturnType<ResponseModel['composition']> => ({
    ...response.composition(output),
    isPossible: output !== never,
  });
  const first: ResponseModel = {
    keep: response.keep,
    outputs: response.outputs,
    outputAt: String,
    composition: ownShares,
  };
  const both: ResponseModel = { ...first, sharing: without };
  const tally = Array.from({ length: 40 }, (_, more) => {
    const own = new Map(tallyWith(APART, 3));
    return own.set(never, (own.get(never) ?? 0) + more);
  }).find((each) => {
    const [probable, other] = familiesOf(both, each, 0.95);
    const fits = ({ fitted: { whole, sources }, replicates }: Family): boolean =>
      fitsModel(whole, sources, replicates().replicates);
    return other !== undefined && fits(probable) && !fits(other);
  });
  if (tally === undefined) throw new Error('some number of this output refutes one family alone');
  const options = { level: 0.95, randomness: 'noise' } as const;
  const estimatesOf = (
    model: ResponseModel,
  ): { readonly likeliest: readonly number[]; readonly estimates: ReturnType<typeof averaged> } => {
    const found = likelihoodOf({ response: model, measures }, [{ group: [], tally }], options, (quantity) =>
      estimator.estimate(quantity, tally, options),
    );
    expect(found.fits()).toBe(true);
    return { likeliest: found.likeliest(), estimates: found.estimates() };
  };
  expect(estimatesOf(both)).toEqual(estimatesOf(first));
});

test('estimates are the means over the families, and intervals hold those of each', () => {
  const tally = Array.from({ length: 60 }, (_, stream) => tallyWith(TOGETHER, stream, 100)).find(
    (each) => familiesOf(response, each, 0.95).length === 2,
  );
  if (tally === undefined) throw new Error('some sample leaves both families possible');
  const options = { level: 0.95, randomness: 'noise' } as const;
  const estimatesBy = (model: ResponseModel): readonly LikelyEstimate[] => {
    const found = likelihoodOf({ response: model, measures }, [{ group: [], tally }], options, (quantity) =>
      estimator.estimate(quantity, tally, options),
    ).estimates();
    return found?.[0] ?? [];
  };
  const independent: ResponseModel = {
    keep: response.keep,
    outputs: response.outputs,
    outputAt: String,
    composition: (output) => response.composition(output),
  };
  const both = estimatesBy(response);
  const alone = [estimatesBy(independent), estimatesBy({ ...independent, composition: sharing })];
  const families = familiesOf(response, tally, 0.95);
  const weights = [2, 6].map(
    (lists) => families.find(({ support }) => support.lists === lists)?.weight ?? NaN,
  );
  expect(both).toHaveLength(measures.length);
  both.forEach(({ estimate, interval: [low, high] }, measure) => {
    const own = alone.map((estimates) => estimates[measure]);
    expect(estimate).toBeCloseTo(
      own.reduce((sum, found, family) => sum + (weights[family] ?? NaN) * (found?.estimate ?? NaN), 0),
      6,
    );
    expect(low).toBe(Math.min(...own.map((found) => found?.interval[0] ?? NaN)));
    expect(high).toBe(Math.max(...own.map((found) => found?.interval[1] ?? NaN)));
  });
});
