import { createHash } from 'node:crypto';

/**
 * A set of users that takes 16 to 32 bytes each: 64-bit hashes in a table that is at most half full. Among n users two have the same hash
 * with probability of about n²/2⁶⁵, or 3 in a million for ten million users.
 */
export class SeenUsers {
  private table = new BigUint64Array(1 << 10);
  private size = 0;

  /** @returns whether the user is new. */
  add(user: string): boolean {
    const hash = createHash('sha1').update(user).digest().readBigUInt64LE();
    // 0 marks a free slot.
    const isNew = this.insert(hash === 0n ? 1n : hash);
    if (isNew && ++this.size * 2 > this.table.length) this.grow();
    return isNew;
  }

  private insert(hash: bigint): boolean {
    const mask = this.table.length - 1;
    for (let place = Number(BigInt.asUintN(32, hash)) & mask; ; place = (place + 1) & mask) {
      const found = this.table[place];
      if (found === hash) return false;
      if (found !== 0n) continue;
      this.table[place] = hash;
      return true;
    }
  }

  private grow(): void {
    const before = this.table;
    this.table = new BigUint64Array(before.length * 2);
    for (const hash of before) if (hash !== 0n) this.insert(hash);
  }
}
