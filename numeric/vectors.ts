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

/** a·c, a·d, b·c and b·d of the first elements, into `to`: with four sums at a time, each element is read half as often. */
function dotPairs(a: Vector, b: Vector, c: Vector, d: Vector, count: number, to: Vector): void {
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

const NONE = zeros(0);
const at = (vector: Vector, index: number): number => vector[index] ?? 0;

/*
 * Both functions take two lines at a time; the last one stands twice if their number is odd. They allocate nothing in their inner loops, where
 * arrays and their collection take several times as long as the sums.
 */

/** The lower triangle of the products of all vectors with each other. */
export function productTriangle(vectors: readonly Vector[]): Vector[] {
  const triangle = vectors.map((_, index) => zeros(index + 1));
  const found = zeros(4);
  for (let j = 0; j < vectors.length; j += 2) {
    const a = vectors[j] ?? NONE;
    const b = vectors[j + 1] ?? a;
    const line = triangle[j] ?? NONE;
    const next = triangle[j + 1] ?? NONE;
    for (let i = 0; i <= j; i += 2) {
      const c = vectors[i] ?? NONE;
      dotPairs(a, b, c, vectors[i + 1] ?? c, a.length, found);
      line[i] = at(found, 0);
      if (i < j) line[i + 1] = at(found, 1);
      if (next === NONE) continue;
      next[i] = at(found, 2);
      next[i + 1] = at(found, 3);
    }
  }
  return triangle;
}

/**
 * Replaces the lower triangle of a symmetric matrix by its Cholesky factor.
 * @returns whether the matrix is positive definite.
 */
export function factorise(triangle: readonly Vector[]): boolean {
  let isPositive = true;
  for (let j = 0; j < triangle.length; j += 2) {
    const line = triangle[j] ?? NONE;
    const next = triangle[j + 1] ?? line;
    eliminate(triangle, j, line, next);
    isPositive &&= root(line, j);
    if (next === line) continue;
    next[j] = ((next[j] ?? 0) - dot(line, next, j)) / (line[j] ?? 0);
    isPositive &&= root(next, j + 1);
  }
  return isPositive;
}

/** The first `count` elements of two lines of the factor, from the lines before; `count` is even. Both lines can be the same. */
function eliminate(factor: readonly Vector[], count: number, line: Vector, next: Vector): void {
  const found = zeros(4);
  for (let i = 0; i < count; i += 2) {
    const one = factor[i] ?? NONE;
    const two = factor[i + 1] ?? NONE;
    dotPairs(line, next, one, two, i, found);
    const first = ((line[i] ?? 0) - at(found, 0)) / (one[i] ?? 0);
    const second = (line[i + 1] ?? 0) - at(found, 1) - first * (two[i] ?? 0);
    const third = ((next[i] ?? 0) - at(found, 2)) / (one[i] ?? 0);
    const fourth = (next[i + 1] ?? 0) - at(found, 3) - third * (two[i] ?? 0);
    line[i] = first;
    line[i + 1] = second / (two[i + 1] ?? 0);
    next[i] = third;
    next[i + 1] = fourth / (two[i + 1] ?? 0);
  }
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
