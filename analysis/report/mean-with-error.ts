export interface MeanWithError {
  readonly mean: number;
  /** The standard error of the mean; NaN for one value. */
  readonly error: number;
}

export function meanWithError(values: readonly number[]): MeanWithError {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}
