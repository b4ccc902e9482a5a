import { MemoryStore } from '../../../analysis/store/memory-store';
import type { FinishedReport } from '../../../src/model/records';
import { moment } from '../../../src/model/units';

const finished = (id: number): FinishedReport =>
  // Only what the store looks at.
  ({ id, end: 'delivered', time: moment(id) }) as FinishedReport;

test('gives out all rows of a table once, and keeps none', () => {
  const store = new MemoryStore();
  const put = (...ids: readonly number[]): void =>
    store.decide((draft) => {
      for (const id of ids) draft.put('finished', finished(id));
    });
  put(1, 2);
  expect(store.upTo('finished', 'time', Infinity)).toHaveLength(2);
  expect(store.drain('finished').map(({ id }) => id)).toEqual([1, 2]);
  expect(store.drain('finished')).toEqual([]);
  expect(store.upTo('finished', 'time', Infinity)).toEqual([]);
  put(3);
  expect(store.upTo('finished', 'time', Infinity).map(({ id }) => id)).toEqual([3]);
  expect(store.drain('finished').map(({ id }) => id)).toEqual([3]);
});

test('leaves the other tables', () => {
  const store = new MemoryStore();
  store.decide((draft) => draft.put('finished', finished(1)));
  expect(store.drain('log')).toEqual([]);
  expect(store.drain('finished')).toHaveLength(1);
});
