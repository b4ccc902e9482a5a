import { isRounded, roundingsOf } from '../../../formats/csv/rounded-numbers';

/** Ids of further reports are not kept: so many of them stand for the others. */
const MOST_KEPT = 100_000;

/** Finds source event ids that went through a floating-point number in one of two logs: they match no id of the other, except by chance. */
export class LostDigits {
  /** How many reports have the rounded id of a source in the log. */
  private toRounded = 0;
  /** How many reports have an id that may be rounded, and how many of these have an id that is kept. */
  private rounded = 0;
  private kept = 0;
  /** How many reports have each. */
  private readonly reports = new Map<string, number>();

  /** @param most ids to keep; given in tests */
  constructor(private readonly most = MOST_KEPT) {}

  /**
   * @param id of a report whose source is not in the log
   * @param keyOf what the log would know a source by that has the same origin and destination, and this id
   * @param isSource whether the log has such a source
   */
  seeUnknown(id: bigint, keyOf: (id: bigint) => string, isSource: (id: bigint) => boolean): void {
    if (!isRounded(id)) {
      if (roundingsOf(id).some(isSource)) this.toRounded += 1;
      return;
    }
    this.rounded += 1;
    const key = keyOf(id);
    const known = this.reports.get(key) ?? (this.reports.size < this.most ? 0 : null);
    if (known === null) return;
    this.kept += 1;
    this.reports.set(key, known + 1);
  }

  /**
   * Many servers make ids that no rounding changes, such as times with zeros. So only those count that a source of the log would get by it.
   * @param reports how many were read, without repetitions
   * @param sources gives the log's ids, each with the function for its origin and destination
   * @returns the log whose ids lost digits; null if that explains at most half of the reports.
   */
  of(
    reports: number,
    sources: () => Iterable<readonly [id: bigint, keyOf: (id: bigint) => string]>,
  ): 'sources' | 'reports' | null {
    if (2 * this.toRounded > reports) return 'sources';
    if (2 * this.rounded <= reports) return null;
    const lost = new Set<string>();
    for (const [id, keyOf] of sources())
      if (!isRounded(id))
        for (const key of roundingsOf(id).map(keyOf)) if (this.reports.has(key)) lost.add(key);
    const found = [...lost].reduce((sum, key) => sum + (this.reports.get(key) ?? 0), 0);
    return 2 * this.rounded * (found / this.kept) > reports ? 'reports' : null;
  }
}
