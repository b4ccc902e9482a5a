/* Products are the same in every engine. `**` and `Math.cbrt` need not be, so `numeric/` uses neither (test/unit/project/no-floating-point-decides.test.ts). */

export const square = (value: number): number => value * value;

export const cube = (value: number): number => value * value * value;

/** The cube root of a number above 0. It only multiplies and takes square roots, which every engine rounds alike: each step leaves a quarter of the logarithm's error. */
export function cubeRoot(value: number): number {
  let root = Math.sqrt(value);
  for (let step = 0; step < CUBE_ROOT_STEPS; step++) root = Math.sqrt(Math.sqrt(value) * Math.sqrt(root));
  return root;
}

/** Enough for any double: its logarithm to base 2 is below 2^11 in size, and 4^−40 of that is less than a double resolves. */
const CUBE_ROOT_STEPS = 40;
