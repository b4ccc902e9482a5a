import type { Column, Prices } from './exact-simplex';
import { overCommonDenominator, Rational } from './rational';
import { ceilDivide, floorDivide } from './real-bounds';

/** An output, and how likely it is for each input. In the coordinates of the first basis. */
interface Pattern extends Column {
  /** In units of the grid, from the least value. */
  readonly output: bigint;
  /** For each input `low` or `high`, all times the same factor. */
  readonly levels: readonly bigint[];
}

/** a·y² + b·y + c, with a > 0. */
interface Quadratic {
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
}

/** Outputs lie on a grid without ends; it has so many bits for the range of the values, and more at large ε. */
const GRID_BITS = 24;
/** The search ends when the variance is at most this share above the optimum on the grid. */
const TOLERANCE_BITS = 20n;

/**
 * The linear programme of the unbiased randomizer. A pattern's price at output y is a sum over the inputs, in each of which the cheaper of
 * two levels is chosen; for each choice it is a quadratic function of y, whose least value has a closed form. So the cheapest pattern
 * over the whole grid is found exactly, and with it a bound of what can still be gained.
 * The grid costs next to nothing: any randomizer becomes one on the grid, as private and unbiased, if each output is rounded at random to
 * one of its two neighbours with the same mean. This adds at most a quarter of a squared unit to the variance.
 */
export class UnbiasedProgramme {
  readonly rightHandSide: readonly bigint[];
  readonly start: readonly Pattern[];
  /** What the likelihoods of each input sum to. */
  readonly certainty: bigint;
  private readonly least: Rational;
  /** The grid's unit is 1/scale. */
  private readonly scale: bigint;
  /** The truth of each input in units of the grid, from the least value. */
  private readonly truths: readonly bigint[];
  private readonly weights: readonly bigint[];
  /** The two levels, q and 1, times their common denominator. */
  private readonly low: bigint;
  private readonly high: bigint;
  /** The sum of the levels of randomized response: one is high. */
  private readonly response: bigint;
  /** The outputs of unbiased randomized response, rounded down. */
  private readonly floors: readonly bigint[];
  /** The price of the last pattern offered, or of the one that was not worth it. */
  private lastPrice = { price: 0n, denominator: 1n };

  constructor(support: readonly Rational[], prior: readonly Rational[], q: Rational) {
    this.low = q.numerator;
    this.high = q.denominator;
    this.weights = likelyAtAll(overCommonDenominator(prior).numerators);
    this.least = support.reduce((a, b) => (a.compare(b) < 0n ? a : b));
    const { numerators, denominator } = overCommonDenominator(
      support.map((value) => value.minus(this.least)),
    );
    const range = numerators.reduce((a, b) => (a > b ? a : b));
    const bits = GRID_BITS + (bitLength(this.high) - bitLength(this.low)) / 2;
    const finer = range === 0n ? 1n : (1n << BigInt(Math.ceil(bits))) / range + 1n;
    this.scale = denominator * finer;
    this.truths = numerators.map((value) => value * finer);

    // Randomized response outputs y_i with probability 1/(1 + (k − 1)·q) if it is the truth, else q times that. It becomes unbiased with
    // ((1 + (k − 1)·q)·y_i − q·Σ y)/(1 − q) in place of y_i. Rounded at random to its two neighbours on the grid, it is the first solution.
    const unit = this.high - this.low;
    this.response = this.high + BigInt(support.length - 1) * this.low;
    this.certainty = this.response * unit;
    const total = this.truths.reduce((a, b) => a + b, 0n);
    const outputs = this.truths.map((truth) => this.response * truth - this.low * total);
    this.floors = outputs.map((output) => floorDivide(output, unit));
    this.rightHandSide = outputs.flatMap((output, input) => {
      const above = output - (this.floors[input] ?? 0n) * unit;
      return [unit - above, above];
    });
    this.start = this.floors.flatMap((floor, input) =>
      [floor, floor + 1n].map((output, place) => {
        const levels = this.truths.map((_, other) => (other === input ? this.high : this.low));
        const entries = this.rightHandSide.map((_, row) => (row === 2 * input + place ? 1n : 0n));
        return { output, levels, entries, cost: this.cost(output, levels) };
      }),
    );
  }

  valueOf(output: bigint): Rational {
    return Rational.fraction(output, this.scale).plus(this.least);
  }

  /** How far the variance can be above the least possible with real outputs, once nothing is offered any more. */
  get gap(): Rational {
    const { price, denominator } = this.lastPrice;
    const total = this.weights.reduce((a, b) => a + b, 0n);
    const gain = Rational.fraction(-price, this.low * denominator * this.certainty * total);
    return gain.plus(Rational.fraction(1n, 4n)).over(Rational.of(this.scale * this.scale));
  }

  /** The pattern with the lowest price; null if the variance cannot fall by more than the tolerance. */
  offer({ rows, cost, denominator }: Prices): Pattern | null {
    const { output, price, levels } = this.cheapest(this.unitPrices(rows, denominator));
    this.lastPrice = { price: price < 0n ? price : 0n, denominator };
    // Likelihoods of at least `low` sum to `certainty`: there are at most certainty/low patterns, and each gains at most the lowest price.
    if (-price << TOLERANCE_BITS <= cost * this.low) return null;
    return this.column(output, levels);
  }

  /** For each input: the price per unit of likelihood of an output, times `certainty` and the denominator. */
  private unitPrices(rows: readonly bigint[], denominator: bigint): readonly Quadratic[] {
    const earned = this.floors.map((floor, input) => {
      const [atFloor, above] = [rows[2 * input] ?? 0n, rows[2 * input + 1] ?? 0n];
      return { b: above - atFloor, c: atFloor * (floor + 1n) - above * floor };
    });
    const [b, c] = [earned.reduce((sum, { b }) => sum + b, 0n), earned.reduce((sum, { c }) => sum + c, 0n)];
    return earned.map((own, input) => {
      const a = (this.weights[input] ?? 0n) * this.certainty * denominator;
      const truth = this.truths[input] ?? 0n;
      return {
        a,
        b: -2n * a * truth - (this.response * own.b - this.low * b),
        c: a * truth * truth - (this.response * own.c - this.low * c),
      };
    });
  }

  /** An input gets the high level where its price is negative. Sweeps over the outputs at which a level changes. */
  private cheapest(
    prices: readonly Quadratic[],
  ): Pick<Pattern, 'output' | 'levels'> & { readonly price: bigint } {
    const changes = prices
      .flatMap((own, input) => negativeBetween(own).map((from, index) => ({ from, input, up: index === 0 })))
      .sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : 0));
    const levels = prices.map(() => this.low);
    let sum = prices.reduce((total, own) => plus(total, own, this.low), { a: 0n, b: 0n, c: 0n });
    let best = { ...lowestPoint(sum), levels: [...levels] };
    for (const { input, up } of changes) {
      levels[input] = up ? this.high : this.low;
      const step = this.high - this.low;
      sum = plus(sum, prices[input] ?? sum, up ? step : -step);
      const point = lowestPoint(sum);
      if (point.price < best.price) best = { ...point, levels: [...levels] };
    }
    return best;
  }

  private column(output: bigint, levels: readonly bigint[]): Pattern {
    const total = levels.reduce((a, b) => a + b, 0n);
    return {
      output,
      levels: levels.map((level) => level * this.certainty),
      entries: levels.flatMap((level, input) => {
        const share = this.response * level - this.low * total;
        const above = output - (this.floors[input] ?? 0n);
        return [share * (1n - above), share * above];
      }),
      cost: this.cost(output, levels) * this.certainty,
    };
  }

  private cost(output: bigint, levels: readonly bigint[]): bigint {
    return levels.reduce(
      (sum, level, input) =>
        sum + level * (this.weights[input] ?? 0n) * (output - (this.truths[input] ?? 0n)) ** 2n,
      0n,
    );
  }
}

/** A value of prior 0 counts by 2^−32 of the smallest unit. Otherwise its outputs would have no bound. */
const likelyAtAll = (weights: readonly bigint[]): readonly bigint[] =>
  weights.includes(0n) ? weights.map((weight) => (weight === 0n ? 1n : weight << 32n)) : weights;

const bitLength = (positive: bigint): number => positive.toString(2).length;

const plus = (sum: Quadratic, { a, b, c }: Quadratic, times: bigint): Quadratic => ({
  a: sum.a + times * a,
  b: sum.b + times * b,
  c: sum.c + times * c,
});

const at = ({ a, b, c }: Quadratic, y: bigint): bigint => (a * y + b) * y + c;

/** The least value at a whole number. */
function lowestPoint(quadratic: Quadratic): { readonly output: bigint; readonly price: bigint } {
  const output = floorDivide(quadratic.a - quadratic.b, 2n * quadratic.a);
  return { output, price: at(quadratic, output) };
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
  const first = at(quadratic, low) < 0n ? low : low + 1n;
  const end = at(quadratic, high) < 0n ? high + 1n : high;
  return first < end ? [first, end] : [];
}

/** Rounded down, by Newton's method. */
function squareRoot(positive: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(bitLength(positive) / 2));
  for (;;) {
    const next = (root + positive / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
