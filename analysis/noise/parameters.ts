import { unexpected } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';

export function integerParameter(parameter: string, value: Exact, least: bigint, most?: bigint): bigint {
  const parsed = Rational.parse(value);
  const whole = parsed?.denominator === 1n ? parsed.numerator : null;
  if (whole === null || whole < least || (most !== undefined && whole > most))
    throw most === undefined
      ? unexpected(parameter, value, 'integer-from', { min: String(least) })
      : unexpected(parameter, value, 'integer-range', { min: String(least), max: String(most) });
  return whole;
}

export function trueValueParameter(value: Exact, values: readonly Rational[]): number {
  const parsed = Rational.parse(value);
  const index = parsed === null ? -1 : values.findIndex((known) => known.equals(parsed));
  if (index < 0) throw unexpected('true', value, 'one-of-values', { values: values.map(String).join(', ') });
  return index;
}
