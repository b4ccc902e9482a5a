import { ceilDivide, floorDivide, squareRoot } from './integers';

/** a·y² + b·y + c, with a > 0. */
export interface Quadratic {
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
}

/** The factors of f(y): `high` where f is negative, `low` elsewhere; 0 < low < high. */
export interface Factors {
  readonly low: bigint;
  readonly high: bigint;
}

interface Minimum {
  readonly place: bigint;
  readonly value: bigint;
}

/**
 * The minima below 0 of the sum of the lesser of low·f(y) and high·f(y) over some f, at whole y. The sum is quadratic between the
 * places where an f changes its sign, and there it has a closed form.
 */
export function negativeMinima(parts: readonly Quadratic[], { low, high }: Factors): readonly Minimum[] {
  const changes = parts
    .flatMap((own) =>
      negativeBetween(own).map((at, index) => ({ at, own, by: index === 0 ? high - low : low - high })),
    )
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  let total = parts.reduce((sum, own) => plus(sum, own, low), { a: 0n, b: 0n, c: 0n });
  const minima: Minimum[] = [];
  for (let index = 0; index <= changes.length; index++) {
    const since = index === 0 ? undefined : changes.at(index - 1)?.at;
    const until = changes.at(index)?.at;
    // Between two changes, the least whole place is an end if the lowest point is outside.
    let place = floorDivide(total.a - total.b, 2n * total.a);
    if (until !== undefined && place >= until) place = until - 1n;
    if (since !== undefined && place < since) place = since;
    const value = valueAt(total, place);
    if (value < 0n && until !== since) minima.push({ place, value });
    const change = changes.at(index);
    if (change !== undefined) total = plus(total, change.own, change.by);
  }
  return minima;
}

const MOST_PASSES = 6;

/**
 * How much each f must be raised so that the sum is nowhere below 0. At a place where it is, the least f has the factor `high`, so a small raise of
 * this f has the largest effect there.
 */
export function raisesToZero(parts: readonly Quadratic[], factors: Factors): readonly bigint[] {
  const raises = parts.map(() => 0n);
  const raised = (): Quadratic[] => parts.map((own, index) => ({ ...own, c: own.c + (raises[index] ?? 0n) }));
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const minima = [...negativeMinima(raised(), factors)];
    if (minima.length === 0) return raises;
    for (const { place } of minima.sort((one, other) => (one.value < other.value ? -1 : 1))) {
      const values = raised().map((own) => valueAt(own, place));
      const price = values.reduce((sum, own) => sum + own * (own < 0n ? factors.high : factors.low), 0n);
      const least = values.reduce((best, own, index) => (own < (values[best] ?? 0n) ? index : best), 0);
      if (price < 0n) raises[least] = (raises[least] ?? 0n) + ceilDivide(-price, factors.high);
    }
  }
  // Raising any of them by this is enough everywhere.
  const deepest = negativeMinima(raised(), factors).reduce((a, { value }) => (value < a ? value : a), 0n);
  raises[0] = (raises[0] ?? 0n) + ceilDivide(-deepest, factors.low);
  return raises;
}

const plus = (sum: Quadratic, { a, b, c }: Quadratic, times: bigint): Quadratic => ({
  a: sum.a + times * a,
  b: sum.b + times * b,
  c: sum.c + times * c,
});

const valueAt = ({ a, b, c }: Quadratic, y: bigint): bigint => (a * y + b) * y + c;

/** The first whole number at which it is negative, and the next at which it is not; empty if it is negative at none. */
function negativeBetween(quadratic: Quadratic): readonly bigint[] {
  const { a, b, c } = quadratic;
  const discriminant = b * b - 4n * a * c;
  if (discriminant <= 0n) return [];
  const root = squareRoot(discriminant);
  // The rounding of the root can be off by one.
  const low = floorDivide(-b - root, 2n * a);
  const high = ceilDivide(-b + root, 2n * a);
  const first = valueAt(quadratic, low) < 0n ? low : low + 1n;
  const end = valueAt(quadratic, high) < 0n ? high + 1n : high;
  return first < end ? [first, end] : [];
}
