import { LIKE_SECONDS } from '../../formats/codec/time';

const YEAR_1971 = 31_536_000_000;
const YEAR_2100 = 4_102_444_800_000;

/** Whether all these times, in milliseconds, look like seconds. */
export const areLikeSeconds = (first: number, last: number): boolean =>
  first >= LIKE_SECONDS[0] && last <= LIKE_SECONDS[1];

const ANY_ORIGIN = 'write "relative": true if the times count from another moment than 1970';

/** What a mapping made of a log, for a person to check before they believe any result. */
export class LogProfile {
  /** Sites that were made from columns. */
  readonly sites = new Set<string>();
  private readonly counts: number[];
  private withoutId = 0;
  private first = Infinity;
  private last = -Infinity;

  /** @param events how many events the mapping has. */
  constructor(events: number) {
    this.counts = new Array<number>(events).fill(0);
  }

  /** @param index of the event in the mapping @param time in milliseconds @param lacksId whether the map names a column for its id, which is empty */
  add(index: number, time: number, lacksId = false): void {
    if (lacksId) this.withoutId += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
  }

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  /**
   * Why the times are doubtful if they count from 1970; null: they are not. Numbers near 0 count from another moment, as in many data sets, so only
   * dates are doubtful there.
   */
  doubt(unit: string, iso: (time: number) => string): string | null {
    if (this.isEmpty) return null;
    if (unit === 'milliseconds' && areLikeSeconds(this.first, this.last))
      return `unit: must be that of the times, was "milliseconds"; times such as ${this.first} look like seconds since 1970 (write "unit": "seconds"; ${ANY_ORIGIN})`;
    if (unit === 'iso' && this.last < YEAR_1971)
      return `all times are in 1970, such as ${iso(this.first)}; expected when the events happened (a program that writes dates has read the numbers in another unit; ${ANY_ORIGIN})`;
    return this.first > YEAR_2100
      ? `unit: must be that of the times, was ${JSON.stringify(unit)}; the first one would be ${iso(this.first)} (${ANY_ORIGIN})`
      : null;
  }

  /** @param rows how many were read @param iso a time as a text */
  text(rows: number, iso: (time: number) => string): string {
    const events = this.counts.map((count, index) => `events[${index}] ${count}`).join(', ');
    const days = Number(((this.last - this.first) / 86_400_000).toPrecision(3));
    const names = [...this.sites].slice(0, 3).join(', ');
    return [
      `${rows} rows made ${events}`,
      ...(this.isEmpty ? [] : [`from ${iso(this.first)} to ${iso(this.last)} (${days} days)`]),
      ...(this.withoutId === 0 ? [] : [`${this.withoutId} events without the id in "once", so each counts`]),
      ...(this.sites.size === 0
        ? []
        : [
            `${this.sites.size} ${this.sites.size === 1 ? 'site' : 'sites'} from columns: ${names}${this.sites.size > 3 ? ', …' : ''}`,
          ]),
    ].join('; ');
  }
}
