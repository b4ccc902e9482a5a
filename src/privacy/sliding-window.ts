import { Rational } from './rational';

/** A private randomizer whose expected output is the truth, exactly. */
export interface WindowRandomizer {
  readonly outputs: readonly bigint[];
  readonly probabilities: (truth: bigint) => readonly Rational[];
  /** E[(output − truth)²]·certainty. */
  readonly variance: (truth: bigint) => bigint;
  readonly certainty: bigint;
}

/** A place of the window: it starts `start` into the room, in output `from`, and ends in output `to`. */
interface Stop {
  readonly start: bigint;
  readonly from: number;
  readonly to: number;
  /** Σ output·probability and Σ output²·probability, times the certainty. */
  readonly mean: bigint;
  readonly square: bigint;
}

/**
 * The best unbiased randomizer with given greatest probabilities of the outputs. Each output has at least `ratio` of its greatest
 * probability; what is left of the certainty is the same for all truths. The variance is least where it fills the room above the least
 * probabilities in one window of neighbouring outputs: a variance with given mean is least for probabilities that lie close together.
 * The window slides up with the truth, from stop to stop.
 * @param outputs ascending.
 * @param masses the greatest probabilities, times `one`.
 * @returns null if a truth is the mean of no window.
 */
export function windowRandomizer(
  outputs: readonly bigint[],
  masses: readonly bigint[],
  { numerator: low, denominator: high }: Rational,
  one: bigint,
  truths: readonly bigint[],
): WindowRandomizer | null {
  const certainty = high * one;
  const width = certainty - low * sum(masses);
  let end = 0n;
  const ends = masses.map((mass) => (end += (high - low) * mass));
  if (width <= 0n || width > end) return null;
  const moment = (of: (output: bigint) => bigint): bigint =>
    low * sum(masses.map((mass, index) => mass * of(outputs[index] ?? 0n)));
  const stops = stopsOf(outputs, ends, width, { mean: moment((y) => y), square: moment((y) => y * y) });
  const [first, last] = [stops[0]?.mean ?? 0n, stops.at(-1)?.mean ?? 0n];
  if (truths.some((truth) => truth * certainty < first || truth * certainty > last)) return null;
  const [least, most] = [low, high].map((part) =>
    masses.map((mass) => Rational.fraction(part * mass, certainty)),
  );
  return {
    outputs,
    certainty,
    variance: (truth) => {
      const { from, to, mean, square } = stopBefore(stops, truth * certainty);
      const ofEnds = (outputs[from] ?? 0n) + (outputs[to] ?? 0n);
      return square + (truth * certainty - mean) * ofEnds - truth * truth * certainty;
    },
    probabilities: (truth) => {
      const { start, from, to, mean } = stopBefore(stops, truth * certainty);
      // The window starts (truth·certainty − mean)/apart after the stop.
      const apart = (outputs[to] ?? 0n) - (outputs[from] ?? 0n) || 1n;
      const since = start * apart + truth * certainty - mean;
      return masses.map((mass, index) => {
        const room = (high - low) * mass * apart;
        const until = (ends[index] ?? 0n) * apart;
        const filled = smaller(until, since + width * apart) - larger(until - room, since);
        if (filled <= 0n) return least?.[index] ?? Rational.ZERO;
        if (filled === room) return most?.[index] ?? Rational.ZERO;
        return Rational.fraction(low * mass * apart + filled, certainty * apart);
      });
    },
  };
}

/** All places at which an end of the window passes from an output to the next. */
function stopsOf(
  outputs: readonly bigint[],
  ends: readonly bigint[],
  width: bigint,
  { mean, square }: Pick<Stop, 'mean' | 'square'>,
): readonly Stop[] {
  const stops: Stop[] = [];
  let [from, to, start, end] = [0, 0, 0n, 0n];
  const fill = (index: number, amount: bigint): void => {
    const output = outputs[index] ?? 0n;
    mean += amount * output;
    square += amount * output * output;
  };
  for (; (ends[to] ?? width) < width; to++) {
    fill(to, (ends[to] ?? 0n) - end);
    end = ends[to] ?? 0n;
  }
  fill(to, width - end);
  for (;;) {
    if (ends[to] === start + width && to < ends.length - 1) to++;
    if (ends[from] === start && from < to) from++;
    stops.push({ start, from, to, mean, square });
    const step = smaller((ends[from] ?? 0n) - start, (ends[to] ?? 0n) - start - width);
    if (step === 0n) return stops;
    fill(from, -step);
    fill(to, step);
    start += step;
  }
}

/** The last stop whose mean is not above. */
function stopBefore(stops: readonly Stop[], mean: bigint): Stop {
  let [low, high] = [0, stops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stops[middle]?.mean ?? mean) <= mean) low = middle;
    else high = middle - 1;
  }
  return stops[low] ?? { start: 0n, from: 0, to: 0, mean, square: 0n };
}

export const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((a, b) => a + b, 0n);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
