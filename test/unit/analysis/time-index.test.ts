import fc from 'fast-check';
import { MemoryTable } from '../../../analysis/store/memory-table';
import { TimeIndex } from '../../../analysis/store/time-index';
import { moment, type Site } from '../../../src/model/units';
import type { Rows } from '../../../src/store/rows';

const time = fc.integer({ min: 20, max: 30 });
const change = fc.record({
  kind: fc.constant('set' as const),
  id: fc.nat(12),
  times: fc.uniqueArray(time, { maxLength: 2 }),
});
const search = fc.record({ kind: fc.constant('search' as const), time: fc.integer({ min: 18, max: 32 }) });

test('finds what a search of all rows finds, whatever was changed, removed and put back', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: change }, search), { maxLength: 60 }), (steps) => {
      const rows = new Map<number, readonly number[]>();
      const index = new TimeIndex<number>((id, one) => rows.get(id)?.includes(one) === true);
      for (const step of steps) {
        if (step.kind === 'set') {
          rows.set(step.id, step.times);
          for (const one of step.times) index.add(one, step.id);
          continue;
        }
        const all = [...rows]
          .flatMap(([id, times]) => times.map((one) => ({ id, time: one })))
          .sort((a, b) => a.time - b.time || a.id - b.id);
        expect(index.upTo(step.time)).toEqual(all.filter((one) => one.time <= step.time).map(({ id }) => id));
        for (const after of [-Infinity, step.time])
          expect(index.first(after)).toBe(all.find((one) => one.time > after)?.id);
      }
    }),
    { numRuns: 500 },
  );
});

test('a row that is put again with the same time is noted once, and found', () => {
  const add = jest.spyOn(TimeIndex.prototype, 'add');
  const table = new MemoryTable('siteUse');
  const id = 'https://news.example' as Site;
  const use = (end: number): Rows['siteUse'] => ({ id, lastMinute: [], end: moment(end) });
  expect(table.upTo('end', 100)).toEqual([]);
  for (let count = 0; count < 100; count++) table.set(id, use(20));
  expect(add).toHaveBeenCalledTimes(1);
  for (const end of [20, 10, 10, 20, undefined, 20, 20])
    table.set(id, end === undefined ? undefined : use(end));
  // 10 and 20 again, and 20 after it was removed.
  expect(add).toHaveBeenCalledTimes(4);
  expect(table.upTo('end', 100)).toEqual([use(20)]);
  add.mockRestore();
});
