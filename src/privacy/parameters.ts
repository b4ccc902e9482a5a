import {
  expectation,
  mistake,
  type ExpectationCode,
  type ExpectationValues,
  type Given,
  type Issue,
  type Mistake,
} from '../../formats/codec/mistakes';
import { Rational, sum, type Exact } from './rational';

/** A parameter that a mechanism cannot work with. No mechanism corrects one silently. */
export class ParameterError extends RangeError {
  readonly issue: Issue;

  constructor(
    readonly parameter: string,
    found: Mistake,
  ) {
    super(`${parameter}: ${JSON.stringify(found)}`);
    this.issue = { ...found, path: parameter };
  }
}

/** The most values of the unbiased randomizer: enough for whole numbers from 0 to 400, such as euros. */
export const MAX_UNBIASED_VALUES = 401;
/** The same on a device or a collector, where others choose ε: a randomizer then takes seconds at most. */
export const MAX_UNBIASED_VALUES_ON_DEVICES = 12;

export const parameterValue = (value: unknown): string =>
  typeof value === 'string' ? `"${value}"` : String(value);

export const unexpected = <Code extends ExpectationCode>(
  parameter: string,
  value: unknown,
  code: Code,
  ...given: Given<ExpectationValues[Code]>
): ParameterError =>
  new ParameterError(
    parameter,
    mistake('must-be', { what: expectation(code, ...given), was: parameterValue(value) }),
  );

export function finite(parameter: string, value: Exact): Rational {
  const parsed = Rational.parse(value);
  if (parsed === null) throw unexpected(parameter, value, 'finite-number');
  return parsed;
}

export function positive(parameter: string, value: Exact): Rational {
  const parsed = Rational.parse(value);
  if (parsed === null || parsed.sign <= 0n) throw unexpected(parameter, value, 'positive');
  return parsed;
}

export const epsilonParameter = (value: Exact): Rational => positive('epsilon', value);

/** The least gap α between a click and the conversion. It must exceed τ, the most by which a click is moved. */
export function gapParameter(value: Exact | undefined, tau: Rational): Rational {
  const parsed = value === undefined ? null : Rational.parse(value);
  if (parsed === null || parsed.compare(tau) <= 0n)
    throw unexpected('gap', value ?? 'missing', 'above-tau', { tau: tau.toString() });
  return parsed;
}

export function listParameter(parameter: string, values: readonly Exact[]): readonly Rational[] {
  if (values.length === 0) throw new ParameterError(parameter, mistake('no-numbers'));
  return values.map((value, index) => finite(`${parameter}[${index}]`, value));
}

/**
 * Probabilities that sum to one, taken exactly. A sum off by at most 2^−53 for each of them, the rounding of a double, is divided out.
 */
export function priorParameter(values: readonly Exact[]): readonly Rational[] {
  const prior = listParameter('prior', values);
  prior.forEach((probability, index) => {
    if (probability.sign < 0n || probability.compare(Rational.ONE) > 0n)
      throw new ParameterError(
        `prior[${index}]`,
        mistake('not-a-probability', { was: parameterValue(values[index]) }),
      );
  });
  const total = sum(prior);
  const error = total.minus(Rational.ONE);
  const explained = Rational.fraction(BigInt(prior.length), 1n << 53n);
  if (error.compare(explained) > 0n || error.plus(explained).sign < 0n)
    throw new ParameterError('prior', mistake('probabilities-sum', { sum: total.toNumber() }));
  return error.sign === 0n ? prior : prior.map((probability) => probability.over(total));
}

/** The support of a prior: different numbers, one for each probability. */
export function valuesParameter(values: readonly Exact[], prior: readonly Rational[]): readonly Rational[] {
  const parsed = listParameter('values', values);
  if (parsed.length !== prior.length)
    throw new ParameterError(
      'values',
      mistake('values-per-probability', { probabilities: prior.length, was: parsed.length }),
    );
  if (new Set(parsed.map(String)).size !== parsed.length)
    throw unexpected('values', values.map(String).join(','), 'distinct-numbers');
  return parsed;
}
