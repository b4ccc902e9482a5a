export type Vector = Float64Array;

export const zeros = (length: number): Vector => new Float64Array(length);

/** The dot product of `count` elements, from `start` of a and from `other` of b. Four sums run side by side, so that none waits for another. */
export function dot(a: Vector, b: Vector, count = a.length, start = 0, other = 0): number {
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let i = 0;
  for (; i + 3 < count; i += 4) {
    one += (a[start + i] ?? 0) * (b[other + i] ?? 0);
    two += (a[start + i + 1] ?? 0) * (b[other + i + 1] ?? 0);
    three += (a[start + i + 2] ?? 0) * (b[other + i + 2] ?? 0);
    four += (a[start + i + 3] ?? 0) * (b[other + i + 3] ?? 0);
  }
  for (; i < count; i++) one += (a[start + i] ?? 0) * (b[other + i] ?? 0);
  return one + two + three + four;
}

export function addTo(to: Vector, factor: number, from: Vector): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] ?? 0) + factor * (from[i] ?? 0);
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

/**
 * The lower triangle of the products of all vectors with each other. It takes two lines at a time, and the last one twice if their number is
 * odd. The inner loop allocates nothing, because arrays and their collection would take several times as long as the sums.
 */
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
 * Replaces the lower triangle of a symmetric matrix by its Cholesky factor. Each line ends at the diagonal. It may leave out its leading zeros,
 * because the factor has them, too.
 * @returns whether the matrix is positive definite.
 */
export function factorise(triangle: readonly Vector[]): boolean {
  let isPositive = true;
  triangle.forEach((line, j) => {
    factoriseLine(triangle, line, j);
    isPositive &&= root(line);
  });
  return isPositive;
}

/** Whether a symmetric matrix is positive definite, and not only to rounding. Overwrites the lines up to the first that is not. */
export const isPositiveDefinite = (triangle: readonly Vector[]): boolean =>
  triangle.every((line, j) => {
    factoriseLine(triangle, line, j);
    return root(line) && at(line, line.length - 1) < CANCELLED;
  });

/** Computes all elements of a line but the last. */
function factoriseLine(triangle: readonly Vector[], line: Vector, j: number): void {
  const start = j + 1 - line.length;
  for (let i = start; i < j; i++) {
    const other = triangle[i] ?? NONE;
    const last = other.length - 1;
    const common = Math.min(last, i - start);
    const known = dot(line, other, common, i - start - common, last - common);
    line[i - start] = (at(line, i - start) - known) / at(other, last);
  }
}

/** Greater than all other elements. */
const CANCELLED = 2 ** 100;

/** Computes the last element of a line from the others. If rounding cancels it, a huge element keeps the unknown at its value. */
function root(line: Vector): boolean {
  const last = line.length - 1;
  const whole = at(line, last);
  const square = whole - dot(line, line, last);
  line[last] = square > whole * 2 ** -50 ? Math.sqrt(square) : CANCELLED;
  return Number.isFinite(square);
}

/** Solves the equations whose matrix has the Cholesky factor, in place. */
export function solveFactored(factor: readonly Vector[], side: Vector): void {
  factor.forEach((line, j) => {
    const last = line.length - 1;
    side[j] = (at(side, j) - dot(line, side, last, 0, j - last)) / at(line, last);
  });
  for (let j = side.length - 1; j >= 0; j--) {
    const line = factor[j] ?? NONE;
    const last = line.length - 1;
    const value = at(side, j) / at(line, last);
    for (let i = 0; i < last; i++) side[j - last + i] = at(side, j - last + i) - value * at(line, i);
    side[j] = value;
  }
}
