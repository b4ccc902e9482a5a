/** The standard deviation of discrete Laplace noise: with p = e^(−1/scale), its variance is 2p/(1 − p)². @param scale greater than 0 */
export const laplaceDeviation = (scale: number): number =>
  Math.sqrt(2 * Math.exp(-1 / scale)) / -Math.expm1(-1 / scale);
