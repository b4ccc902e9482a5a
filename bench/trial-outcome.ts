import type { Interval } from '../analysis/estimate/intervals/interval';

/** Sums over runs of what the estimates of one quantity did. A run may have several groups, whose errors depend on each other. */
export interface Sums {
  readonly runs: number;
  /** Over all estimates: how many, their truths, errors and squared errors. */
  readonly count: number;
  readonly truth: number;
  readonly error: number;
  readonly squares: number;
  /** Of the estimates, those with an interval; of these, those whose interval holds the truth; and the lengths. */
  readonly shown: number;
  readonly held: number;
  readonly width: number;
  /** Over runs: the products of what a run adds to the sums above, from which Monte Carlo errors follow. */
  readonly heldHeld: number;
  readonly heldShown: number;
  readonly shownShown: number;
  readonly squaresSquares: number;
  readonly squaresCount: number;
  readonly countCount: number;
}

export const NO_SUMS: Sums = {
  runs: 0,
  count: 0,
  truth: 0,
  error: 0,
  squares: 0,
  shown: 0,
  held: 0,
  width: 0,
  heldHeld: 0,
  heldShown: 0,
  shownShown: 0,
  squaresSquares: 0,
  squaresCount: 0,
  countCount: 0,
};

/** The sums of more runs beside those before. */
export function together(before: Sums = NO_SUMS, more: Sums): Sums {
  const names = Object.keys(NO_SUMS) as (keyof Sums)[];
  return Object.fromEntries(names.map((name) => [name, before[name] + more[name]])) as unknown as Sums;
}

/** The estimates of one run. */
export class Run {
  private count = 0;
  private truth = 0;
  private error = 0;
  private squares = 0;
  private shown = 0;
  private held = 0;
  private width = 0;

  /** @param estimate not a number if none is shown; then nothing is added. */
  add(truth: number, estimate: number, [low, high]: Interval): void {
    if (Number.isNaN(estimate)) return;
    this.truth += truth;
    this.count += 1;
    this.error += estimate - truth;
    this.squares += (estimate - truth) ** 2;
    if (Number.isNaN(low)) return;
    this.shown += 1;
    this.width += high - low;
    const slack = 1e-9 * (1 + Math.abs(truth));
    if (low - slack <= truth && truth <= high + slack) this.held += 1;
  }

  addedTo(sums: Sums): Sums {
    const { count, truth, error, squares, shown, held, width } = this;
    return {
      runs: sums.runs + 1,
      count: sums.count + count,
      truth: sums.truth + truth,
      error: sums.error + error,
      squares: sums.squares + squares,
      shown: sums.shown + shown,
      held: sums.held + held,
      width: sums.width + width,
      heldHeld: sums.heldHeld + held ** 2,
      heldShown: sums.heldShown + held * shown,
      shownShown: sums.shownShown + shown ** 2,
      squaresSquares: sums.squaresSquares + squares ** 2,
      squaresCount: sums.squaresCount + squares * count,
      countCount: sums.countCount + count ** 2,
    };
  }
}

/** A number with its Monte Carlo standard error. */
interface Measured {
  readonly value: number;
  readonly uncertain: number;
}

/** How well the estimates of one quantity did over many runs. */
export interface Outcome {
  readonly truth: number;
  readonly count: number;
  /** How many of `count` have an interval, and how many of these intervals hold the truth. */
  readonly shown: number;
  readonly held: number;
  /** Their share. */
  readonly coverage: Measured;
  /** The mean error. */
  readonly bias: number;
  /** The root mean squared error. */
  readonly error: number;
  readonly errorUncertain: number;
  /** The mean length of an interval. */
  readonly width: number;
}

export function outcomeOf(sums: Sums): Outcome {
  const { count, truth, shown, held, error, squares, width } = sums;
  const [share, square] = [held / shown, squares / count];
  const heldRest = sums.heldHeld - 2 * share * sums.heldShown + share ** 2 * sums.shownShown;
  const squareRest = sums.squaresSquares - 2 * square * sums.squaresCount + square ** 2 * sums.countCount;
  return {
    truth: truth / count,
    count,
    shown,
    held,
    coverage: { value: share, uncertain: Math.sqrt(Math.max(heldRest, 0)) / shown },
    bias: error / count,
    error: Math.sqrt(square),
    errorUncertain: Math.sqrt(Math.max(squareRest, 0)) / count / (2 * Math.sqrt(square)),
    width: width / shown,
  };
}
