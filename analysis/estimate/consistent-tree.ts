import { halfWidth } from './half-width';

/** The measurement of a node: an unbiased estimate, whose error does not depend on the others'. */
export interface TreeNode {
  /** Its place in the list, before its children; null for a root. */
  readonly parent: number | null;
  readonly estimate: number;
  /** Of the error; `Infinity` for an inner node that was not measured. */
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

/**
 * The best consistent estimates of a forest in which each inner node is the sum of its children (the weighted tree method: Hay et al. 2010;
 * Cormode et al. 2012; Dawson et al. 2023). On the way up, a node's measurement and the sum of its children are weighted by the inverse of
 * their variances. On the way down, what is missing to the parent is divided among the children in proportion to theirs. These are the
 * generalised least squares estimates: no other unbiased linear estimate has a smaller variance.
 */
export class ConsistentTree {
  private readonly children: readonly (readonly number[])[];
  private readonly passes: readonly Pass[];
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
    this.final = this.down();
  }

  /**
   * The sum of some nodes, such as one node, or the leaves of a slice.
   * @param places of the nodes.
   * @param level of the interval, for errors of Laplace noise.
   */
  sumOf(places: readonly number[], level: number): TreeEstimate {
    const weights = this.weightsOf(places);
    let [variance, fourth] = [0, 0];
    this.nodes.forEach((node, index) => {
      const part = (weights[index] ?? 0) ** 2 * (node.variance === Infinity ? 0 : node.variance);
      variance += part;
      fourth += 3 * part ** 2;
    });
    return {
      estimate: places.reduce((sum, place) => sum + (this.final[place] ?? 0), 0),
      variance,
      halfWidth: Math.sqrt(variance) * standardHalfWidth(level, variance === 0 ? 0 : fourth / variance ** 2),
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
      const { sum, variance: ofSum } = totalOf(below, passes);
      const ofChildren = variance === Infinity || ofSum === 0 ? 1 : variance / (variance + ofSum);
      const own = ofChildren === 1 ? 0 : (1 - ofChildren) * estimate;
      passes[index] = { upward: own + ofChildren * sum, variance: ofChildren * ofSum, ofChildren };
    }
    return passes;
  }

  private down(): readonly number[] {
    const final = this.passes.map(({ upward }) => upward);
    this.children.forEach((below, index) => {
      const missing = (final[index] ?? 0) - totalOf(below, this.passes).sum;
      for (const child of below) final[child] = (final[child] ?? 0) + this.shareOf(child, below) * missing;
    });
    return final;
  }

  /** The share of the parent's missing amount that a child gets. */
  private shareOf(child: number, siblings: readonly number[]): number {
    const { variance } = totalOf(siblings, this.passes);
    return variance === 0 ? 0 : (this.passes[child]?.variance ?? 0) / variance;
  }

  /** The weight of each measurement in a sum of final estimates: the two passes in reverse. */
  private weightsOf(places: readonly number[]): readonly number[] {
    const final = this.nodes.map(() => 0);
    for (const place of places) final[place] = (final[place] ?? 0) + 1;
    const upward = this.nodes.map(() => 0);
    for (let index = this.nodes.length - 1; index >= 0; index--) {
      const below = this.children[index] ?? [];
      const given = below.reduce((sum, child) => sum + this.shareOf(child, below) * (final[child] ?? 0), 0);
      for (const child of below) upward[child] = (final[child] ?? 0) - given;
      final[index] = (final[index] ?? 0) + given;
    }
    const own = this.nodes.map(() => 0);
    this.nodes.forEach(({ parent }, index) => {
      const { ofChildren = 0 } = this.passes[index] ?? {};
      const weight = parent === null ? (final[index] ?? 0) : (upward[index] ?? 0);
      own[index] = (1 - ofChildren) * weight;
      for (const child of this.children[index] ?? [])
        upward[child] = (upward[child] ?? 0) + ofChildren * weight;
    });
    return own;
  }
}

const totalOf = (
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
