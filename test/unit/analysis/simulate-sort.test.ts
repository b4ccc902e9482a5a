import fc from 'fast-check';
import { NameNumbers } from '../../../cli/io/name-numbers';
import type { RawLine } from '../../../cli/simulate/lines';
import { sorted } from '../../../cli/simulate/sort';

const lineOf = ([user, time]: readonly [string, number], sequence: number): RawLine => ({
  user,
  time,
  place: `line ${sequence}`,
  sequence,
  once: null,
  text: JSON.stringify({ user, time }),
});

// oxlint-disable-next-line typescript/require-await -- what is sorted comes from a stream
async function* inParts(lines: readonly RawLine[]): AsyncGenerator<readonly RawLine[]> {
  for (let start = 0; start < lines.length; start += 3) yield lines.slice(start, start + 3);
}

async function sort(lines: readonly RawLine[], runCharacters: number): Promise<RawLine[]> {
  const found: RawLine[] = [];
  for await (const some of sorted(inParts(lines), runCharacters)) found.push(...some);
  return found;
}

const expected = (lines: readonly RawLine[]): RawLine[] =>
  [...lines].sort(
    (a, b) => (a.user < b.user ? -1 : a.user > b.user ? 1 : 0) || a.time - b.time || a.sequence - b.sequence,
  );

test('a log is sorted by user, time and place, in however many runs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'B', 'ä', '😀', 'constructor'), fc.nat(5)), {
        maxLength: 40,
      }),
      fc.constantFrom(1, 700, 1e9),
      async (rows, runCharacters) => {
        const lines = rows.map(lineOf);
        expect(await sort(lines, runCharacters)).toEqual(expected(lines));
      },
    ),
    { seed: 1, numRuns: 15 },
  );
});

test('more runs than are merged at once', async () => {
  const lines = Array.from({ length: 130 }, (_, index) =>
    lineOf([`u${(index * 37) % 130}`, index % 7], index),
  );
  expect(await sort(lines, 1)).toEqual(expected(lines));
});

test('names get numbers in the order in which they come', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 3000 }), (names) => {
      const [numbers, different] = [new NameNumbers(), [...new Set(names)]];
      expect(names.map((name) => numbers.of(name))).toEqual(names.map((name) => different.indexOf(name)));
      expect(numbers.size).toBe(different.length);
    }),
    { seed: 1, numRuns: 10 },
  );
  const numbers = new NameNumbers();
  const inOrder = Array.from({ length: 20_000 }, (_, name) => name);
  for (let round = 0; round < 2; round++)
    expect(inOrder.map((name) => numbers.of(String(name)))).toEqual(inOrder);
});
