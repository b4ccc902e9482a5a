import { logistic } from '../../estimate/intervals/logistic';
import { factorise, solveFactored, zeros, type Vector } from '../../../numeric/vectors';
import { balancedSums } from './balanced-sums';
import { softplus } from './prediction';
import type { FeatureCell, TaskInput } from './task';

/** Steps of Newton's method, which doubles the number of right digits with each near the end. */
const STEPS = 60;
/** Steps shorter than this change no digit that anybody sees. */
const CLOSE = 1e-10;
/** The length of a step below which it is not halved again. */
const LEAST_STEP = 1e-6;

type Sums = TaskInput['sums'];

/** A logistic regression: its log odds are an intercept, and a weight for the value of each column. */
interface Problem {
  /** For each cell, the places of its weights; 0 is the intercept. */
  readonly places: readonly (readonly number[])[];
  readonly sources: readonly number[];
  /** Xᵀy: the conversions of all sources, and of each value. */
  readonly sums: Vector;
}

/**
 * Fits a logistic regression to sums of labels, which are all that its likelihood needs. All weights but the intercept have a standard normal
 * prior, so that noise in a small group cannot move its weight far.
 * @param sums may be noisy: `balancedSums` limits them to the sources that there are.
 * @returns the log odds of each cell.
 */
export function fittedOdds(cells: readonly FeatureCell[], sums: Sums): readonly number[] {
  const problem = problemOf(cells, sums);
  let weights = zeros(problem.sums.length);
  const rate = (problem.sums[0] ?? 0) / total(problem.sources);
  weights[0] = Math.log(rate / (1 - rate));
  for (let step = 0; step < STEPS; step++) {
    const change = newtonStep(problem, weights);
    weights = shortened(problem, weights, change);
    if (change.every((part) => Math.abs(part) < CLOSE)) break;
  }
  return oddsOf(problem, weights);
}

const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, one) => sum + one, 0);

function problemOf(cells: readonly FeatureCell[], given: Sums): Problem {
  const sources = cells.map((cell) => cell.sources);
  const places = cells.map(() => [0]);
  const columns = given.map((byValue, column) => {
    const ofColumn = new Map<string, number>();
    cells.forEach(({ values, sources }) => {
      const value = values[column] ?? '';
      ofColumn.set(value, (ofColumn.get(value) ?? 0) + sources);
    });
    return [...ofColumn].map(([value, most]) => ({
      value,
      most,
      sum: byValue.get(value) ?? 0,
    }));
  });
  const balanced = balancedSums(columns, { least: 1 / 2, most: total(sources) - 1 / 2 });
  const sums = [balanced.whole];
  columns.forEach((column, index) => {
    const placeOf = new Map(column.map(({ value }, offset) => [value, sums.length + offset]));
    for (const sum of balanced.sums[index] ?? []) sums.push(sum);
    cells.forEach(({ values }, cell) => places[cell]?.push(placeOf.get(values[index] ?? '') ?? 0));
  });
  return { places, sources, sums: Float64Array.from(sums) };
}

const oddsOf = ({ places }: Problem, weights: Vector): readonly number[] =>
  places.map((ofCell) => total(ofCell.map((place) => weights[place] ?? 0)));

/** −log of the posterior, up to a constant. */
function cost(problem: Problem, weights: Vector): number {
  const likelihood = oddsOf(problem, weights).reduce(
    (sum, odds, cell) => sum + (problem.sources[cell] ?? 0) * softplus(odds),
    0,
  );
  return weights.reduce(
    (sum, weight, place) => sum - weight * (problem.sums[place] ?? 0) + (place === 0 ? 0 : weight ** 2 / 2),
    likelihood,
  );
}

function newtonStep(problem: Problem, weights: Vector): Vector {
  const slope = weights.map((weight, place) => (problem.sums[place] ?? 0) - (place === 0 ? 0 : weight));
  const curvature = Array.from({ length: weights.length }, (_, place) => {
    const row = zeros(place + 1);
    row[place] = place === 0 ? 0 : 1;
    return row;
  });
  oddsOf(problem, weights).forEach((odds, cell) => {
    const sources = problem.sources[cell] ?? 0;
    const rate = logistic(odds);
    for (const place of problem.places[cell] ?? []) {
      slope[place] = (slope[place] ?? 0) - sources * rate;
      const row = curvature[place];
      for (const other of problem.places[cell] ?? [])
        if (row !== undefined && other <= place) row[other] = (row[other] ?? 0) + sources * rate * (1 - rate);
    }
  });
  factorise(curvature);
  solveFactored(curvature, slope);
  return slope;
}

/** The weights after the longest of the halves of a step that lowers the cost. */
function shortened(problem: Problem, weights: Vector, change: Vector): Vector {
  const before = cost(problem, weights);
  for (let share = 1; share > LEAST_STEP; share /= 2) {
    const next = weights.map((weight, place) => weight + share * (change[place] ?? 0));
    if (cost(problem, next) <= before) return next;
  }
  return weights;
}
