/* Products are the same in every engine. `**` and `Math.cbrt` need not be, so `numeric/` uses neither (test/unit/project/no-floating-point-decides.test.ts). */

export const square = (value: number): number => value * value;

export const cube = (value: number): number => value * value * value;
