import { hash } from 'node:crypto';

/** 64 bits of a name's SHA-1, never 0. */
export function nameHash(name: string): bigint {
  const found = hash('sha1', name, 'buffer').readBigUInt64LE();
  // 0 marks a free slot.
  return found === 0n ? 1n : found;
}

/**
 * Numbers names in the order of their first occurrence, from 0. A name takes 24 to 48 bytes: 64-bit hashes in a table that is at most
 * half full. Among n names, two have the same hash with probability of about n²/2⁶⁵, or 3 in a million for ten million names.
 */
export class NameNumbers {
  private hashes = new BigUint64Array(1 << 10);
  private numbers = new Int32Array(1 << 10);
  /** The number of different names so far. */
  size = 0;

  of(name: string): number {
    return this.ofHash(nameHash(name));
  }

  ofHash(hash: bigint): number {
    const place = this.placeOf(hash);
    if (this.hashes[place] !== 0n) return this.numbers[place] ?? 0;
    const number = this.size++;
    this.put(place, hash, number);
    return number;
  }

  /** The slot of the hash, or the free slot for it. */
  private placeOf(hash: bigint): number {
    const mask = this.hashes.length - 1;
    let place = Number(BigInt.asUintN(32, hash)) & mask;
    while (this.hashes[place] !== 0n && this.hashes[place] !== hash) place = (place + 1) & mask;
    return place;
  }

  private put(place: number, hash: bigint, number: number): void {
    this.hashes[place] = hash;
    this.numbers[place] = number;
    if (this.size * 2 > this.hashes.length) this.grow();
  }

  private grow(): void {
    const { hashes, numbers } = this;
    this.hashes = new BigUint64Array(hashes.length * 2);
    this.numbers = new Int32Array(numbers.length * 2);
    hashes.forEach((hash, before) => {
      if (hash === 0n) return;
      const place = this.placeOf(hash);
      this.hashes[place] = hash;
      this.numbers[place] = numbers[before] ?? 0;
    });
  }
}
