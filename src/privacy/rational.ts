/** An exact number: a Rational, a whole number, a decimal ("0.1", "2.5e-3"), a fraction ("1/3"), or a double. */
export type Exact = Rational | bigint | number | string;

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;
/** In characters. A longer number takes more than linear time to be read, and nothing needs its digits. */
const LONGEST = 1000;
const FRACTION = /^([+-]?\d+)\/(\d+)$/;

/** A fraction in lowest terms with a positive denominator. */
export class Rational {
  static readonly ZERO = new Rational(0n, 1n);
  static readonly ONE = new Rational(1n, 1n);

  private constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** @throws RangeError if the denominator is 0. */
  static fraction(numerator: bigint, denominator: bigint): Rational {
    if (denominator === 0n) throw new RangeError('a fraction needs a denominator other than 0');
    const divisor = gcd(numerator, denominator);
    const sign = denominator < 0n ? -1n : 1n;
    return new Rational((sign * numerator) / divisor, (sign * denominator) / divisor);
  }

  /** The number as written, or null unless it is finite and has at most 1,000 characters. A double stands for the decimal it prints as: 0.1 is a tenth. */
  static parse(value: Exact): Rational | null {
    if (value instanceof Rational) return value;
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return new Rational(BigInt(value), 1n);
    const text = String(value).trim();
    if (text.length > LONGEST) return null;
    const [, over, under] = FRACTION.exec(text) ?? [];
    if (over !== undefined && under !== undefined)
      return BigInt(under) === 0n ? null : Rational.fraction(BigInt(over), BigInt(under));
    const [, sign = '', whole = '', decimals = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
    if (whole + decimals === '') return null;
    const digits = BigInt(`${sign === '-' ? '-' : ''}1`) * BigInt(whole + decimals);
    const power = BigInt(exponent) - BigInt(decimals.length);
    return power >= 0n ? new Rational(digits * 10n ** power, 1n) : Rational.fraction(digits, 10n ** -power);
  }

  /** @throws RangeError unless the number is finite. */
  static of(value: Exact): Rational {
    const parsed = Rational.parse(value);
    if (parsed === null) throw new RangeError(`must be a finite number, was ${String(value)}`);
    return parsed;
  }

  /** The fraction over a power of two that the double is: not its decimal, as with `of`. @throws RangeError unless it is finite. */
  static double(value: number): Rational {
    if (!Number.isFinite(value)) throw new RangeError(`must be a finite number, was ${value}`);
    let [numerator, denominator] = [value, 1n];
    for (; !Number.isInteger(numerator); denominator *= 2n) numerator *= 2;
    return Rational.fraction(BigInt(numerator), denominator);
  }

  /** The sum. */
  plus(other: Rational): Rational {
    return Rational.fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  /** The difference. */
  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.numerator, other.denominator));
  }

  /** The product. */
  times(other: Rational): Rational {
    return Rational.fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  /** @throws RangeError if `other` is 0. */
  over(other: Rational): Rational {
    return Rational.fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  get sign(): bigint {
    return this.numerator;
  }

  /** Below 0, 0 or above 0, as this number is less than, equal to or greater than the other. */
  compare(other: Rational): bigint {
    return this.numerator * other.denominator - other.numerator * this.denominator;
  }

  /** Whether both are the same number. */
  equals(other: Rational): boolean {
    return this.compare(other) === 0n;
  }

  /** The nearest double: for display, never for decisions. */
  toNumber(): number {
    const negative = this.numerator < 0n;
    const size = negative ? -this.numerator : this.numerator;
    // At least 64 bits of the quotient. The last bit is set if there is a remainder, so that it is rounded only once.
    const shift = Math.max(0, 64 + bitLength(this.denominator) - bitLength(size));
    const scaled = size << BigInt(shift);
    const quotient = scaled / this.denominator;
    const rounded = Number(scaled % this.denominator === 0n ? quotient : quotient | 1n);
    // In two steps: 2^−shift alone can be too small for a double.
    const half = Math.floor(shift / 2);
    const value = rounded / 2 ** half / 2 ** (shift - half);
    return negative ? -value : value;
  }

  /** As a whole number or a fraction, which `of` reads. */
  toString(): string {
    return [this.numerator, ...(this.denominator === 1n ? [] : [this.denominator])].join('/');
  }
}

/** The numbers as whole multiples of 1/denominator, with the least common denominator. */
export function overCommonDenominator(numbers: readonly Rational[]): {
  readonly numerators: readonly bigint[];
  readonly denominator: bigint;
} {
  const denominator = numbers.reduce((common, { denominator: own }) => (common / gcd(common, own)) * own, 1n);
  return {
    numerators: numbers.map((number) => number.numerator * (denominator / number.denominator)),
    denominator,
  };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

const bitLength = (positive: bigint): number => positive.toString(2).length;

export const sum = (numbers: readonly Rational[]): Rational =>
  numbers.reduce((total, number) => total.plus(number), Rational.ZERO);
