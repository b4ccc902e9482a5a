import { bernoulliRational } from '../analysis/noise/bernoulli';
import { Rational, sum } from '../src/privacy/rational';
import type { RandomSource } from '../src/privacy/random-source';
import type { Impression } from './documents';
import type { ConversionOptions } from './options';

/**
 * W3C Attribution, "fairly allocate credit": whole numbers that sum to the value and have the shares of the credit as their means. The
 * specification computes with doubles and rounds at the end; fractions need no rounding.
 */
export function fairlyAllocateCredit(
  random: RandomSource,
  credit: readonly Rational[],
  value: number,
): readonly number[] {
  const share = Rational.of(value).over(sum(credit));
  const shares = credit.map((item) => item.times(share));
  // At most one share that was looked at is not whole yet: the one with this index.
  let open = 0;
  shares.forEach((second, next) => {
    const first = shares[open];
    if (next === 0 || first === undefined) return;
    const [toFirst, toSecond] = roundings(first, second);
    const either = toFirst.plus(toSecond);
    if (either.sign === 0n) return;
    const firstBecomesWhole = bernoulliRational(random, toSecond.over(either));
    const change = firstBecomesWhole ? toFirst : toSecond;
    shares[open] = firstBecomesWhole ? first.plus(change) : first.minus(change);
    shares[next] = firstBecomesWhole ? second.minus(change) : second.plus(change);
    if (firstBecomesWhole) open = next;
  });
  return shares.map(wholeNumber);
}

/** What makes each of two shares whole: both are rounded up if their parts after the point exceed 1 together, else down. */
function roundings(first: Rational, second: Rational): readonly [Rational, Rational] {
  const parts = [first, second].map(afterThePoint);
  const up = sum(parts).compare(Rational.ONE) > 0n;
  const [toFirst = Rational.ZERO, toSecond = Rational.ZERO] = parts.map((part) =>
    (up ? Rational.ONE : Rational.ZERO).minus(part),
  );
  return [toFirst, toSecond];
}

const afterThePoint = ({ numerator, denominator }: Rational): Rational =>
  Rational.fraction(numerator % denominator, denominator);

const wholeNumber = ({ numerator }: Rational): number => Number(numerator);

export const emptyHistogram = (size: number): number[] => new Array<number>(size).fill(0);

/** What an impression got of a conversion's value. */
export interface Credited {
  readonly impression: number;
  /** The histogram's index. Credit for one beyond the histogram is lost. */
  readonly bucket: number;
  readonly value: number;
}

/**
 * W3C Attribution, "fill a histogram with last-n-touch attribution": who gets how much.
 * @param stated how much, as it was drawn before; null: it is drawn
 * @throws RangeError if another number of impressions gets credit, or what they get is not the value
 */
export function lastTouchCredit(
  random: RandomSource,
  matched: readonly Impression[],
  { value, credit }: ConversionOptions,
  stated: readonly number[] | null = null,
): readonly Credited[] {
  const last = [...matched]
    .sort((a, b) => b.priority - a.priority || b.time - a.time)
    .slice(0, credit.length);
  if (stated !== null && !sharesOut(stated, last.length, value))
    throw new RangeError(
      `must be ${last.length} whole ${last.length === 1 ? 'number' : 'numbers'} with the sum ${value}, one for each impression that matches, was ${JSON.stringify(stated)}; impressions may be missing`,
    );
  const allocated = stated ?? fairlyAllocateCredit(random, credit.slice(0, last.length), value);
  return last.map(({ id, histogramIndex }, index) => ({
    impression: id,
    bucket: histogramIndex,
    value: allocated[index] ?? 0,
  }));
}

const sharesOut = (parts: readonly number[], count: number, value: number): boolean =>
  parts.length === count && parts.reduce((sum, part) => sum + part, 0) === value;

/** The buckets' sums. Credit for buckets beyond the histogram is lost. */
export function histogramOf(credited: readonly Credited[], size: number): readonly number[] {
  const histogram = emptyHistogram(size);
  for (const { bucket, value } of credited) {
    const count = histogram[bucket];
    if (count !== undefined) histogram[bucket] = count + value;
  }
  return histogram;
}
