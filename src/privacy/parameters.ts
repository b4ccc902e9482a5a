import { Rational, sum, type Exact } from './rational';

/** A parameter that a mechanism cannot work with. No mechanism ever replaces one silently. */
export class ParameterError extends RangeError {
  constructor(
    readonly parameter: string,
    value: unknown,
    readonly range: string,
  ) {
    super(`${parameter} must be ${range}, was ${typeof value === 'string' ? `"${value}"` : String(value)}`);
  }
}

/** Any finite number. */
export function finite(parameter: string, value: Exact): Rational {
  const parsed = Rational.parse(value);
  if (parsed === null) throw new ParameterError(parameter, value, 'a finite number');
  return parsed;
}

/** A number that is greater than 0 and finite. */
export function positive(parameter: string, value: Exact): Rational {
  const parsed = Rational.parse(value);
  if (parsed === null || parsed.sign <= 0n)
    throw new ParameterError(parameter, value, 'greater than 0 and finite');
  return parsed;
}

export const epsilonParameter = (value: Exact): Rational => positive('epsilon', value);

/** A whole number from `least` to `most`. */
export function integerParameter(parameter: string, value: Exact, least: bigint, most?: bigint): bigint {
  const parsed = Rational.parse(value);
  const whole = parsed?.denominator === 1n ? parsed.numerator : null;
  if (whole === null || whole < least || (most !== undefined && whole > most))
    throw new ParameterError(
      parameter,
      value,
      most === undefined ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`,
    );
  return whole;
}

/** The least gap α between a click and the conversion. It must leave room for moving a click by τ. */
export function gapParameter(value: Exact | undefined, tau: Rational): Rational {
  const parsed = value === undefined ? null : Rational.parse(value);
  if (parsed === null || parsed.compare(tau) <= 0n)
    throw new ParameterError('gap', value ?? 'missing', `greater than tau (${tau.toString()}) and finite`);
  return parsed;
}

/** Numbers, at least one. */
export function listParameter(parameter: string, values: readonly Exact[]): readonly Rational[] {
  if (values.length === 0) throw new ParameterError(parameter, 'empty', 'a list of at least one number');
  return values.map((value, index) => finite(`${parameter}[${index}]`, value));
}

/**
 * Probabilities that sum to one. Decimals and fractions are taken exactly; a sum that differs from 1 by no more than rounding
 * each of them to a double can explain (2^−53 each) is divided out.
 */
export function priorParameter(values: readonly Exact[]): readonly Rational[] {
  const prior = listParameter('prior', values);
  prior.forEach((probability, index) => {
    if (probability.sign < 0n || probability.compare(Rational.ONE) > 0n)
      throw new ParameterError(`prior[${index}]`, values[index], 'from 0 to 1');
  });
  const total = sum(prior);
  const error = total.minus(Rational.ONE);
  const explained = Rational.fraction(BigInt(prior.length), 1n << 53n);
  if (error.compare(explained) > 0n || error.plus(explained).sign < 0n)
    throw new ParameterError('prior', total.toNumber(), 'a list of probabilities that sum to 1');
  return error.sign === 0n ? prior : prior.map((probability) => probability.over(total));
}

/** The support of a prior: as many numbers as it has probabilities, all different. */
export function valuesParameter(values: readonly Exact[], prior: readonly Rational[]): readonly Rational[] {
  const parsed = listParameter('values', values);
  if (parsed.length !== prior.length)
    throw new ParameterError(
      'values',
      parsed.length,
      `as many as the prior has probabilities (${prior.length})`,
    );
  if (new Set(parsed.map(String)).size !== parsed.length)
    throw new ParameterError('values', values.map(String).join(','), 'a list of different numbers');
  return parsed;
}

/** Where the true value stands in the support of the prior. */
export function trueValueParameter(value: Exact, values: readonly Rational[]): number {
  const parsed = Rational.parse(value);
  const index = parsed === null ? -1 : values.findIndex((known) => known.equals(parsed));
  if (index < 0)
    throw new ParameterError('true', value, `one of the values (${values.map(String).join(', ')})`);
  return index;
}
