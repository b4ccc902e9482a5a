import { ceilDivide, floorDivide, squareRoot } from './integers';

/** a·y² + b·y + c, with a > 0. */
export interface Quadratic {
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
}

/** The least value, and the coefficient of y² there. */
interface Lowest {
  readonly price: bigint;
  readonly weight: bigint;
}

/**
 * The sum of the lesser of numerator·f(y) and denominator·f(y) over some f, at whole y; numerator and denominator are positive. It is
 * quadratic between the places where an f changes its sign, and there it has a closed form.
 * @returns the places of its minima that are below 0, and the lowest minimum, or 0.
 */
export function lesserSum(
  parts: readonly Quadratic[],
  { numerator: low, denominator: high }: { readonly numerator: bigint; readonly denominator: bigint },
): { readonly minima: readonly bigint[]; readonly lowest: Lowest } {
  const changes = parts
    .flatMap((own) =>
      negativeBetween(own).map((at, index) => ({ at, own, by: index === 0 ? high - low : low - high })),
    )
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  let total = parts.reduce((sum, own) => plus(sum, own, low), { a: 0n, b: 0n, c: 0n });
  let lowest: Lowest = { price: 0n, weight: 1n };
  const minima: bigint[] = [];
  for (let index = 0; index <= changes.length; index++) {
    const { place, price } = lowestPoint(total);
    if (price < lowest.price) lowest = { price, weight: total.a };
    const [since, until] = [changes[index - 1]?.at ?? place, changes[index]?.at ?? place + 1n];
    if (price < 0n && since <= place && place < until) minima.push(place);
    const change = changes.at(index);
    if (change !== undefined) total = plus(total, change.own, change.by);
  }
  return { minima, lowest };
}

const plus = (sum: Quadratic, { a, b, c }: Quadratic, times: bigint): Quadratic => ({
  a: sum.a + times * a,
  b: sum.b + times * b,
  c: sum.c + times * c,
});

const valueAt = ({ a, b, c }: Quadratic, y: bigint): bigint => (a * y + b) * y + c;

function lowestPoint(quadratic: Quadratic): { readonly place: bigint; readonly price: bigint } {
  const place = floorDivide(quadratic.a - quadratic.b, 2n * quadratic.a);
  return { place, price: valueAt(quadratic, place) };
}

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
