import fc from 'fast-check';
import { hashOf, KeyTable } from '../../../analysis/estimate/join/key-table';
import { ReportIds } from '../../../analysis/estimate/join/report-ids';

const key = (...words: readonly number[]): Int32Array => Int32Array.from(words);

/** Adds keys, and expects the numbers that a `Map` would have. */
function expectNumbers(table: KeyTable, keys: readonly Int32Array[]): void {
  const map = new Map<string, number>();
  for (const one of keys) {
    const number = map.get(one.join(' ')) ?? map.size;
    expect(table.numberOf(one)).toBe(map.get(one.join(' ')));
    expect(table.add(one)).toBe(number);
    map.set(one.join(' '), number);
  }
  expect(table.size).toBe(map.size);
  const read = key(...Array.from({ length: keys[0]?.length ?? 0 }, () => 0));
  for (const one of keys) {
    const number = table.numberOf(one);
    expect(number).toBe(map.get(one.join(' ')));
    table.read(number ?? NaN, read);
    expect(read).toEqual(one);
  }
}

it('numbers keys in the order of their first occurrence, as it grows, too', () => {
  const word = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word, word), { maxLength: 300 }), (keys) =>
      expectNumbers(
        new KeyTable(3),
        keys.map((words) => key(...words)),
      ),
    ),
  );
  expectNumbers(
    new KeyTable(2),
    Array.from({ length: 5000 }, (_, index) => key(index, -index)),
  );
});

it('finds keys that were made up to need the same slots', () => {
  const alike: Int32Array[] = [];
  for (let word = 0; alike.length < 200; word++) if (hashOf(key(word), 1) % 1024 === 7) alike.push(key(word));
  const others = Array.from({ length: 3000 }, (_, index) => key(-1 - index));
  expectNumbers(new KeyTable(1), [...alike, ...others, ...alike]);
});

it('knows the ids of reports again, whether they are UUIDs or not', () => {
  const ids = new ReportIds();
  const uuid = '01234567-89ab-4cde-8f01-23456789abcd';
  const different = Array.from({ length: uuid.length }, (_, place) => {
    const digit = uuid[place] === 'f' ? '0' : 'f';
    return uuid[place] === '-' ? [] : [uuid.slice(0, place) + digit + uuid.slice(place + 1)];
  }).flat();
  const all = [uuid, ...different, uuid.toUpperCase(), `${uuid} `, '', 'report 1', '__proto__'];
  const areNew = (sourceEventId: bigint): readonly boolean[] =>
    all.map((reportId) => ids.add({ reportId, sourceEventId }));
  for (const sourceEventId of [0n, 7n, 2n ** 64n - 1n]) {
    expect(areNew(sourceEventId)).toEqual(all.map(() => true));
    expect(areNew(sourceEventId)).toEqual(all.map(() => false));
  }
  // A stranger can choose both.
  const made = { reportId: uuid.replace('01234567', '01234560'), sourceEventId: 7n };
  expect([ids.add(made), ids.add(made)]).toEqual([true, false]);
});
