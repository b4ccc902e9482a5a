import { mistake } from '../../formats/codec/mistakes';
import {
  epsilonParameter,
  finite,
  gapParameter,
  listParameter,
  ParameterError,
  parameterValue,
  positive,
} from '../privacy/parameters';
import type { ScoreKind } from '../model/mechanisms';
import { epsilon as epsilonOf, type Epsilon } from '../model/units';
import { Rational, type Exact } from '../privacy/rational';
import {
  difference,
  exponentialOfMinus,
  quotient,
  rationalBounds,
  type RealBounds,
} from '../privacy/real-bounds';

export interface ClickChoice {
  /** When the candidate clicks happened, in the same unit as all other times here. */
  readonly clicks: readonly Exact[];
  /** t_C, not before any click. */
  readonly conversion: Exact;
  /** τ: by how much at most neighbours move a click. */
  readonly tau: Exact;
  readonly epsilon: Exact;
  /**
   * Of a click at t_i for a conversion at t_C; later is better. Neighbouring data sets differ in one click, moved by at most τ, which changes
   * a score by at most the sensitivity Δ.
   */
  readonly score: ScoreKind;
  /** α, the least gap between a click and the conversion; greater than τ. For the reciprocal score only. */
  readonly gap?: Exact;
}

/**
 * How far each click falls short of the best: ε·(s_max − s_i)/(2Δ) ≥ 0. A mechanism needs to know no more of the clicks.
 * @throws ParameterError for parameters out of range.
 */
export function shortfalls(choice: ClickChoice): readonly RealBounds[] {
  const epsilon = epsilonParameter(choice.epsilon);
  const tau = positive('tau', choice.tau);
  const gaps = gapsOf(choice);
  const nearest = gaps.reduce((least, gap) => (gap.compare(least) < 0n ? gap : least));
  const half = epsilon.over(Rational.of(2));
  switch (choice.score) {
    case 'linear':
      return gaps.map((gap) => rationalBounds(half.times(gap.minus(nearest)).over(tau)));
    case 'exponential':
      return exponentialShortfalls(gaps, nearest, tau, half);
    case 'reciprocal': {
      const least = gapParameter(choice.gap, tau);
      const closest = least.minus(tau);
      const sensitivity = reciprocalSensitivity(least, tau);
      // Δ must hold for both neighbours, so also for a click that is moved nearer by τ.
      if (nearest.compare(closest) < 0n)
        throw new ParameterError(
          'clicks',
          mistake('click-too-late', { least: closest.toString(), nearest: nearest.toString() }),
        );
      const best = Rational.ONE.over(nearest);
      return gaps.map((gap) =>
        rationalBounds(half.times(best.minus(Rational.ONE.over(gap))).over(sensitivity)),
      );
    }
  }
}

/**
 * The most ε that a choice loses when one click moves by at most τ, rounded up. Only that click's score changes, so the mechanisms lose
 * half of what the published formula allows for: there, all scores change by Δ. The exponential score moreover changes by at most
 * e^T·(1 − e^−τ) before the conversion at T, which is e^−τ of its Δ.
 */
export function lossOfChoice({
  epsilon,
  score,
  tau,
}: Pick<ClickChoice, 'epsilon' | 'score' | 'tau'>): Epsilon {
  const half = epsilonParameter(epsilon).over(Rational.of(2));
  if (score !== 'exponential') return roundedUp(half);
  const shrinking = exponentialOfMinus(rationalBounds(positive('tau', tau)))(LOSS_BITS).upper;
  return roundedUp(half.times(Rational.fraction(shrinking, 1n << BigInt(LOSS_BITS))));
}

const LOSS_BITS = 64;

function roundedUp(exact: Rational): Epsilon {
  const nearest = exact.toNumber();
  return epsilonOf(Rational.of(nearest).compare(exact) < 0n ? nearest * (1 + 2 ** -52) : nearest);
}

/** Δ of the reciprocal score: 1/(α − τ) − 1/α. */
export const reciprocalSensitivity = (gap: Rational, tau: Rational): Rational =>
  Rational.ONE.over(gap.minus(tau)).minus(Rational.ONE.over(gap));

/** t_C − t_i for each click. */
function gapsOf({ clicks, conversion, gap, score }: ClickChoice): readonly Rational[] {
  const end = finite('conversion', conversion);
  if (gap !== undefined && score !== 'reciprocal')
    throw new ParameterError('gap', mistake('gap-not-taken', { was: parameterValue(String(gap)) }));
  return listParameter('clicks', clicks).map((click, index) => {
    const before = end.minus(click);
    if (before.sign < 0n)
      throw new ParameterError(
        `clicks[${index}]`,
        mistake('click-after-conversion', { was: parameterValue(String(clicks[index])) }),
      );
    return before;
  });
}

/**
 * ε/2 · (e^(t_max) − e^(t_i)) / (e^(t_C)·(e^τ − 1)). With gaps g = t_C − t, and divided by e^τ above and below, no power of e is
 * large: ε/2 · (e^−(g_min + τ) − e^−(g_i + τ)) / (1 − e^−τ).
 */
function exponentialShortfalls(
  gaps: readonly Rational[],
  nearest: Rational,
  tau: Rational,
  half: Rational,
): readonly RealBounds[] {
  const power = (x: Rational): RealBounds => exponentialOfMinus(rationalBounds(x));
  const below = difference(rationalBounds(Rational.ONE), power(tau));
  const scaledBelow = quotient(below, rationalBounds(half));
  const best = power(nearest.plus(tau));
  return gaps.map((gap) =>
    // Exactly 0 for the best click; bounds could only approach it.
    gap.equals(nearest)
      ? rationalBounds(Rational.ZERO)
      : quotient(difference(best, power(gap.plus(tau))), scaledBelow),
  );
}
