import { LoadedRows } from '../../../extension/store/loaded-rows';
import type { Source } from '../../../src/model/records';
import { moment } from '../../../src/model/units';
import { BufferedDraft, NotLoaded, type RangeNeed, type View } from '../../../src/store/draft';
import { candidateKey } from '../../../src/store/rows';
import { ADTECH, conditions, contents, newEngine, SHOP, sourceRegistration } from '../helpers/engine';

/** In ms of processor time: to apply a draft that changes all candidates of a conversion. */
async function costOf(count: number, template: Source): Promise<number> {
  const sources = Array.from({ length: count }, (_, id) => ({ ...template, id }));
  const loaded = new LoadedRows({
    row: () => Promise.resolve(undefined),
    candidates: () => Promise.resolve(sources),
    upTo: () => Promise.resolve([]),
    isNew: () => false,
  });
  const key = candidateKey(ADTECH, SHOP);
  await loaded.load([{ of: 'candidates', key }]);
  const draft = new BufferedDraft(loaded);
  for (const source of sources) draft.put('sources', { ...source, reportCount: 1 });
  const before = process.cpuUsage();
  loaded.apply(draft.changes);
  const { user, system } = process.cpuUsage(before);
  expect(loaded.candidates(key).filter(({ reportCount }) => reportCount === 1)).toHaveLength(count);
  return (user + system) / 1000;
}

test('a decision sees the rows of a range as it has changed them', async () => {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration(), conditions());
  const [template] = (await contents(store))['sources'] as readonly Source[];
  if (template === undefined) throw new Error('no source was stored');
  const expiring = (id: number, expiryTime: number): Source => ({
    ...template,
    id,
    expiryTime: moment(expiryTime),
  });
  const asked: RangeNeed[] = [];
  const loaded = new LoadedRows({
    row: () => Promise.resolve(undefined),
    candidates: () => Promise.resolve([]),
    upTo: (range) => {
      asked.push(range);
      return Promise.resolve([expiring(1, 10), expiring(2, 20), expiring(3, 30)]);
    },
    isNew: () => false,
  });
  const range: RangeNeed = { of: 'sources', index: 'expiryTime', upTo: 30 };
  const idsOf = (view: View, last: number): readonly number[] =>
    view.upTo('sources', 'expiryTime', last).map(({ id }) => id);
  expect(() => idsOf(loaded, 30)).toThrow(NotLoaded);
  await loaded.load([range, { ...range, upTo: 29 }]);
  expect(idsOf(loaded, 30)).toEqual([1, 2, 3]);
  expect(idsOf(loaded, 29)).toEqual([1, 2]);
  expect(loaded.lacks({ ...range, upTo: 31 })).toBe(true);
  const draft = new BufferedDraft(loaded);
  draft.put('sources', expiring(4, 15));
  draft.put('sources', expiring(1, 25));
  draft.put('sources', expiring(3, 31));
  draft.delete('sources', 2);
  expect(idsOf(draft, 30)).toEqual([4, 1]);
  loaded.apply(draft.changes);
  expect(idsOf(loaded, 30)).toEqual([4, 1]);
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('what a decision changes is noted in time linear in the candidates of a conversion', async () => {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration(), conditions());
  const [template] = (await contents(store))['sources'] as readonly Source[];
  if (template === undefined) throw new Error('no source was stored');
  await costOf(200, template);
  const small = await costOf(500, template);
  const large = await costOf(8000, template);
  // Sixteen times as many; the square would be 256 times the cost.
  expect(large).toBeLessThan(48 * Math.max(small, 2));
});
