import type { OutputSolution, Truths } from './interior-point';
import { square } from './powers';

/**
 * The dual prices that prove unbiased randomized response to be the best randomizer, if it is. Its output for a truth is raised for that truth
 * alone. So at each output, the cost of using it and the slope of that cost are 0, which gives two linear equations for each truth. Their matrices
 * are ratio everywhere plus slack on the diagonal.
 */
export function responsePrices({ truths, prior, ratio, slack }: Truths): OutputSolution['prices'] {
  const sum = (of: (truth: number, likely: number) => number): number =>
    truths.reduce((total, truth, x) => total + of(truth, prior[x] ?? 0), 0);
  const all = sum((_, likely) => likely);
  const first = sum((truth, likely) => likely * truth);
  const second = sum((truth, likely) => likely * square(truth));
  const total = sum((truth) => truth);
  const outputs = truths.map((truth) => truth + (ratio / slack) * (truths.length * truth - total));
  const solved = (sides: Float64Array): Float64Array => {
    const whole = sides.reduce((a, b) => a + b, 0) / (truths.length * ratio + slack);
    return sides.map((side) => (side - ratio * whole) / slack);
  };
  const sides = outputs.map(
    (output, x) =>
      2 * (ratio * (all * output - first) + slack * (prior[x] ?? 0) * (output - (truths[x] ?? 0))),
  );
  const slopes = solved(sides);
  const levels = solved(
    outputs.map(
      (output, x) =>
        ratio * (all * square(output) - 2 * first * output + second) +
        slack * (prior[x] ?? 0) * square(output - (truths[x] ?? 0)) -
        (sides[x] ?? 0) * output,
    ),
  );
  return Array.from(slopes, (slope, x) => ({ level: levels[x] ?? 0, slope }));
}
