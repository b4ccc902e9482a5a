/** What a mapping made of a log, for a person to check before they believe any result. */
export class LogProfile {
  /** Sites that were made from columns. */
  readonly sites = new Set<string>();
  private readonly counts: number[];
  private first = Infinity;
  private last = -Infinity;

  /** @param events how many events the mapping has. */
  constructor(events: number) {
    this.counts = new Array<number>(events).fill(0);
  }

  /** @param index of the event in the mapping @param time in milliseconds */
  add(index: number, time: number): void {
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
  }

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  /** @param rows how many were read @param iso a time as a text */
  text(rows: number, iso: (time: number) => string): string {
    const events = this.counts.map((count, index) => `events[${index}] ${count}`).join(', ');
    const days = Number(((this.last - this.first) / 86_400_000).toPrecision(3));
    const names = [...this.sites].slice(0, 3).join(', ');
    return [
      `${rows} rows made ${events}`,
      ...(this.isEmpty ? [] : [`from ${iso(this.first)} to ${iso(this.last)} (${days} days)`]),
      ...(this.sites.size === 0
        ? []
        : [`${this.sites.size} sites from columns: ${names}${this.sites.size > 3 ? ', …' : ''}`]),
    ].join('; ');
  }
}
