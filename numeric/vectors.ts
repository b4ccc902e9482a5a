export type Vector = Float64Array;

export const zeros = (length: number): Vector => new Float64Array(length);

/**
 * Of the first elements, `count` of them. Four sums at a time do not wait for each other. Each is declared alone: V8 makes numbers that
 * come out of a list several times as slow.
 */
export function dot(a: Vector, b: Vector, count = a.length): number {
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let i = 0;
  for (; i + 3 < count; i += 4) {
    one += (a[i] ?? 0) * (b[i] ?? 0);
    two += (a[i + 1] ?? 0) * (b[i + 1] ?? 0);
    three += (a[i + 2] ?? 0) * (b[i + 2] ?? 0);
    four += (a[i + 3] ?? 0) * (b[i + 3] ?? 0);
  }
  for (; i < count; i++) one += (a[i] ?? 0) * (b[i] ?? 0);
  return one + two + three + four;
}

/** Of the first elements, `count` of them. */
export function addTo(to: Vector, factor: number, from: Vector, count = to.length): void {
  for (let i = 0; i < count; i++) to[i] = (to[i] ?? 0) + factor * (from[i] ?? 0);
}

/**
 * Replaces the lower triangle of a symmetric matrix by its Cholesky factor.
 * @returns whether the matrix is positive definite.
 */
export const factorise = (triangle: readonly Vector[]): boolean =>
  triangle.every((line, j) => {
    for (let i = 0; i < j; i++) {
      const other = triangle[i] ?? line;
      line[i] = ((line[i] ?? 0) - dot(other, line, i)) / (other[i] ?? 0);
    }
    const square = (line[j] ?? 0) - dot(line, line, j);
    line[j] = Math.sqrt(square);
    return square > 0;
  });

/** Solves the equations whose matrix has the Cholesky factor, in place. */
export function solveFactored(factor: readonly Vector[], side: Vector): void {
  factor.forEach((line, j) => {
    side[j] = ((side[j] ?? 0) - dot(line, side, j)) / (line[j] ?? 0);
  });
  for (let j = side.length - 1; j >= 0; j--) {
    const line = factor[j] ?? side;
    const value = (side[j] ?? 0) / (line[j] ?? 0);
    addTo(side, -value, line, j);
    side[j] = value;
  }
}
