export interface MeanWithError {
  readonly mean: number;
  /** The standard error of the mean; NaN for one value. */
  readonly error: number;
}

/** Equal values that were computed in different ways differ by less than this share of them. */
const ROUNDING = 1e-12;

export function meanWithError(values: readonly number[]): MeanWithError {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { mean, error: error <= ROUNDING * greatest ? 0 : error };
}

/** A number for people; one that nothing is known of, or that has no limit, has no digits. */
export const fixed = (value: number, digits: number): string =>
  Number.isFinite(value)
    ? value.toFixed(digits).replace(/^-(0(?:\.0*)?)$/, '$1')
    : Number.isNaN(value)
      ? '–'
      : value < 0
        ? '−∞'
        : '∞';
