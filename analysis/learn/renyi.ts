/** Steps of the integral per standard deviation. The trapezoid rule converges so fast here that this is exact to 12 digits. */
const STEPS_PER_DEVIATION = 12;
const TAILS = 12;

const ORDERS: readonly number[] = [
  ...Array.from({ length: 99 }, (_, index) => 1 + (index + 1) / 10),
  ...Array.from({ length: 53 }, (_, index) => 11 + index),
  80,
  96,
  128,
  256,
  512,
];

/**
 * The Rényi divergence of order α of one step of the Poisson-subsampled Gaussian mechanism with sensitivity 1, from neighbours that differ in
 * one example more or less (Mironov, Talwar & Zhang 2019): ln E[(1 − q + q·e^((2x − 1)/2σ²))^α]/(α − 1) over x ~ N(0, σ²).
 * @param rate q, the probability with which each example is taken.
 * @param deviation σ, of the noise over the clipping length.
 */
function renyiDivergence(rate: number, deviation: number, order: number): number {
  if (rate === 1) return order / (2 * deviation ** 2);
  const variance = deviation ** 2;
  const from = -TAILS * deviation;
  const step = deviation / STEPS_PER_DEVIATION;
  const count = Math.ceil((order + 2 * TAILS * deviation) / step);
  const logs = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const x = from + i * step;
    const ratio = logOfMixture(rate, (2 * x - 1) / (2 * variance));
    logs[i] = order * ratio - (x * x) / (2 * variance);
  }
  const logMoment = logOfSum(logs) + Math.log(step / (deviation * Math.sqrt(2 * Math.PI)));
  return logMoment / (order - 1);
}

/** ln Σ e^log without overflow. */
export function logOfSum(logs: Float64Array): number {
  const greatest = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  return greatest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - greatest), 0));
}

/** ln(1 − q + q·e^t) without overflow. */
export const logOfMixture = (rate: number, t: number): number =>
  t > 0 ? t + Math.log(rate + (1 - rate) * Math.exp(-t)) : Math.log1p(rate * Math.expm1(t));

/**
 * ε of many steps at δ by Rényi differential privacy (Mironov 2017), with the conversion of Canonne, Kamath & Steinke 2020, proposition 12.
 */
export function renyiEpsilon(rate: number, deviation: number, steps: number, delta: number): number {
  const bounds = ORDERS.map(
    (order) =>
      steps * renyiDivergence(rate, deviation, order) +
      Math.log1p(-1 / order) -
      Math.log(delta * order) / (order - 1),
  );
  return Math.max(0, Math.min(...bounds));
}
