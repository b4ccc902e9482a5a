import { cube, square } from './powers';
import { RowEquations } from './row-equations';
import { TruthRows, type Bands } from './truth-rows';
import { addTo, dot, factorise, solveFactored, zeros, type Vector } from './vectors';

/** What the unbiased randomizer is for, in doubles. */
export interface Truths {
  /** From 0 to 1. */
  readonly truths: Vector;
  /** What each truth's squared error counts; all positive. */
  readonly prior: Vector;
  /** The least ratio of an output's probabilities for two truths; below 1. */
  readonly ratio: number;
  /** 1 − ratio, to as many digits. */
  readonly slack: number;
}

/** The programme of the unbiased randomizer over given outputs. */
interface OutputProgramme extends Truths {
  /** Ascending. Two at least lie so far out that they can have the mean of each truth. */
  readonly outputs: Vector;
  /** Each output is in a band. */
  readonly bands: Bands;
}

export interface OutputSolution {
  /** The greatest probability of each output. */
  readonly masses: Vector;
  /** How probable each output is under the prior. */
  readonly likely: Vector;
  /** For each truth, the dual prices of the sum of its probabilities and of their mean. */
  readonly prices: readonly { readonly level: number; readonly slope: number }[];
}

const MOST_STEPS = 150;
/** The share of the way to the nearest bound that a step goes. */
const STEP = 0.995;

/**
 * Minimises Σ prior·probability·(output − truth)² where each truth's probabilities sum to one and average to it, and those of an output
 * are between ratio·mass and mass: the primal-dual interior point method of Mehrotra (1992). It only adds, multiplies, divides and takes
 * square roots, which every machine rounds alike.
 *
 * A probability is ratio·mass + slack·above, and `above` is 0 outside the truth's band. With outputs y = slack·(output − 1/2) and truths x − 1/2,
 * each truth has Σ above = room and Σ above·y = x − lean, and all truths together ratio·Σ mass = 1 − slack·room and ratio·Σ mass·y = slack·lean.
 * So no equation is a small difference of large numbers, however small slack or ratio are. Each Newton step is reduced to one equation per mass,
 * and to those of room and lean. Without these two, the matrix is as narrow as the bands.
 * @param accuracy the search ends when the relative gap between primal and dual costs is below.
 */
export function solveOutputs(programme: OutputProgramme, accuracy: number): OutputSolution {
  const search = new Search(programme);
  for (let step = 0; step < MOST_STEPS; step++) if (!search.step(accuracy)) break;
  return search.solution();
}

class Search {
  private readonly outputs: Vector;
  private readonly rows: TruthRows;
  private readonly equations: RowEquations;
  /** What all outputs cost at their least probabilities, by mass. */
  private readonly costs: Vector;
  /** The masses, then `room` and `lean`. */
  private readonly unknowns: Vector;
  /** The two equations that all truths share, by unknown, and their dual prices. */
  private readonly whole: Vector;
  private readonly mean: Vector;
  private readonly common = { level: 0, slope: 0 };
  private readonly lengths: readonly number[];

  constructor(private readonly programme: OutputProgramme) {
    const { prior, ratio, slack, bands } = programme;
    const truths = programme.truths.map((truth) => truth - 1 / 2);
    this.outputs = programme.outputs.map((output) => slack * (output - 1 / 2));
    const near = this.outputs.map((output) => 1 / (1 + square(Math.max(0, Math.abs(output) - slack / 2))));
    const shares = evenShares(near, bands);
    const room = 1 / (slack + 2 * ratio * shares.reduce((a, b) => a + b, 0));
    this.unknowns = Float64Array.from([...shares.map((own) => 2 * room * own), room, 0]);
    const shared = { truths, prior, bands, outputs: this.outputs, slack };
    this.rows = new TruthRows(shared, this.unknowns, near);
    this.equations = new RowEquations(shared, this.rows);
    const moment = (of: (truth: number) => number): number =>
      truths.reduce((sum, truth, x) => sum + (prior[x] ?? 0) * of(slack * truth), 0);
    const [all, first, second] = [moment(() => 1), moment((truth) => truth), moment(square)];
    this.costs = this.outputs.map((output) => ratio * (all * square(output) - 2 * first * output + second));
    this.whole = Float64Array.from([...this.outputs.map(() => ratio), slack, 0]);
    this.mean = Float64Array.from([...this.outputs.map((output) => ratio * output), 0, -slack]);
    this.lengths = lineLengths(this.outputs.length, bands);
  }

  /** @returns false at the end. */
  step(accuracy: number): boolean {
    const { rows, unknowns, common, whole, mean, costs } = this;
    const { slack } = this.programme;
    const triangle = this.lengths.map(zeros);
    const { primal, dual, off } = this.equations.begin(unknowns, triangle);
    const lacks = [1 - dot(whole, unknowns), -dot(mean, unknowns)] as const;
    const missed = Math.max(off, ...lacks.map((lack) => Math.abs(lack) / slack));
    const cost = primal + dot(costs, unknowns, costs.length);
    const gap = Math.max(Math.abs(cost / (dual + common.level) - 1), missed);
    if (gap < accuracy || !factorise(triangle)) return false;
    const responses = [whole.slice(), mean.slice()] as const;
    for (const response of responses) solveFactored(triangle, response);
    const newton = (product: number, isCorrector: boolean): Newton =>
      this.newton(triangle, responses, lacks, product, isCorrector);
    newton(0, false);
    const [product, after] = [rows.products(0, 0), rows.products(...rows.rooms(1 / STEP))];
    const { by, level, slope } = newton((cube(after / product) * product) / (2 * rows.places), true);
    // Where the matrix is too ill-conditioned for doubles.
    if (!by.every(Number.isFinite)) return false;
    const [forward, upward] = rows.rooms(1 / STEP);
    addTo(unknowns, STEP * forward, by);
    rows.move(STEP * forward, STEP * upward);
    common.level += STEP * upward * level;
    common.slope += STEP * upward * slope;
    return true;
  }

  solution(): OutputSolution {
    const { slack, ratio, prior, bands } = this.programme;
    const { point, starts } = this.rows;
    const masses = this.unknowns.slice(0, this.outputs.length);
    const all = prior.reduce((a, b) => a + b, 0);
    const likely = masses.map((mass) => ratio * all * mass);
    prior.forEach((own, x) => {
      const from = bands.from[x] ?? 0;
      for (let j = from; j < (bands.end[x] ?? 0); j++)
        likely[j] = (likely[j] ?? 0) + slack * own * (point.above[(starts[x] ?? 0) + j - from] ?? 0);
    });
    return {
      masses,
      likely,
      prices: Array.from(point.slopes, (slope, x) => {
        const own = slope / square(slack);
        return { level: (point.levels[x] ?? 0) / cube(slack) - own / 2, slope: own };
      }),
    };
  }

  /** A step towards probabilities and prices with this product. The pair of vectors says how the unknowns change with the price of each shared equation. */
  private newton(
    triangle: readonly Vector[],
    [one, two]: readonly [Vector, Vector],
    lacks: readonly [number, number],
    product: number,
    isCorrector: boolean,
  ): Newton {
    const { whole, mean, common } = this;
    const by = whole.map(
      (own, j) => common.level * own + common.slope * (mean[j] ?? 0) - (this.costs[j] ?? 0),
    );
    this.equations.aim(product, isCorrector, by);
    solveFactored(triangle, by);
    // The prices with which the changes of the unknowns meet both equations: two equations with two unknowns.
    const [a, b, c] = [dot(whole, one), dot(whole, two), dot(mean, two)];
    const [p, q] = [lacks[0] - dot(whole, by), lacks[1] - dot(mean, by)];
    const determinant = a * c - b * b;
    const [level, slope] = [(p * c - q * b) / determinant, (q * a - p * b) / determinant];
    addTo(by, level, one);
    addTo(by, slope, two);
    this.equations.follow(by);
    return { by, level, slope };
  }
}

/** The changes of the unknowns, and of the prices of the two shared equations. */
interface Newton {
  readonly by: Vector;
  readonly level: number;
  readonly slope: number;
}

/** Shares of the outputs that add up to about 1 in each band. Far outputs have less. */
function evenShares(near: Vector, { from, end }: Bands): Vector {
  const [sums, counts] = [zeros(near.length), zeros(near.length)];
  from.forEach((first, x) => {
    const own = near.subarray(first, end[x]);
    const total = own.reduce((a, b) => a + b, 0);
    own.forEach((share, place) => {
      sums[first + place] = (sums[first + place] ?? 0) + share / total;
      counts[first + place] = (counts[first + place] ?? 0) + 1;
    });
  });
  return sums.map((sum, j) => sum / (counts[j] ?? 1));
}

/** About how many products each step takes: of the rows of truths with themselves, and of the matrix's lines. */
export const productsOf = (outputs: number, bands: Bands): number =>
  bands.end.reduce((sum, end, x) => sum + square(end - (bands.from[x] ?? 0)), 0) +
  lineLengths(outputs, bands).reduce((sum, length) => sum + square(length), 0);

/** The lengths of the matrix's lines. It has a place for two outputs if a band has both, and for `room` and `lean` with every output. */
function lineLengths(outputs: number, { from, end }: Bands): readonly number[] {
  const lengths = Array.from({ length: outputs + 2 }, (_, j) => (j < outputs ? 1 : j + 1));
  from.forEach((first, x) => {
    for (let j = first; j < (end[x] ?? 0); j++) lengths[j] = Math.max(lengths[j] ?? 1, j + 1 - first);
  });
  return lengths;
}
