import { NO_AIM, TruthEquations, type Row } from './truth-equations';
import { addTo, dot, factorise, productTriangle, solveFactored, zeros, type Vector } from './vectors';

/** The programme of the unbiased randomizer over given outputs, in doubles. */
export interface OutputProgramme {
  readonly truths: Vector;
  /** What each truth's squared error counts; all positive. */
  readonly prior: Vector;
  /** Ascending. Two at least lie so far out that they can have the mean of each truth. */
  readonly outputs: Vector;
  /** The least ratio of an output's probabilities for two truths; below 1. */
  readonly ratio: number;
}

export interface OutputSolution {
  /** The greatest probability of each output. */
  readonly masses: Vector;
  readonly rows: readonly Row[];
}

const MOST_STEPS = 150;
/** Of the way to the nearest bound. */
const STEP = 0.995;

/**
 * Minimises Σ prior·probability·(output − truth)² where each truth's probabilities sum to one and average to it, and those of an output
 * are between ratio·mass and mass: the primal-dual interior point method of Mehrotra (1992). Each Newton step is reduced to one
 * equation per output. It only adds, multiplies, divides and takes square roots, which every machine rounds alike.
 * @param accuracy the search ends when the relative gap between primal and dual costs is below.
 */
export function solveOutputs(programme: OutputProgramme, accuracy: number): OutputSolution {
  const { truths, outputs } = programme;
  const point = start(programme);
  for (let step = 0; step < MOST_STEPS; step++) {
    const newton = new NewtonSystem(programme, point);
    if (newton.gap < accuracy || !newton.isSolvable) break;
    const predictor = newton.step(0, null);
    const [product, after] = [
      products(point, predictor, 0, 0),
      products(point, predictor, ...rooms(point, predictor)),
    ];
    const corrector = newton.step(
      ((after / product) ** 3 * product) / (2 * truths.length * outputs.length),
      predictor,
    );
    // Where the matrix is too ill-conditioned for doubles.
    if (!corrector.masses.every(Number.isFinite)) break;
    const [primal, dual] = rooms(point, corrector);
    addTo(point.masses, STEP * primal, corrector.masses);
    point.rows.forEach((row, x) => move(row, corrector.rows[x] ?? row, STEP * primal, STEP * dual));
  }
  return point;
}

/** Far outputs begin with little mass and high prices. */
function start({ truths, prior, outputs, ratio }: OutputProgramme): OutputSolution {
  const near = outputs.map((output) => 1 / (1 + Math.max(0, output - 1, -output) ** 2));
  const total = near.reduce((a, b) => a + b);
  const slack = near.map((share) => ((1 - ratio) / (1 + ratio)) * (share / total));
  const rows = Array.from(truths, (_, x) => ({
    above: slack.slice(),
    below: slack.slice(),
    abovePrices: near.map((share) => (prior[x] ?? 0) / share),
    belowPrices: near.map((share) => (prior[x] ?? 0) / share),
    level: 0,
    slope: 0,
  }));
  return { masses: slack.map((half) => (2 * half) / (1 - ratio)), rows };
}

/** The sum of all slacks times their prices, after a step. */
const products = (point: OutputSolution, step: OutputSolution, primal: number, dual: number): number =>
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
function rooms(point: OutputSolution, step: OutputSolution): [number, number] {
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
  row.level += dual * by.level;
  row.slope += dual * by.slope;
}

/** The linear equations of Newton steps from a point. */
class NewtonSystem {
  readonly gap: number;
  readonly isSolvable: boolean;
  private readonly truths: readonly TruthEquations[];
  private readonly triangle: Vector[];

  constructor(
    { truths, prior, outputs, ratio }: OutputProgramme,
    private readonly point: OutputSolution,
  ) {
    this.truths = point.rows.map(
      (row, x) => new TruthEquations(truths[x] ?? 0, prior[x] ?? 0, outputs, ratio, point.masses, row),
    );
    const total = (of: (truth: TruthEquations) => number): number =>
      this.truths.reduce((sum, truth) => sum + of(truth), 0);
    const primal = total(({ primal }) => primal);
    const off = Math.max(
      ...this.truths.map(({ lackSum, lackMean }) => Math.max(Math.abs(lackSum), Math.abs(lackMean))),
    );
    this.gap = Math.max(Math.abs(primal / total(({ dual }) => dual) - 1), off);
    const weighted = this.truths.flatMap(({ bySum, byMean }) => [bySum, byMean]);
    const columns = Array.from(outputs, (_, j) => Float64Array.from(weighted, (own) => own[j] ?? 0));
    this.triangle = productTriangle(columns);
    for (const { diagonal } of this.truths)
      this.triangle.forEach((line, j) => {
        line[j] = (line[j] ?? 0) + (diagonal[j] ?? 0);
      });
    this.isSolvable = factorise(this.triangle);
  }

  /** Towards products of `centre`; `before` has the changes that the products of two changes are estimated from. */
  step(centre: number, before: OutputSolution | null): OutputSolution {
    const aims = this.truths.map((truth, x) => truth.aim(centre, before?.rows[x] ?? null));
    const masses = zeros(this.point.masses.length);
    for (const { onMasses } of aims) addTo(masses, 1, onMasses);
    solveFactored(this.triangle, masses);
    return { masses, rows: this.truths.map((truth, x) => truth.changes(masses, aims[x] ?? NO_AIM)) };
  }
}
