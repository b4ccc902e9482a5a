/* `Math.min` with a spread list fails for some 100,000 numbers: each becomes an argument of the call. */

/** Infinity if there is none. */
export const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other), Infinity);

/** −Infinity if there is none. */
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), -Infinity);
