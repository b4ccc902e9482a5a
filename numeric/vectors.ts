export type Vector = Float64Array;

export const zeros = (length: number): Vector => new Float64Array(length);

/** Of the first elements, `count` of them. Four sums at a time do not wait for each other. */
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
 * a·c, a·d, b·c and b·d of the first elements, into `to`: with four sums at a time, each element is read half as often. In loops like this,
 * array literals cost more than the sums.
 */
function dotPairs(
  [a, b]: readonly [Vector, Vector],
  [c, d]: readonly [Vector, Vector],
  count: number,
  to: Vector,
): void {
  let ac = 0;
  let ad = 0;
  let bc = 0;
  let bd = 0;
  for (let i = 0; i < count; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    const z = c[i] ?? 0;
    const w = d[i] ?? 0;
    ac += x * z;
    ad += x * w;
    bc += y * z;
    bd += y * w;
  }
  to[0] = ac;
  to[1] = ad;
  to[2] = bc;
  to[3] = bd;
}

/** Calls `each` with every second index and the pair of vectors there; the last one stands twice if the number is odd. */
function forPairs(
  vectors: readonly Vector[],
  count: number,
  each: (index: number, pair: readonly [Vector, Vector]) => void,
): void {
  for (let index = 0; index < count; index += 2) {
    const first = vectors[index] ?? new Float64Array();
    each(index, [first, vectors[index + 1] ?? first]);
  }
}

/** The lower triangle of the products of all vectors with each other. */
export function productTriangle(vectors: readonly Vector[]): Vector[] {
  const triangle = vectors.map((_, index) => zeros(index + 1));
  const found = zeros(4);
  forPairs(vectors, vectors.length, (j, pair) => {
    const lines = triangle.slice(j, j + 2);
    forPairs(vectors, j + 1, (i, others) => {
      dotPairs(pair, others, pair[0].length, found);
      // What is beyond the end of a line is not stored.
      lines.forEach((line, index) =>
        line.set(found.subarray(2 * index, 2 * index + Math.min(2, line.length - i)), i),
      );
    });
  });
  return triangle;
}

/**
 * Replaces the lower triangle of a symmetric matrix by its Cholesky factor.
 * @returns whether the matrix is positive definite.
 */
export function factorise(triangle: readonly Vector[]): boolean {
  let isPositive = true;
  forPairs(triangle, triangle.length, (j, [line, next]) => {
    eliminate(triangle, j, [line, next]);
    isPositive &&= root(line, j);
    if (next === line) return;
    next[j] = ((next[j] ?? 0) - dot(line, next, j)) / (line[j] ?? 0);
    isPositive &&= root(next, j + 1);
  });
  return isPositive;
}

/** The first `count` elements of two lines of the factor, from the lines before; `count` is even. */
function eliminate(factor: readonly Vector[], count: number, lines: readonly [Vector, Vector]): void {
  const found = zeros(4);
  forPairs(factor, count, (i, [one, two]) => {
    dotPairs(lines, [one, two], i, found);
    const solved = lines.map((line, index) => {
      const first = ((line[i] ?? 0) - (found[2 * index] ?? 0)) / (one[i] ?? 0);
      const second = (line[i + 1] ?? 0) - (found[2 * index + 1] ?? 0) - first * (two[i] ?? 0);
      return [first, second / (two[i + 1] ?? 0)];
    });
    // Both are read before either is written, because they can be the same line.
    lines.forEach((line, index) => line.set(solved[index] ?? [], i));
  });
}

/** The last element of a line, whose others are known. If rounding left nothing of it, the unknown keeps its value. */
function root(line: Vector, last: number): boolean {
  const whole = line[last] ?? 0;
  const square = whole - dot(line, line, last);
  line[last] = square > whole * 2 ** -50 ? Math.sqrt(square) : 2 ** 100;
  return Number.isFinite(square);
}

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
