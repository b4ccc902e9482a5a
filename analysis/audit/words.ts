import type { RandomSource } from '../../src/privacy/random-source';

/** A source of decisions whose words are all different, and that knows which random ids can be made of them. */
export interface Words extends RandomSource {
  /**
   * An id as an observer sees it: which ids are the same, and nothing else of those that are as random as they should be. All others are
   * returned as they are.
   */
  readonly seen: (id: string) => string;
}

/** @param random takes the decisions, or draws if it cannot */
export function wordsBeside(random: RandomSource): Words {
  const { decide } = random;
  let last: bigint | null = null;
  let count = 0n;
  // Odd multiples modulo 2^64 are all different.
  const next = (): bigint =>
    decide === undefined ? random.uint64() : BigInt.asUintN(64, ++count * 0x9e37_79b9_7f4a_7c15n);
  const fresh = new Set<string>();
  const numbers = new Map<string, number>();
  return {
    ...(decide === undefined ? {} : { decide }),
    uint64() {
      const word = next();
      if (last !== null) fresh.add(uuidOf(last, word));
      last = word;
      return word;
    },
    seen(id) {
      if (!fresh.has(id)) return id;
      const number = numbers.get(id) ?? numbers.size + 1;
      numbers.set(id, number);
      return `random id ${number}`;
    },
  };
}

/** RFC 9562, 5.4: a version 4 UUID of 128 bits. */
function uuidOf(first: bigint, second: bigint): string {
  const high = (first & ~0xf000n) | 0x4000n;
  const low = (second & ~(3n << 62n)) | (2n << 62n);
  const digits = ((high << 64n) | low).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
