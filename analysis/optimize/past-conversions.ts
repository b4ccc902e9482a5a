import { days } from '../../src/model/units';

/** The longest expiry in seconds: later conversions are not reported. */
export const LAST_SECOND = days(30) / 1000;

/** Collects past sources one by one. Memory grows with the number of different values and delays. */
export class PastConversions {
  /** How often each sum of values occurred. */
  readonly values = new Map<number, number>();
  /** How often each delay of a conversion occurred, in whole seconds rounded down. */
  readonly delays = new Map<number, number>();
  sources = 0;
  /** Conversions after the longest expiry; they do not count as conversions. */
  late = 0;

  /**
   * @param value the sum of a source's conversions; 0 without one.
   * @param delay seconds from the source to its conversion, if known.
   */
  add(value: number, delay: number | null): void {
    const tooLate = value > 0 && delay !== null && delay >= LAST_SECOND;
    this.sources += 1;
    if (tooLate) this.late += 1;
    count(this.values, tooLate ? 0 : value);
    if (value > 0 && delay !== null && !tooLate) count(this.delays, Math.floor(delay));
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
