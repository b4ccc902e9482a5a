/** In bits: a floating-point number has so many digits. */
const DIGITS = 53;
/** In bits: numbers with random digits seem to have lost some with a probability of at most 2⁻⁴⁰. Others, such as whole seconds in nanoseconds, need not have. */
const EVIDENCE = 40;
const LARGE = 2n ** BigInt(DIGITS);

/** Whether whole numbers have only digits that a floating-point number can hold, although they are large. */
export class RoundedNumbers {
  private areAll = true;
  /** How many zeros they have where others have digits. */
  private zeros = 0;
  private readonly seen = new Set<bigint>();

  see(number: bigint): void {
    if (!this.areAll || number < LARGE) return;
    if (!isRounded(number)) this.areAll = false;
    else if (this.zeros < EVIDENCE && !this.seen.has(number)) {
      this.seen.add(number);
      this.zeros += number.toString(2).length - DIGITS;
    }
  }

  get areRounded(): boolean {
    return this.areAll && this.zeros >= EVIDENCE;
  }
}

export const isRounded = (number: bigint): boolean => roundingsOf(number).includes(number);

/** Programs write such a number with all its digits, or with as few as identify it and zeros. */
export const roundingsOf = (number: bigint): readonly bigint[] => [
  BigInt(Number(number)),
  BigInt(String(Number(number))),
];
