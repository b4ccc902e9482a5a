import { days } from '../../src/model/units';

/** A conversion that comes later than this after its source, in seconds, can be in no report: the longest expiry. */
export const LAST_SECOND = days(30) / 1000;

/** Past sources, added one by one; memory grows with how many different values and delays there are. */
export class PastConversions {
  /** How often each sum of values was. */
  readonly values = new Map<number, number>();
  /** How often each delay of a conversion was, in whole seconds rounded down. */
  readonly delays = new Map<number, number>();
  sources = 0;
  /** Conversions that came too late; they count as none. */
  late = 0;

  /**
   * @param value what a source's conversions added up to; 0 without one.
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
