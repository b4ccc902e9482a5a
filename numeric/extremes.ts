/* `Math.min` with a spread list fails for some 100,000 numbers: each becomes an argument of the call. */

/** Infinity if there is none. */
export const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other), Infinity);

/** −Infinity if there is none. */
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), -Infinity);

/** The nearest number in the interval. An end that is not a number does not limit it. */
export const within = ([low, high]: readonly [number, number], value: number): number =>
  value < low ? low : value > high ? high : value;
