import fc from 'fast-check';
import { creditShares, modelsBeside, type Candidate } from '../../../analysis/credits/models';
import { utilityPromises } from '../../../extension/pages/explain/compare-models';
import { modelsDiffer } from '../../../extension/pages/explain/model-comparison';
import type { AttributionModel, PrivateModel } from '../../../src/model/mechanisms';
import { epsilon as epsilonOf, moment } from '../../../src/model/units';

const HOUR = 3_600_000;
const clicks: readonly Candidate[] = [
  { age: 5 * HOUR, priority: 0n },
  { age: 3 * HOUR, priority: 7n },
  { age: HOUR, priority: 0n },
];

const privately = (more: Partial<PrivateModel> = {}): PrivateModel => ({
  kind: 'exponential',
  epsilon: epsilonOf(2),
  score: 'linear',
  unit: 'hours',
  tau: 1,
  gap: null,
  ...more,
});

/** e^(ε·s/2Δ), normalised. */
const softmax = (exponents: readonly number[]): number[] => {
  const sizes = exponents.map(Math.exp);
  const total = sizes.reduce((a, b) => a + b);
  return sizes.map((size) => size / total);
};

test.each<[string, AttributionModel, readonly number[]]>([
  ['priority', { kind: 'priority' }, [0, 1, 0]],
  ['last-touch', { kind: 'last-touch' }, [0, 0, 1]],
  ['first-touch', { kind: 'first-touch' }, [1, 0, 0]],
  ['linear', { kind: 'linear', credit: 'draw' }, [1 / 3, 1 / 3, 1 / 3]],
  ['position-based', { kind: 'position-based', credit: 'split' }, [0.4, 0.2, 0.4]],
  ['time-decay', { kind: 'time-decay', credit: 'draw', halfLife: 7200 }, [1 / 7, 2 / 7, 4 / 7]],
  ['exponential', privately(), softmax([-5, -3, -1])],
  ['permute-and-flip of one', privately({ kind: 'permute-and-flip' }), []],
])('the shares of %s', (_name, model, expected) => {
  const shares = creditShares(model, expected.length === 0 ? clicks.slice(0, 1) : clicks);
  (expected.length === 0 ? [1] : expected).forEach((share, index) =>
    expect(shares[index]).toBeCloseTo(share, 12),
  );
});

test('of equal priorities the last has it', () => {
  expect(
    creditShares(
      { kind: 'priority' },
      clicks.map(({ age }) => ({ age, priority: 1n })),
    ),
  ).toEqual([0, 0, 1]);
});

test('the shares of every model sum to one', () => {
  const ages = fc.array(fc.integer({ min: 0, max: 30 * 24 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(ages, (hours) => {
      const candidates = [...hours].sort((a, b) => b - a).map((age) => ({ age: age * HOUR, priority: 0n }));
      for (const model of modelsBeside({ kind: 'priority' }))
        expect(creditShares(model, candidates).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    }),
    { numRuns: 50 },
  );
});

test('the promise of the linear score is that of the field: within 5.4 s of the last with probability 0.86', () => {
  const [promise] = utilityPromises(privately({ epsilon: epsilonOf(1), unit: 'seconds' }), [2], [2]);
  expect(promise).toEqual({
    clicks: 2,
    probability: 1 - Math.exp(-2),
    within: 2 * (Math.log(2) + 2),
  });
});

test.each<[string, PrivateModel]>([
  ['exponential', privately({ score: 'exponential', epsilon: epsilonOf(12), tau: 0.5 })],
  ['reciprocal', privately({ score: 'reciprocal', epsilon: epsilonOf(12), tau: 0.5, gap: 2 })],
])('the promise of the %s score holds for two clicks at its edge', (_name, model) => {
  const k = 1;
  const [promise] = utilityPromises(model, [2], [k]);
  const within = promise?.within ?? NaN;
  expect(within).toBeGreaterThan(0);
  // Of two clicks, one as near as possible and one just beyond the bound, the far one is chosen with probability at most e^−k.
  const near = model.gap ?? 0;
  const far = { age: (near + within * (1 + 1e-9)) * HOUR, priority: 0n };
  const [share = NaN] = creditShares(model, [
    { ...far, age: Math.ceil(far.age) },
    { age: near * HOUR, priority: 0n },
  ]);
  expect(share).toBeLessThanOrEqual(Math.exp(-k));
});

test('nothing is promised where the loss may be all of the score', () => {
  expect(
    utilityPromises(privately({ score: 'exponential', epsilon: epsilonOf(0.1) }), [5], [3])[0]?.within,
  ).toBeNull();
  expect(
    utilityPromises(privately({ score: 'reciprocal', gap: 2, epsilon: epsilonOf(0.1) }), [5], [3])[0]?.within,
  ).toBeNull();
});

describe('a conversion on the page Attribution', () => {
  const models = modelsBeside({ kind: 'last-touch' });
  const entry = (ages: readonly number[]): Parameters<typeof modelsDiffer>[1] =>
    ({
      kind: 'trigger',
      time: moment(1_000 * HOUR),
      considered: ages.map((age, id) => ({
        id,
        time: moment((1_000 - age) * HOUR),
        priority: 0n,
        verdict: id === 0 ? 'attributed' : 'not-chosen',
      })),
    }) as unknown as Parameters<typeof modelsDiffer>[1];

  test.each<[ages: readonly number[], differ: boolean]>([
    [[3], false],
    [[1, 3], true],
  ])('with sources %j hours before it is shown in full only if models differ: %s', (ages, differ) => {
    expect(modelsDiffer(models, entry(ages))).toBe(differ);
  });
});
