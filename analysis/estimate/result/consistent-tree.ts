import { halfWidth } from '../intervals/half-width';

/** The measurement of a node: an unbiased estimate, whose error does not depend on the others'. */
export interface TreeNode {
  /** Its place in the list, before its children; null for a root. */
  readonly parent: number | null;
  readonly estimate: number;
  /** The variance of the error; `Infinity` for an inner node that was not measured. */
  readonly variance: number;
}

/** A sum of nodes. */
export interface TreeEstimate {
  readonly estimate: number;
  readonly variance: number;
  /** The interval is the estimate ± this. */
  readonly halfWidth: number;
}

/** A node during the two passes. The weights are those of its measurement and of its place among its siblings. */
interface Pass {
  /** The best estimate from the node and everything below it. */
  readonly upward: number;
  readonly variance: number;
  /** The weight of its children's sum in `upward`; its own measurement has the rest. */
  readonly ofChildren: number;
}

const NOTHING = { sum: 0, variance: 0 };

/** The parts of measurements in the variance of an error: their sum, and that of their squares. */
interface ErrorParts {
  readonly variance: number;
  readonly squares: number;
}

/** The error of a node's upward estimate: the parts of its own measurement, of everything, and of its children, each with the weight 1. */
interface NodeError {
  readonly own: number;
  readonly whole: ErrorParts;
  readonly below: ErrorParts;
}

const NO_ERROR: ErrorParts = { variance: 0, squares: 0 };

const plus = (one: ErrorParts, other: ErrorParts): ErrorParts => ({
  variance: one.variance + other.variance,
  squares: one.squares + other.squares,
});

/** The error of one measurement with a weight. */
const partOf = (variance: number, weight: number): ErrorParts => ({
  variance: variance * weight ** 2,
  squares: (variance * weight ** 2) ** 2,
});

const timesWeight = ({ variance, squares }: ErrorParts, weight: number): ErrorParts => ({
  variance: variance * weight ** 2,
  squares: squares * weight ** 4,
});

/** Subtracts a part from the whole. Rounding must not make the result negative. */
const minus = (whole: ErrorParts, part: ErrorParts): ErrorParts => ({
  variance: Math.max(0, whole.variance - part.variance),
  squares: Math.max(0, whole.squares - part.squares),
});

/**
 * The best consistent estimates of a forest in which each inner node is the sum of its children (the weighted tree method: Hay et al. 2010;
 * Cormode et al. 2012; Dawson et al. 2023). On the way up, a node's measurement and the sum of its children are weighted by the inverse of
 * their variances. On the way down, what is missing to the parent is divided among the children in proportion to theirs. These are the
 * generalised least squares estimates: no other unbiased linear estimate has a smaller variance.
 */
export class ConsistentTree {
  private readonly children: readonly (readonly number[])[];
  private readonly passes: readonly Pass[];
  /** The share of its parent's missing amount that each node gets. */
  private readonly shares: readonly number[];
  private readonly errors: readonly NodeError[];
  private readonly final: readonly number[];

  /** @throws RangeError if a leaf was not measured, or a node comes before its parent */
  constructor(private readonly nodes: readonly TreeNode[]) {
    const children = nodes.map((): number[] => []);
    nodes.forEach(({ parent }, index) => {
      if (parent === null) return;
      if (!(parent < index)) throw new RangeError(`node ${index} must come after its parent ${parent}`);
      children[parent]?.push(index);
    });
    this.children = children;
    this.passes = this.up();
    this.shares = this.sharesOfAll();
    this.errors = this.errorsOfAll();
    this.final = this.down();
  }

  /**
   * The sum of some nodes, such as one node, or the leaves of a slice.
   * @param places of the nodes.
   * @param level of the interval, for errors of Laplace noise.
   */
  sumOf(places: readonly number[], level: number): TreeEstimate {
    const { variance, squares } = this.errorOf(places);
    return {
      estimate: places.reduce((sum, place) => sum + (this.final[place] ?? 0), 0),
      variance,
      halfWidth:
        Math.sqrt(variance) * standardHalfWidth(level, variance === 0 ? 0 : (3 * squares) / variance ** 2),
    };
  }

  private up(): readonly Pass[] {
    const passes: Pass[] = this.nodes.map(() => ({ upward: 0, variance: 0, ofChildren: 0 }));
    for (let index = this.nodes.length - 1; index >= 0; index--) {
      const { estimate = 0, variance = Infinity } = this.nodes[index] ?? {};
      const below = this.children[index] ?? [];
      if (below.length === 0) {
        if (variance === Infinity) throw new RangeError(`leaf ${index} must have been measured`);
        passes[index] = { upward: estimate, variance, ofChildren: 0 };
        continue;
      }
      const { sum, variance: ofSum } = totalOfPasses(below, passes);
      const ofChildren = variance === Infinity || ofSum === 0 ? 1 : variance / (variance + ofSum);
      const own = ofChildren === 1 ? 0 : (1 - ofChildren) * estimate;
      passes[index] = { upward: own + ofChildren * sum, variance: ofChildren * ofSum, ofChildren };
    }
    return passes;
  }

  private down(): readonly number[] {
    const final = this.passes.map(({ upward }) => upward);
    this.children.forEach((below, index) => {
      const missing = (final[index] ?? 0) - totalOfPasses(below, this.passes).sum;
      for (const child of below) final[child] = (final[child] ?? 0) + (this.shares[child] ?? 0) * missing;
    });
    return final;
  }

  private sharesOfAll(): readonly number[] {
    const shares = this.nodes.map(() => 0);
    for (const siblings of this.children) {
      const { variance } = totalOfPasses(siblings, this.passes);
      if (variance !== 0)
        for (const child of siblings) shares[child] = (this.passes[child]?.variance ?? 0) / variance;
    }
    return shares;
  }

  private errorsOfAll(): readonly NodeError[] {
    const errors = this.nodes.map((): NodeError => ({ own: 0, whole: NO_ERROR, below: NO_ERROR }));
    for (let index = this.nodes.length - 1; index >= 0; index--) {
      const { ofChildren = 0 } = this.passes[index] ?? {};
      const measured = this.nodes[index]?.variance ?? Infinity;
      const own = measured === Infinity ? 0 : (1 - ofChildren) ** 2 * measured;
      const below = (this.children[index] ?? []).reduce(
        (sum, child) => plus(sum, errors[child]?.whole ?? NO_ERROR),
        NO_ERROR,
      );
      errors[index] = { own, whole: plus(partOf(own, 1), timesWeight(below, ofChildren)), below };
    }
    return errors;
  }

  /**
   * The error of a sum of final estimates: the two passes in reverse, from its nodes up to the roots. All other nodes below one of these have
   * the same weight, so they count together.
   */
  private errorOf(places: readonly number[]): ErrorParts {
    const weights = new Map<number, number>();
    for (const place of places) {
      weights.set(place, (weights.get(place) ?? 0) + 1);
      for (
        let above = this.parentOf(place);
        above !== null && !weights.has(above);
        above = this.parentOf(above)
      )
        weights.set(above, 0);
    }
    const onTheWay = [...weights.keys()].sort((a, b) => a - b);
    const given = new Map<number, number>();
    const followed = new Map<number, ErrorParts>();
    for (const node of onTheWay.toReversed()) {
      const parent = this.parentOf(node);
      if (parent === null) continue;
      const part = (this.shares[node] ?? 0) * (weights.get(node) ?? 0);
      given.set(parent, (given.get(parent) ?? 0) + part);
      weights.set(parent, (weights.get(parent) ?? 0) + part);
      followed.set(parent, plus(followed.get(parent) ?? NO_ERROR, this.errors[node]?.whole ?? NO_ERROR));
    }
    let error = NO_ERROR;
    for (const node of onTheWay) {
      const parent = this.parentOf(node);
      if (parent !== null)
        weights.set(
          node,
          (weights.get(node) ?? 0) - (given.get(parent) ?? 0) + this.passedOn(parent, weights),
        );
      const { own = 0, below = NO_ERROR } = this.errors[node] ?? {};
      const others = minus(below, followed.get(node) ?? NO_ERROR);
      error = plus(
        plus(error, partOf(own, weights.get(node) ?? 0)),
        timesWeight(others, this.passedOn(node, weights) - (given.get(node) ?? 0)),
      );
    }
    return error;
  }

  private parentOf(node: number): number | null {
    return this.nodes[node]?.parent ?? null;
  }

  private passedOn(node: number, weights: ReadonlyMap<number, number>): number {
    return (this.passes[node]?.ofChildren ?? 0) * (weights.get(node) ?? 0);
  }
}

const totalOfPasses = (
  places: readonly number[],
  passes: readonly Pass[],
): { readonly sum: number; readonly variance: number } =>
  places.reduce(({ sum, variance }, place) => {
    const pass = passes[place];
    return { sum: sum + (pass?.upward ?? 0), variance: variance + (pass?.variance ?? 0) };
  }, NOTHING);

/** Fine enough for its error not to matter. */
const SCALE = 200;
/** From so many Laplace numbers on, their sum is as good as normal. */
const MANY = 40;

/**
 * The half width in standard deviations of an error that is a weighted sum of Laplace numbers. The sum of m equal ones has the excess kurtosis
 * 3/m; a half width for a kurtosis between two such sums is between theirs.
 */
function standardHalfWidth(level: number, kurtosis: number): number {
  const terms = kurtosis === 0 ? MANY : Math.min(3 / kurtosis, MANY);
  const fewer = Math.max(1, Math.floor(terms + 1e-9));
  const more = Math.min(fewer + 1, MANY);
  const [wide, narrow] = [widthOfEqual(level, fewer), widthOfEqual(level, more)];
  const between = fewer === more ? 0 : (3 / fewer - 3 / terms) / (3 / fewer - 3 / more);
  return wide + Math.max(0, between) * (narrow - wide);
}

const widths = new Map<string, number>();

function widthOfEqual(level: number, terms: number): number {
  const key = `${level} ${terms}`;
  const sum = { variance: 2 * terms * SCALE ** 2, scale: SCALE, terms: 0 };
  const width =
    widths.get(key) ??
    halfWidth(level, terms < MANY ? { variance: 0, scale: SCALE, terms } : sum) / Math.sqrt(sum.variance);
  widths.set(key, width);
  return width;
}
