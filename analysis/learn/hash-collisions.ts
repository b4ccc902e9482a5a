/** Counts the rows whose value shares its bucket of a hash with another value: no model can tell them apart. */
export class HashCollisions {
  private readonly rows: Uint32Array;
  /** A second hash of the first value of each bucket. */
  private readonly firsts: Uint32Array;
  private readonly isShared: Uint8Array;

  constructor(buckets: number) {
    this.rows = new Uint32Array(buckets);
    this.firsts = new Uint32Array(buckets);
    this.isShared = new Uint8Array(buckets);
  }

  /** @param fingerprint another hash of the value: two values have the same one once in 2³² pairs */
  add(bucket: number, fingerprint: number): void {
    const before = this.rows[bucket] ?? 0;
    if (before === 0) this.firsts[bucket] = fingerprint;
    else if (this.firsts[bucket] !== fingerprint) this.isShared[bucket] = 1;
    this.rows[bucket] = before + 1;
  }

  /** The share of all rows. */
  share(): number {
    let [all, shared] = [0, 0];
    this.rows.forEach((count, bucket) => {
      all += count;
      if (this.isShared[bucket] === 1) shared += count;
    });
    return all === 0 ? 0 : shared / all;
  }
}
