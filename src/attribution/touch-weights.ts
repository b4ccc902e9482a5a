import type { AttributionModel } from '../model/mechanisms';
import { rememberedByKey } from '../model/remembered';
import { Rational } from '../privacy/rational';
import { LN2, exponentialOfMinus, rationalBounds, scaledBy, type RealBounds } from '../privacy/real-bounds';

export type MultiTouchModel = Extract<AttributionModel, { readonly credit: unknown }>;

/** Share of the first and of the last touch in the position-based model, in tenths. */
const ENDS = 4n;

/** A weight ≤ 1 for each touch, in order of time. @param ages milliseconds before the conversion */
export function touchWeights(model: MultiTouchModel, ages: readonly number[]): readonly RealBounds[] {
  switch (model.kind) {
    case 'linear':
      return ages.map(() => rationalBounds(Rational.ONE));
    case 'position-based':
      return ages.map((_, index) => rationalBounds(positionWeight(index, ages.length)));
    case 'time-decay': {
      // The nearest touch has weight 1. Only ratios matter, and very old touches do not all vanish.
      const nearest = ages.reduce((least, age) => Math.min(least, age), Infinity);
      const ln2 = rememberedByKey(LN2);
      return ages.map((age) => {
        const halvings = Rational.of(age - nearest).over(
          Rational.of(model.halfLife).times(Rational.of(1000n)),
        );
        return exponentialOfMinus(scaledBy(halvings, ln2));
      });
    }
  }
}

/** 40 % each for the first and the last, 20 % for all between; half each if there are only two. */
function positionWeight(index: number, count: number): Rational {
  if (count <= 2) return Rational.ONE;
  const isEnd = index === 0 || index === count - 1;
  return isEnd ? Rational.fraction(ENDS, 10n) : Rational.fraction(10n - 2n * ENDS, 10n * BigInt(count - 2));
}

/** A share can be rounded wrongly only if it is within 2^−80 of a half. */
const SHARE_BITS = 128;

/** Splits a whole number by weights: shares rounded down, the rest to the greatest remainders (of equal ones, the latest). */
export function splitValue(value: number, weights: readonly RealBounds[]): readonly number[] {
  const parts = weights.map((weight) => weight(SHARE_BITS).lower);
  const total = parts.reduce((sum, part) => sum + part, 0n);
  const products = parts.map((part) => BigInt(value) * part);
  const shares = products.map((product) => product / total);
  const left = BigInt(value) - shares.reduce((sum, share) => sum + share, 0n);
  const byRemainder = products
    .map((product, index) => ({ index, remainder: product % total }))
    .sort((a, b) => (a.remainder === b.remainder ? b.index - a.index : a.remainder > b.remainder ? -1 : 1))
    .slice(0, Number(left));
  const favoured = new Set(byRemainder.map(({ index }) => index));
  return shares.map((share, index) => Number(share) + (favoured.has(index) ? 1 : 0));
}
