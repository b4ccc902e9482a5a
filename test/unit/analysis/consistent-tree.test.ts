import fc from 'fast-check';
import { analyse } from '../../../analysis/estimate/result/analysis';
import { ConsistentTree, type TreeNode } from '../../../analysis/estimate/result/consistent-tree';
import { discreteLaplace } from '../../../analysis/noise/discrete-laplace';
import { seededRandomSource } from '../../../analysis/random/sources';
import { Rational } from '../../../src/privacy/rational';
import { configurationOf } from '../helpers/estimates';

/* Consistent estimates of sums in a tree, from noisy measurements of its nodes. */

const LEVEL = 0.95;

/** Parents, each before its children. */
const parents: fc.Arbitrary<readonly (number | null)[]> = fc
  .array(fc.nat(), { minLength: 0, maxLength: 12 })
  .map((drawn) => [null, ...drawn.map((number, index) => (number % 7 === 6 ? null : number % (index + 1)))]);

const isLeaf = (all: readonly (number | null)[], index: number): boolean => !all.includes(index);

const tree: fc.Arbitrary<readonly TreeNode[]> = parents.chain((all) =>
  fc.tuple(
    ...all.map((parent, index) =>
      fc.record({
        parent: fc.constant(parent),
        estimate: fc.double({ min: -100, max: 100, noNaN: true }),
        variance: fc.oneof(
          fc.double({ min: 0.1, max: 10, noNaN: true }),
          fc.constant(isLeaf(all, index) ? 1 : Infinity),
        ),
      }),
    ),
  ),
);

const childrenOf = (nodes: readonly TreeNode[], index: number): readonly number[] =>
  nodes.flatMap(({ parent }, child) => (parent === index ? [child] : []));

/** The leaves below a node, or itself. */
const leavesOf = (nodes: readonly TreeNode[], index: number): readonly number[] => {
  const below = childrenOf(nodes, index);
  return below.length === 0 ? [index] : below.flatMap((child) => leavesOf(nodes, child));
};

/** Solves a·x = b by elimination; a is positive definite. */
function solved(
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const rows = a.map((row, index) => [...row, ...(b[index] ?? [])]);
  rows.forEach((pivot, column) => {
    const by = pivot[column] ?? 1;
    for (let place = 0; place < pivot.length; place++) pivot[place] = (pivot[place] ?? 0) / by;
    for (const row of rows) {
      const times = row === pivot ? 0 : (row[column] ?? 0);
      for (let place = 0; place < row.length; place++)
        row[place] = (row[place] ?? 0) - times * (pivot[place] ?? 0);
    }
  });
  return rows.map((row) => row.slice(a.length));
}

/** Generalised least squares over the leaves, from its normal equations. */
function leastSquares(nodes: readonly TreeNode[]): {
  readonly estimates: readonly number[];
  readonly covariance: readonly (readonly number[])[];
  readonly leaves: readonly number[];
} {
  const leaves = nodes.flatMap((_, index) => (childrenOf(nodes, index).length === 0 ? [index] : []));
  const design = nodes.map((_, index) => leaves.map((leaf) => Number(leavesOf(nodes, index).includes(leaf))));
  const weight = (index: number): number => 1 / (nodes[index]?.variance ?? Infinity);
  const at = (row: number, column: number): number => design[row]?.[column] ?? 0;
  const normal = leaves.map((_, i) =>
    leaves.map((_, j) => nodes.reduce((sum, _, row) => sum + at(row, i) * at(row, j) * weight(row), 0)),
  );
  const right = leaves.map((_, i) =>
    nodes.reduce((sum, { estimate }, row) => sum + at(row, i) * weight(row) * estimate, 0),
  );
  const identity = leaves.map((_, i) => leaves.map((_, j) => Number(i === j)));
  return {
    leaves,
    estimates: solved(
      normal,
      right.map((value) => [value]),
    ).map(([value = NaN]) => value),
    covariance: solved(normal, identity),
  };
}

const close = (a: number, b: number): boolean => Math.abs(a - b) < 1e-7 * (1 + Math.abs(b));

/** The sum of these leaves is what least squares says. */
function expectLeastSquares(
  { estimate, variance }: { readonly estimate: number; readonly variance: number },
  leaves: readonly number[],
  { estimates, covariance }: Pick<ReturnType<typeof leastSquares>, 'estimates' | 'covariance'>,
): void {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  expect(close(estimate, sum(leaves.map((leaf) => estimates[leaf] ?? NaN)))).toBe(true);
  expect(close(variance, sum(leaves.flatMap((i) => leaves.map((j) => covariance[i]?.[j] ?? NaN))))).toBe(
    true,
  );
}

test('nodes are the sums of their children, as least squares has them, with its variances', () => {
  fc.assert(
    fc.property(tree, (nodes) => {
      const consistent = new ConsistentTree(nodes);
      const of = (index: number): number => consistent.sumOf([index], LEVEL).estimate;
      nodes.forEach((_, index) => {
        const below = childrenOf(nodes, index);
        if (below.length > 0)
          expect(
            close(
              below.reduce((sum, child) => sum + of(child), 0),
              of(index),
            ),
          ).toBe(true);
      });
      const { leaves, estimates, covariance } = leastSquares(nodes);
      nodes.forEach((_, index) => {
        const below = leavesOf(nodes, index).map((leaf) => leaves.indexOf(leaf));
        const { estimate, variance } = consistent.sumOf([index], LEVEL);
        expectLeastSquares({ estimate, variance }, below, { estimates, covariance });
      });
    }),
    { seed: 18, numRuns: 200 },
  );
});

test('slices of any leaves have the variance that least squares says', () => {
  fc.assert(
    fc.property(tree, fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }), (nodes, chosen) => {
      const { leaves, estimates, covariance } = leastSquares(nodes);
      const slice = leaves.flatMap((_, index) => (chosen[index] === true ? [index] : []));
      const { estimate, variance } = new ConsistentTree(nodes).sumOf(
        slice.map((index) => leaves[index] ?? 0),
        LEVEL,
      );
      expectLeastSquares({ estimate, variance }, slice, { estimates, covariance });
    }),
    { seed: 18, numRuns: 200 },
  );
});

test('no variance is greater than that of the measurement, or of the leaves below', () => {
  fc.assert(
    fc.property(tree, (nodes) => {
      const consistent = new ConsistentTree(nodes);
      nodes.forEach(({ variance }, index) => {
        const found = consistent.sumOf([index], LEVEL).variance;
        const ofLeaves = leavesOf(nodes, index).reduce((sum, leaf) => sum + (nodes[leaf]?.variance ?? 0), 0);
        expect(found).toBeLessThanOrEqual(Math.min(variance, ofLeaves) * (1 + 1e-9));
      });
    }),
    { seed: 18 },
  );
});

test('measurements without errors stay as they are: the estimates are unbiased', () => {
  fc.assert(
    fc.property(tree, (nodes) => {
      // Linear in the measurements, so the mean of the estimates is what the means of the measurements give.
      const truth = (index: number): number =>
        leavesOf(nodes, index).reduce((sum, leaf) => sum + 3 * leaf + 1, 0);
      const exact = new ConsistentTree(nodes.map((node, index) => ({ ...node, estimate: truth(index) })));
      nodes.forEach((_, index) =>
        expect(close(exact.sumOf([index], LEVEL).estimate, truth(index))).toBe(true),
      );
    }),
    { seed: 18 },
  );
});

test('unbiased estimates from event-level reports are a consistent tree already', () => {
  const outputs = fc.array(
    fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'), fc.nat({ max: 2 })),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(outputs, fc.double({ min: 0.5, max: 14, noNaN: true }), (drawn, epsilon) => {
      const groups = drawn.map(([one, other, output]) => ({
        group: [one, other],
        tally: new Map([[String(output), 1]]),
      }));
      const configuration = configurationOf({}, 'event', epsilon);
      const options = { level: LEVEL, randomness: 'noise', likelihood: false, singles: false } as const;
      const { groups: found } = analyse({ configuration, groups }, options);
      for (const { group, estimates } of found.filter((one) => one.group.length < 2))
        estimates.forEach(({ quantity, estimate: { estimate } }, index) => {
          // A mean over sources, and no sum.
          if (quantity.kind === 'conversion-rate') return;
          const parts = found
            .filter(
              (one) =>
                one.group.length === group.length + 1 && group.every((name, at) => one.group[at] === name),
            )
            .map((one) => one.estimates[index]?.estimate.estimate ?? NaN);
          expect(
            close(
              parts.reduce((sum, part) => sum + part, 0),
              estimate,
            ),
          ).toBe(true);
        });
    }),
    { seed: 18, numRuns: 50 },
  );
});

test('a tree that cannot be', () => {
  const leaf = { estimate: 1, variance: 1 };
  expect(
    () =>
      new ConsistentTree([
        { ...leaf, parent: 1 },
        { ...leaf, parent: null },
      ]),
  ).toThrow('must come after');
  expect(() => new ConsistentTree([{ ...leaf, parent: null, variance: Infinity }])).toThrow(
    'must have been measured',
  );
});

test('intervals of Laplace noise hold the truth as often as they say', () => {
  // Two campaigns with three devices each, and one with none.
  const shape = [null, 0, 0, 1, 1, 1, 2, 2, 2, 0];
  const scale = Rational.of(300n);
  const noise = discreteLaplace(scale);
  const random = seededRandomSource('consistent tree', 0);
  const [repetitions, inner] = [4000, [0, 1, 2]];
  const truth = (index: number): number => (index === 0 ? 700 : inner.includes(index) ? 300 : 100);
  const asked = [...shape.map((_, index) => [index]), [3, 6], [4, 5, 7, 9]];
  const covered = asked.map(() => 0);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const tree = new ConsistentTree(
      shape.map((parent, index) => ({
        parent,
        estimate: truth(index) + Number(noise(random)),
        variance: 2 * 300 ** 2,
      })),
    );
    asked.forEach((places, index) => {
      const { estimate, halfWidth } = tree.sumOf(places, LEVEL);
      const expected = places.reduce((sum, place) => sum + truth(place), 0);
      if (Math.abs(estimate - expected) <= halfWidth) covered[index] = (covered[index] ?? 0) + 1;
    });
  }
  // 5.8 standard deviations of a binomial number: P < 1e-6 for all of them.
  for (const count of covered) expect(Math.abs(count / repetitions - LEVEL)).toBeLessThan(0.02);
});
