/** The parts of an error: a normal one, and discrete Laplace numbers. */
export interface ErrorParts {
  /** The variance of the normal part. */
  readonly variance: number;
  readonly scale: number;
  /** How many discrete Laplace numbers of that scale. */
  readonly terms: number;
}

/** Wider errors are computed on a coarser grid. */
const FINEST = 200;

/**
 * The least w with which an error is in [−w, w] with probability `level`. The normal distribution would be too narrow: one Laplace number
 * is outside 1.96 standard deviations in 6 % of cases.
 */
export function halfWidth(level: number, { variance, scale, terms }: ErrorParts): number {
  const unit = Math.max(1, scale / FINEST, Math.sqrt(variance) / FINEST);
  const [spread, tail] = [variance / unit ** 2, terms === 0 ? 0 : scale / unit];
  const centre = Math.ceil(8 * Math.sqrt(spread) + tail * (30 + 5 * terms)) + 1;
  let density = Float64Array.from({ length: 2 * centre + 1 }, (_, index) =>
    spread === 0 ? Number(index === centre) : Math.exp(-((index - centre) ** 2) / (2 * spread)),
  );
  for (let term = 0; term < terms; term++) density = withLaplace(density, Math.exp(-1 / tail));
  const whole = level * density.reduce((sum, mass) => sum + mass, 0);
  let width = 0;
  for (let inside = density[centre] ?? 0; inside < whole && width < centre;) {
    width += 1;
    inside += 2 * (density[centre + width] ?? 0);
  }
  return width * unit;
}

/** Convolved with weights ratio^|z|: a sum from the left and one from the right, which both have the middle. */
function withLaplace(density: Float64Array, ratio: number): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(density.length);
  for (const [step, start] of [
    [1, 0],
    [-1, density.length - 1],
  ] as const) {
    let sum = 0;
    for (let index = start; index >= 0 && index < density.length; index += step) {
      sum = sum * ratio + (density[index] ?? 0);
      sums[index] = (sums[index] ?? 0) + sum;
    }
  }
  return sums.map((sum, index) => sum - (density[index] ?? 0));
}
