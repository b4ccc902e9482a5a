import fc from 'fast-check';
import { FormerValues } from '../../../extension/content/former-values';

const element = {};

test('values that come again count again, and the records of a second observer add nothing', () => {
  const values = new FormerValues();
  const records = ['X', 'A', 'B', 'A'];
  const [one, other] = [values.fromObserver(), values.fromObserver()];
  expect(records.map((value) => one(element, value))).toEqual([true, true, true, true]);
  expect(records.map((value) => other(element, value))).toEqual([false, false, false, false]);
});

test('each change counts once, whichever part of the changes each observer saw', () => {
  // One observes from the first change, the other from a later one on.
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(element, {}), fc.constantFrom('A', 'B')), { maxLength: 8 }),
      fc.nat(8),
      fc.boolean(),
      (changes, from, isLaterFirst) => {
        const values = new FormerValues();
        const parts = [changes, changes.slice(from)];
        const heard = (isLaterFirst ? parts.reverse() : parts).flatMap((part) => {
          const isNew = values.fromObserver();
          return part.filter(([target, value]) => isNew(target, value));
        });
        expect(heard).toHaveLength(changes.length);
      },
    ),
    { numRuns: 200, seed: 1 },
  );
});

test('after a microtask all values are new', async () => {
  const values = new FormerValues();
  expect(values.fromObserver()(element, 'A')).toBe(true);
  await Promise.resolve();
  expect(values.fromObserver()(element, 'A')).toBe(true);
});
