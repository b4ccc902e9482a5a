import { bernoulli } from '../../../src/privacy/bernoulli';
import { randomBits, randomUuid, shuffle, uniformBelow } from '../../../src/privacy/uniform';
import type { RealBounds } from '../../../src/privacy/real-bounds';
import { OutOfWords, ScriptedSource } from '../helpers/random';

const MAX_WORD = 2n ** 64n - 1n;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('uniformBelow', () => {
  test.each(range(17).slice(1))('below %s takes every value from equally many words', (bound) => {
    const words = 2n ** BigInt((BigInt(bound) - 1n).toString(2).length);
    const marker = BigInt(bound) - 1n;
    const counts = range(bound).map(() => 0);
    let rejected = 0;
    for (let word = 0n; word < words; word++) {
      const source = new ScriptedSource([word, marker]);
      const value = Number(uniformBelow(source, BigInt(bound)));
      if (source.used === 1) counts[value] = (counts[value] ?? 0) + 1;
      else {
        // A word past the bound is thrown away as a whole, and the next one decides.
        rejected += 1;
        expect(value).toBe(bound - 1);
      }
    }
    expect(counts).toEqual(range(bound).map(() => 1));
    expect(rejected).toBe(Number(words) - bound);
  });

  test('looks at the low bits of a word only', () => {
    expect(uniformBelow(new ScriptedSource([MAX_WORD - 3n]), 6n)).toBe(4n);
  });

  test('takes two words for a bound past 2^64, the first on top', () => {
    const bound = 2n ** 64n + 3n;
    expect(uniformBelow(new ScriptedSource([0n, 7n]), bound)).toBe(7n);
    expect(uniformBelow(new ScriptedSource([1n, 2n]), bound)).toBe(2n ** 64n + 2n);
    const rejecting = new ScriptedSource([1n, 3n, 2n, 5n]);
    expect(uniformBelow(rejecting, bound)).toBe(5n);
    expect(rejecting.used).toBe(4);
  });

  test('takes one word for a bound of exactly 2^64', () => {
    const source = new ScriptedSource([MAX_WORD]);
    expect(uniformBelow(source, 2n ** 64n)).toBe(MAX_WORD);
    expect(source.used).toBe(1);
  });

  test.each([0n, -1n])('refuses the bound %s', (bound) => {
    expect(() => uniformBelow(new ScriptedSource([]), bound)).toThrow(
      new RangeError(`bound must be positive, was ${String(bound)}`),
    );
  });
});

test('randomBits puts words one after the other and keeps the low bits of the whole', () => {
  expect(randomBits(new ScriptedSource([5n, 6n]), 128)).toBe((5n << 64n) | 6n);
  expect(randomBits(new ScriptedSource([MAX_WORD, 6n]), 65)).toBe((1n << 64n) | 6n);
  expect(randomBits(new ScriptedSource([]), 0)).toBe(0n);
});

describe('bernoulli', () => {
  const third: RealBounds = (bits) => {
    const lower = 2n ** BigInt(bits) / 3n;
    return { lower, upper: lower + 1n };
  };
  const exactly =
    (numerator: bigint, halvings: number): RealBounds =>
    (bits) => {
      const value = numerator << BigInt(bits - halvings);
      return { lower: value, upper: value };
    };
  // 1/3 is 0.010101… in binary: the one word on which the first 64 bits do not decide.
  const boundary = 0x5555555555555555n;

  test.each([
    ['below the boundary', [boundary - 1n], true],
    ['above the boundary', [boundary + 1n], false],
    ['on the boundary, then below', [boundary, boundary - 1n], true],
    ['on the boundary, then above', [boundary, boundary + 1n], false],
    ['on the boundary twice, then at the bottom', [boundary, boundary, 0n], true],
    ['on the boundary twice, then at the top', [boundary, boundary, MAX_WORD], false],
  ])('of 1/3 draws as many words as it takes: %s', (_name, words, outcome) => {
    const source = new ScriptedSource(words);
    expect(bernoulli(source, third)).toBe(outcome);
    expect(source.used).toBe(words.length);
  });

  test('of 1/3 decides nothing while every word is on the boundary', () => {
    const source = new ScriptedSource(range(20).map(() => boundary));
    expect(() => bernoulli(source, third)).toThrow(OutOfWords);
    expect(source.used).toBe(20);
  });

  test.each([
    ['1/2', exactly(1n, 1), 2n ** 63n],
    ['3/4', exactly(3n, 2), 3n * 2n ** 62n],
    ['0', exactly(0n, 0), 0n],
    ['2^-64', exactly(1n, 64), 1n],
  ])('of %s is true for exactly that share of words, without a second one', (_name, x, share) => {
    const draw = (word: bigint): boolean => bernoulli(new ScriptedSource([word]), x);
    if (share > 0n) expect(draw(share - 1n)).toBe(true);
    expect(draw(share)).toBe(false);
    expect(draw(MAX_WORD)).toBe(false);
  });

  test('of 1 is true even for the largest word', () => {
    expect(bernoulli(new ScriptedSource([MAX_WORD]), exactly(1n, 0))).toBe(true);
  });
});

describe('shuffle', () => {
  test('makes each order of three items from one way to draw', () => {
    const orders = range(3).flatMap((first) =>
      range(2).map((second) =>
        shuffle(new ScriptedSource([BigInt(first), BigInt(second), 0n]), ['a', 'b', 'c']).join(''),
      ),
    );
    expect(orders.sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  });

  test('leaves the list it was given alone', () => {
    const items = [1, 2, 3];
    shuffle(new ScriptedSource([2n, 1n, 0n]), items);
    expect(items).toEqual([1, 2, 3]);
    expect(shuffle(new ScriptedSource([]), [])).toEqual([]);
  });
});

describe('randomUuid', () => {
  const fixedBits = [48, 49, 50, 51, 64, 65]; // the version and variant of RFC 9562, from the left

  test('is a version 4 UUID at both ends of the range', () => {
    expect(randomUuid(new ScriptedSource([0n, 0n]))).toBe('00000000-0000-4000-8000-000000000000');
    expect(randomUuid(new ScriptedSource([MAX_WORD, MAX_WORD]))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  });

  test.each(range(128))('passes bit %s on, unless the format fixes it', (bit) => {
    const value = 1n << BigInt(127 - bit);
    const uuid = randomUuid(new ScriptedSource([value >> 64n, value & MAX_WORD]));
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const fixed = BigInt('0x00000000000040008000000000000000');
    const expected = fixedBits.includes(bit) ? fixed : fixed | value;
    expect(BigInt(`0x${uuid.replaceAll('-', '')}`)).toBe(expected);
  });
});
