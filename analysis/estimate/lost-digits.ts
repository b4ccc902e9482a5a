/** In bits: a floating-point number has so many digits. */
const DIGITS = 53;
/** In bits: ids that kept their digits seem to have lost them with a probability of at most 2⁻⁴⁰. */
const EVIDENCE = 40;
const LARGE = 2n ** BigInt(DIGITS);

/** Whole numbers of which each has only digits that a floating-point number can hold, although they are large. */
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

/** Finds source event ids that went through a floating-point number in one of two logs: they match no id of the other, except by chance. */
export class LostDigits {
  /** Whether the source log has an id that no such number can hold. */
  private hasWholeSource = false;
  private readonly reports = new RoundedNumbers();
  private toRounded = 0;

  seeSource(id: bigint): void {
    this.hasWholeSource ||= !isRounded(id);
  }

  /**
   * @param id of a report whose source is not in the log
   * @param isSource whether a source with the same origin and destination has this id
   */
  seeUnknown(id: bigint, isSource: (id: bigint) => boolean): void {
    this.reports.see(id);
    if (!isRounded(id) && roundingsOf(id).some(isSource)) this.toRounded += 1;
  }

  /** @param reports how many were read. @returns the log whose ids lost digits; null if that explains less than half of the reports. */
  of({ read, unknown }: { readonly read: number; readonly unknown: number }): 'sources' | 'reports' | null {
    if (2 * this.toRounded > read) return 'sources';
    return this.hasWholeSource && this.reports.areRounded && 2 * unknown > read ? 'reports' : null;
  }
}

const isRounded = (id: bigint): boolean => roundingsOf(id).includes(id);

/** Programs write such a number with all its digits, or with as few as identify it and zeros. */
const roundingsOf = (id: bigint): readonly bigint[] => [BigInt(Number(id)), BigInt(String(Number(id)))];
