import fc from 'fast-check';
import { MemoryIndex } from '../../analysis/store/memory-index';
import { SortedSet } from '../../analysis/store/sorted-set';
import type { IndexKey } from '../../src/store/store';

/** An index that searches all pairs each time. */
class NaiveIndex {
  private pairs: { readonly key: IndexKey; readonly id: number }[] = [];

  /** The keys of a row. */
  of(id: number): readonly IndexKey[] {
    return this.pairs.filter((pair) => pair.id === id).map(({ key }) => key);
  }

  set(id: number, keys: readonly IndexKey[]): void {
    this.pairs = this.pairs.filter((pair) => pair.id !== id).concat(keys.map((key) => ({ key, id })));
    this.pairs.sort((a, b) => compare(a.key, b.key) || a.id - b.id);
  }

  at(key: IndexKey): number[] {
    return ids(this.pairs.filter((pair) => pair.key === key));
  }

  upTo(last: number): number[] {
    return ids(this.pairs.filter(({ key }) => typeof key === 'number' && key <= last));
  }

  first(after: number): number | undefined {
    return this.pairs.find(({ key }) => typeof key === 'number' && key > after)?.id;
  }
}

const ids = (pairs: readonly { readonly id: number }[]): number[] => pairs.map(({ id }) => id);

/** Two numbers or two texts; what comes first of a number and a text does not matter. */
const compare = (a: IndexKey, b: IndexKey): number =>
  typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1;

const text = fc
  .tuple(fc.constantFrom('a', 'b', 'ab'), fc.constantFrom('x', 'y'), fc.nat(3))
  .map((parts) => parts.join(' '));
const id = fc.nat(12);
const change = fc.record({
  kind: fc.constant('set' as const),
  id,
  keys: fc.oneof(
    fc.uniqueArray(fc.integer({ min: 20, max: 30 }), { maxLength: 3 }),
    fc.uniqueArray(text, { maxLength: 3 }),
  ),
});
const search = fc.record({
  kind: fc.constant('search' as const),
  number: fc.integer({ min: 18, max: 32 }),
  text,
});

test('finds what a search of everything finds, whenever it is first asked', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: change }, search), { maxLength: 60 }), (steps) => {
      const [index, naive] = [new MemoryIndex(), new NaiveIndex()];
      for (const step of steps) {
        if (step.kind === 'set') {
          index.change(step.id, naive.of(step.id), step.keys);
          naive.set(step.id, step.keys);
          continue;
        }
        for (const key of [step.number, step.text]) expect(index.at(key)).toEqual(naive.at(key));
        expect(index.upTo(step.number)).toEqual(naive.upTo(step.number));
        for (const after of [-Infinity, step.number]) expect(index.first(after)).toBe(naive.first(after));
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('a sorted set of many items has what was added and not deleted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(4000), { maxLength: 1500 }), fc.nat(), (first, seed) => {
      const beginning = [...new Set(first)].sort((a, b) => a - b);
      const [set, expected] = [new SortedSet(beginning), new Set(beginning)];
      // In an order that is neither random nor ascending.
      for (let step = 0; step < 4000; step++) {
        const item = (step * 1597 + seed) % 4001;
        if ((step + seed) % 7 < 4) {
          set.add(item);
          expected.add(item);
        } else {
          set.delete((item * 3) % 4001);
          expected.delete((item * 3) % 4001);
        }
      }
      const ascending = [...expected].sort((a, b) => a - b);
      expect([...set.after(-1)]).toEqual(ascending);
      for (let item = -1; item <= 4001; item += 97) {
        expect(set.after(item).next().value).toBe(ascending.find((one) => one > item));
        expect(set.before(item)).toBe(ascending.findLast((one) => one < item));
      }
    }),
    { seed: 1, numRuns: 10 },
  );
});
