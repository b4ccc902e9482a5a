import { leastIndex } from './least-index';
import { Rational } from './rational';

/** A private randomizer whose expected output is the truth, exactly. */
export interface WindowRandomizer {
  readonly outputs: readonly bigint[];
  readonly probabilities: (truth: bigint) => readonly Rational[];
  /** E[(output − truth)²]·certainty. */
  readonly variance: (truth: bigint) => bigint;
  readonly certainty: bigint;
}

/** Σ output·probability and Σ output²·probability, times the certainty. */
interface Moments {
  readonly mean: bigint;
  readonly square: bigint;
}

/** A position of the window, from `start` to `start` + width: its lower end is in output `from`, its upper end in output `to`. */
interface Stop extends Moments {
  readonly start: bigint;
  readonly from: number;
  readonly to: number;
}

/**
 * The best unbiased randomizer with given greatest probabilities of the outputs; each output has at least `ratio` of its greatest probability.
 *
 * Every output starts at its least probability. Whatever the truth, the same is then missing to a total of 1, and each output has room for more up
 * to its greatest probability. A variance with given mean is least if what is added lies close together, so it fills the room of neighbouring outputs,
 * and only the first and the last of them in part. With the rooms side by side on a line, that is a window of fixed width, and it slides up as the
 * truth grows. At a stop, one of its ends passes from an output to the next; in between, the mean rises in proportion to its start.
 *
 * All numbers are whole: probabilities are multiples of 1/certainty, the certainty being `one` times the denominator of `ratio`.
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
  const width = certainty - low * integerSum(masses);
  let end = 0n;
  const ends = masses.map((mass) => (end += (high - low) * mass));
  if (width <= 0n || width > end) return null;
  const leastMoment = (power: bigint): bigint =>
    low * integerSum(masses.map((mass, index) => mass * (outputs[index] ?? 0n) ** power));
  const stops = stopsOf(outputs, ends, width, { mean: leastMoment(1n), square: leastMoment(2n) });
  const [first, last] = [stops[0]?.mean ?? 0n, stops.at(-1)?.mean ?? 0n];
  if (truths.some((truth) => truth * certainty < first || truth * certainty > last)) return null;
  const [leastOnes, greatestOnes] = [low, high].map((part) =>
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
      // The window starts (truth·certainty − mean)/apart after the stop. Times `apart`, this is a whole number.
      const apart = (outputs[to] ?? 0n) - (outputs[from] ?? 0n) || 1n;
      const windowStart = start * apart + truth * certainty - mean;
      const windowEnd = windowStart + width * apart;
      return masses.map((mass, index) => {
        const room = (high - low) * mass * apart;
        const roomEnd = (ends[index] ?? 0n) * apart;
        const filled = smaller(roomEnd, windowEnd) - larger(roomEnd - room, windowStart);
        if (filled <= 0n) return leastOnes?.[index] ?? Rational.ZERO;
        if (filled === room) return greatestOnes?.[index] ?? Rational.ZERO;
        return Rational.fraction(low * mass * apart + filled, certainty * apart);
      });
    },
  };
}

/** All stops of the window, from the lowest. @param ends where the room of each output ends. @param least the moments without a window. */
function stopsOf(
  outputs: readonly bigint[],
  ends: readonly bigint[],
  width: bigint,
  least: Moments,
): readonly Stop[] {
  const stops: Stop[] = [];
  let { mean, square } = least;
  const fill = (index: number, amount: bigint): void => {
    const output = outputs[index] ?? 0n;
    mean += amount * output;
    square += amount * output * output;
  };
  let [from, to, start, filled] = [0, 0, 0n, 0n];
  for (; (ends[to] ?? width) < width; to++) {
    fill(to, (ends[to] ?? 0n) - filled);
    filled = ends[to] ?? 0n;
  }
  fill(to, width - filled);
  for (;;) {
    if (ends[to] === start + width && to < ends.length - 1) to++;
    if (ends[from] === start && from < to) from++;
    stops.push({ start, from, to, mean, square });
    const toNextStop = smaller((ends[from] ?? 0n) - start, (ends[to] ?? 0n) - start - width);
    if (toNextStop === 0n) return stops;
    fill(from, -toNextStop);
    fill(to, toNextStop);
    start += toNextStop;
  }
}

/** The last stop whose mean is not above. */
const stopBefore = (stops: readonly Stop[], mean: bigint): Stop =>
  stops[leastIndex(stops.length, (index) => (stops[index]?.mean ?? mean) > mean) - 1] ??
  stops[0] ?? { start: 0n, from: 0, to: 0, mean, square: 0n };

export const integerSum = (numbers: readonly bigint[]): bigint => numbers.reduce((a, b) => a + b, 0n);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
