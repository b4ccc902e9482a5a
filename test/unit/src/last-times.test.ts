import fc from 'fast-check';
import { countWith, latest, recentOf, withLast, type LastTimes } from '../../../src/model/last-times';
import { moment, type Moment } from '../../../src/model/units';

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const times = fc.nat(50).map(moment);
const uses = fc.array(fc.tuple(fc.uniqueArray(keys, { minLength: 1 }), times));

const listOf = (all: readonly (readonly [string[], Moment])[]): LastTimes<string> =>
  all.reduce<LastTimes<string>>((list, [some, time]) => withLast(list, some, time), []);

const mapOf = (list: LastTimes<string>): ReadonlyMap<string, Moment> =>
  new Map(list.map(({ of, time }) => [of, time]));

test('a list has each key once, with the latest of its times', () => {
  fc.assert(
    fc.property(uses, (all) => {
      const expected = new Map<string, number>();
      for (const [some, time] of all)
        for (const key of some) expected.set(key, Math.max(expected.get(key) ?? 0, time));
      const list = listOf(all);
      expect(mapOf(list)).toEqual(expected);
      expect(list).toHaveLength(expected.size);
      expect(latest(list)).toBe(Math.max(0, ...expected.values()));
    }),
  );
});

test('what is as old as the window does not count, and what comes later than now does', () => {
  fc.assert(
    fc.property(uses, fc.nat(60).map(moment), fc.uniqueArray(keys), (all, now, more) => {
      const list = listOf(all);
      const recent = recentOf(list, 10, now);
      expect(recent).toEqual(list.filter(({ time }) => time > now - 10));
      expect(countWith(recent, more)).toBe(new Set([...recent.map(({ of }) => of), ...more]).size);
    }),
  );
});
