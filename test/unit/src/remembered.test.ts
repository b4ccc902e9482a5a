import fc from 'fast-check';
import { Memory } from '../../../src/model/remembered';
import { epsilon, type Epsilon } from '../../../src/model/units';
import { Caches } from '../../../src/work';

const LENGTH = 10;
const textOf = (index: number): string => String(index).padStart(LENGTH, '0');

/** Looks texts up as they come, and computes those that are not kept. @returns the share that was kept, after the first half. */
function share(memory: Memory<number>, texts: readonly number[]): number {
  let found = 0;
  texts.forEach((index, place) => {
    if (memory.get(textOf(index)) === index) found += place < texts.length / 2 ? 0 : 1;
    else memory.put(textOf(index), index);
  });
  return found / (texts.length / 2);
}

const inTurn = (count: number): readonly number[] =>
  Array.from({ length: count * 20 }, (_, place) => place % count);

test.each([
  [0.5, 1],
  [1, 1],
  [1.1, 0.75],
  [2, 0.4],
  [3, 0.25],
  [10, 0.03],
])(
  'of texts that come in turn, %d times as many as there is room for, the share %d is kept',
  (times, least) => {
    const room = 1000;
    expect(share(new Memory({ mostCharacters: room * LENGTH }), inTurn(times * room))).toBeGreaterThanOrEqual(
      least,
    );
  },
);

test('what is no longer asked for makes room', () => {
  const memory = new Memory<number>({ mostCharacters: 1000 * LENGTH });
  share(memory, inTurn(1000));
  const later = Array.from({ length: 50_000 }, (_, place) => 1000 + (place % 1000));
  expect(share(memory, later)).toBeGreaterThan(0.85);
});

test('what is kept is what was last put in, and no more than there is room for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ maxLength: 12 }), fc.nat()), { maxLength: 200 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 20 }),
      (puts, most, mostTexts) => {
        const memory = new Memory<number>({ longest: 10, mostCharacters: most, mostTexts });
        const last = new Map<string, number>();
        for (const [text, value] of puts) {
          memory.put(text, value);
          last.set(text, value);
        }
        let [characters, texts] = [0, 0];
        for (const [text, value] of last) {
          const kept = memory.get(text);
          if (kept === undefined) continue;
          expect(kept).toBe(value);
          expect(text.length).toBeLessThanOrEqual(10);
          characters += text.length;
          texts += 1;
        }
        expect(characters).toBeLessThanOrEqual(most);
        expect(texts).toBeLessThanOrEqual(mostTexts);
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

const { responseOf, mechanismOf } = new Caches();
test.each([
  ['randomized responses', 2000, (one: Epsilon): unknown => responseOf(3n, one)],
  [
    'mechanisms',
    100,
    (one: Epsilon): unknown => mechanismOf({ kind: 'rr-with-prior', prior: [0.5, 0.5] }, one),
  ],
])('of the %s for 5,000 ε that sites chose, at most %d are kept', (_name, most, resultFor) => {
  const epsilons = Array.from({ length: 5000 }, (_, index) => epsilon(1 + index / 1000));
  const results = epsilons.map(resultFor);
  // The last first: the longer ago one was asked for, the sooner what is computed now takes its place.
  const asked = epsilons.map((one, index) => [one, results[index]] as const).reverse();
  const kept = asked.filter(([one, result]) => resultFor(one) === result).length;
  expect(kept).toBeLessThanOrEqual(most);
  expect(kept).toBeGreaterThan(most / 4);
});
