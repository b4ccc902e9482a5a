import { countStates, type ReportSpaceShape } from '../../../src/states/report-space';

/**
 * The mean, and the mean of the square, of the number of reports of one cell (trigger data and window) in a uniformly drawn state.
 */
export interface CellMoments {
  readonly mean: number;
  readonly square: number;
}

/**
 * Taking j reports of the cell away maps the states with at least j of them one to one onto the states of the space with j fewer
 * reports for the trigger data and in all. With N_j states of at least j, the mean is Σ N_j/k and the mean of the square Σ (2j −
 * 1)·N_j/k, whichever window it is.
 */
export function cellMoments(shape: ReportSpaceShape, position: number): CellMoments {
  const k = countStates(shape);
  const cap = shape.triggerData[position]?.maxReports ?? 0;
  let mean = 0;
  let square = 0;
  for (let j = 1; j <= Math.min(cap, shape.maxReports); j++) {
    const share = ratio(countStates(withFewer(shape, position, j)), k);
    mean += share;
    square += (2 * j - 1) * share;
  }
  return { mean, square };
}

/** The mean number of reports of a uniformly drawn state. */
export const meanReports = (shape: ReportSpaceShape): number =>
  shape.triggerData.reduce(
    (sum, { windows }, position) => sum + windows * cellMoments(shape, position).mean,
    0,
  );

const withFewer = (shape: ReportSpaceShape, position: number, fewer: number): ReportSpaceShape => ({
  triggerData: shape.triggerData.map((entry, index) =>
    index === position ? { ...entry, maxReports: entry.maxReports - fewer } : entry,
  ),
  maxReports: shape.maxReports - fewer,
});

/** The quotient of two integers of any size, to the precision of a double. */
const ratio = (a: bigint, b: bigint): number => Number((a << 64n) / b) / 2 ** 64;

/**
 * The standard error of the unbiased count of one cell, (V − n·p·mean)/(1 − p) for V reports received from n sources. `reporting`
 * of them truly have one report there, the others none; p is the randomized trigger rate. Infinite when p is 1.
 */
export function standardErrorOfCell(
  { mean, square }: CellMoments,
  p: number,
  n: number,
  reporting: number,
): number {
  const silent = p * square - (p * mean) ** 2;
  const trueMean = 1 - p + p * mean;
  const reporter = 1 - p + p * square - trueMean ** 2;
  return p >= 1 ? Infinity : Math.sqrt((n - reporting) * silent + reporting * reporter) / (1 - p);
}
