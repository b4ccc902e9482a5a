/** ln Σ e^log without overflow. */
export function logOfSum(logs: Float64Array): number {
  const greatest = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  return greatest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - greatest), 0));
}

/** ln(1 − q + q·e^t) without overflow. */
export function logOfMixture(rate: number, t: number): number {
  // e^t may be 0.
  if (rate === 1) return t;
  return t > 0 ? t + Math.log(rate + (1 - rate) * Math.exp(-t)) : Math.log1p(rate * Math.expm1(t));
}
