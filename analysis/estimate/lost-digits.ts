import { isRounded, RoundedNumbers, roundingsOf } from '../../formats/csv/rounded-numbers';

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
