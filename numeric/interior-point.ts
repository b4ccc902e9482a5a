import { cube, square } from './powers';
import { NO_AIM, TruthEquations, type Row, type Shared } from './truth-equations';
import { addTo, dot, factorise, productTriangle, solveFactored, type Vector } from './vectors';

/** The programme of the unbiased randomizer over given outputs, in doubles. */
export interface OutputProgramme {
  /** From 0 to 1. */
  readonly truths: Vector;
  /** What each truth's squared error counts; all positive. */
  readonly prior: Vector;
  /** Ascending. Two at least lie so far out that they can have the mean of each truth. */
  readonly outputs: Vector;
  /** The least ratio of an output's probabilities for two truths; below 1. */
  readonly ratio: number;
  /** 1 − ratio, to as many digits. */
  readonly slack: number;
}

export interface OutputSolution {
  /** The greatest probability of each output. */
  readonly masses: Vector;
  /** For each truth, the dual prices of the sum of its probabilities and of their mean. */
  readonly prices: readonly { readonly level: number; readonly slope: number }[];
}

const MOST_STEPS = 150;
/** Of the way to the nearest bound. */
const STEP = 0.995;

/** A point of the search: masses, then `room` and `lean`; the dual prices of the two equations that all truths share. */
interface Point {
  readonly unknowns: Vector;
  readonly rows: readonly Row[];
  readonly common: { level: number; slope: number };
}

/**
 * Minimises Σ prior·probability·(output − truth)² where each truth's probabilities sum to one and average to it, and those of an output
 * are between ratio·mass and mass: the primal-dual interior point method of Mehrotra (1992). It only adds, multiplies, divides and takes
 * square roots, which every machine rounds alike.
 *
 * A probability is ratio·mass + slack·above. With outputs y = slack·(output − 1/2) and truths x − 1/2, each truth has Σ above = room and
 * Σ above·y = x − lean, and all truths together ratio·Σ mass = 1 − slack·room and ratio·Σ mass·y = slack·lean. So no equation is a small
 * difference of large numbers, however small slack or ratio are. Each Newton step is reduced to one equation per unknown.
 * @param accuracy the search ends when the relative gap between primal and dual costs is below.
 */
export function solveOutputs(programme: OutputProgramme, accuracy: number): OutputSolution {
  const { ratio, slack, prior } = programme;
  const truths = programme.truths.map((truth) => truth - 1 / 2);
  const outputs = programme.outputs.map((output) => slack * (output - 1 / 2));
  const point = start(outputs, prior, ratio, slack);
  for (let step = 0; step < MOST_STEPS; step++) {
    const newton = new NewtonSystem(
      truths,
      prior,
      { outputs, unknowns: point.unknowns, ratio, slack },
      point,
    );
    if (newton.gap < accuracy || !newton.isSolvable) break;
    const predictor = newton.step(0, null);
    const [product, after] = [
      products(point, predictor, 0, 0),
      products(point, predictor, ...rooms(point, predictor)),
    ];
    const corrector = newton.step(
      (cube(after / product) * product) / (2 * truths.length * outputs.length),
      predictor,
    );
    // Where the matrix is too ill-conditioned for doubles.
    if (!corrector.unknowns.every(Number.isFinite)) break;
    const [primal, dual] = rooms(point, corrector);
    addTo(point.unknowns, STEP * primal, corrector.unknowns);
    addPrices(point.common, STEP * dual, corrector.common);
    point.rows.forEach((row, x) => move(row, corrector.rows[x] ?? row, STEP * primal, STEP * dual));
  }
  return {
    masses: point.unknowns.subarray(0, outputs.length),
    prices: point.rows.map(({ level, slope }) => {
      const own = slope / square(slack);
      return { level: level / cube(slack) - own / 2, slope: own };
    }),
  };
}

/** Far outputs begin with little mass and high prices. */
function start(outputs: Vector, prior: Vector, ratio: number, slack: number): Point {
  const near = outputs.map((output) => 1 / (1 + square(Math.max(0, Math.abs(output) - slack / 2))));
  const total = near.reduce((a, b) => a + b);
  const half = near.map((share) => share / (total * (1 + ratio)));
  const sum = half.reduce((a, b) => a + b);
  const rows = Array.from(prior, (own) => ({
    above: half.slice(),
    below: half.slice(),
    abovePrices: near.map((share) => own / share),
    belowPrices: near.map((share) => own / share),
    level: 0,
    slope: 0,
  }));
  const unknowns = Float64Array.from([...half.map((own) => 2 * own), sum, 0]);
  return { unknowns, rows, common: { level: 0, slope: 0 } };
}

/** The sum of all slacks times their prices, after a step. */
const products = (point: Point, step: Point, primal: number, dual: number): number =>
  point.rows.reduce((sum, row, x) => {
    const by = step.rows[x] ?? row;
    const product = (slack: Vector, prices: Vector, slackBy: Vector, pricesBy: Vector): number =>
      dot(slack, prices) +
      primal * dot(slackBy, prices) +
      dual * dot(slack, pricesBy) +
      primal * dual * dot(slackBy, pricesBy);
    return (
      sum +
      product(row.above, row.abovePrices, by.above, by.abovePrices) +
      product(row.below, row.belowPrices, by.below, by.belowPrices)
    );
  }, 0);

/** How far the slacks and the prices can go; at most so far that a step is whole. */
function rooms(point: Point, step: Point): [number, number] {
  let primal = 1 / STEP;
  let dual = 1 / STEP;
  point.rows.forEach((row, x) => {
    const by = step.rows[x] ?? row;
    primal = room(row.below, by.below, room(row.above, by.above, primal));
    dual = room(row.belowPrices, by.belowPrices, room(row.abovePrices, by.abovePrices, dual));
  });
  return [primal, dual];
}

function room(from: Vector, by: Vector, most: number): number {
  let least = most;
  for (let i = 0; i < from.length; i++) {
    const value = from[i] ?? 0;
    const change = by[i] ?? 0;
    if (value + least * change < 0) least = -value / change;
  }
  return least;
}

function move(row: Row, by: Row, primal: number, dual: number): void {
  addTo(row.above, primal, by.above);
  addTo(row.below, primal, by.below);
  addTo(row.abovePrices, dual, by.abovePrices);
  addTo(row.belowPrices, dual, by.belowPrices);
  addPrices(row, dual, by);
}

function addPrices(to: Point['common'], factor: number, by: Point['common']): void {
  to.level += factor * by.level;
  to.slope += factor * by.slope;
}

/** The linear equations of Newton steps from a point. */
class NewtonSystem {
  readonly gap: number;
  readonly isSolvable: boolean;
  private readonly truths: readonly TruthEquations[];
  private readonly triangle: Vector[];
  /** The two equations that all truths share, by unknown, and what each lacks. */
  private readonly equations: readonly [Vector, Vector];
  private readonly lacks: readonly [number, number];
  /** What the unknowns change if the price of an equation does. */
  private readonly responses: readonly [Vector, Vector];

  constructor(
    truths: Vector,
    prior: Vector,
    private readonly shared: Shared,
    private readonly point: Point,
  ) {
    const { outputs, unknowns, ratio, slack } = shared;
    this.truths = point.rows.map((row, x) => new TruthEquations(truths[x] ?? 0, prior[x] ?? 0, shared, row));
    const total = (of: (truth: TruthEquations) => number): number =>
      this.truths.reduce((sum, truth) => sum + of(truth), 0);
    this.equations = [
      Float64Array.from([...outputs.map(() => ratio), slack, 0]),
      Float64Array.from([...outputs.map((output) => ratio * output), 0, -slack]),
    ];
    const [whole, mean] = this.equations;
    this.lacks = [1 - dot(whole, unknowns), -dot(mean, unknowns)];
    const off = Math.max(
      ...this.truths.map(({ lackSum, lackMean }) => Math.max(Math.abs(lackSum), Math.abs(lackMean))),
      ...this.lacks.map((lack) => Math.abs(lack) / slack),
    );
    const dual = point.common.level + total((truth) => truth.dual);
    this.gap = Math.max(Math.abs(total(({ primal }) => primal) / dual - 1), off);
    const weighted = this.truths.flatMap(({ bySum, byMean }) => [bySum, byMean]);
    const columns = Array.from(unknowns, (_, j) => Float64Array.from(weighted, (own) => own[j] ?? 0));
    this.triangle = productTriangle(columns);
    for (const { diagonal } of this.truths)
      this.triangle.forEach((line, j) => {
        line[j] = (line[j] ?? 0) + (diagonal[j] ?? 0);
      });
    this.isSolvable = factorise(this.triangle);
    this.responses = [whole.slice(), mean.slice()];
    for (const response of this.responses) solveFactored(this.triangle, response);
  }

  /** Towards products of `product`; `before` has the changes that the products of two changes are estimated from. */
  step(product: number, before: Point | null): Point {
    const { outputs, ratio, slack } = this.shared;
    const { level, slope } = this.point.common;
    const aims = this.truths.map((truth, x) => truth.aim(product, before?.rows[x] ?? null));
    const unknowns = Float64Array.from([
      ...outputs.map((output) => ratio * (level + slope * output)),
      slack * level,
      -slack * slope,
    ]);
    for (const { onUnknowns } of aims) addTo(unknowns, 1, onUnknowns);
    solveFactored(this.triangle, unknowns);
    const common = this.commonChanges(unknowns);
    addTo(unknowns, common.level, this.responses[0]);
    addTo(unknowns, common.slope, this.responses[1]);
    return {
      unknowns,
      common,
      rows: this.truths.map((truth, x) => truth.changes(unknowns, aims[x] ?? NO_AIM)),
    };
  }

  /** The prices with which the changes of the unknowns meet both equations: two equations with two unknowns. */
  private commonChanges(unknowns: Vector): Point['common'] {
    const [whole, mean] = this.equations;
    const [one, two] = this.responses;
    const [a, b, c] = [dot(whole, one), dot(whole, two), dot(mean, two)];
    const [p, q] = [this.lacks[0] - dot(whole, unknowns), this.lacks[1] - dot(mean, unknowns)];
    const determinant = a * c - b * b;
    return { level: (p * c - q * b) / determinant, slope: (q * a - p * b) / determinant };
  }
}
