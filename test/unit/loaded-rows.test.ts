import { LoadedRows } from '../../extension/store/loaded-rows';
import type { Source } from '../../src/model/records';
import { BufferedDraft } from '../../src/store/draft';
import { candidateKey } from '../../src/store/store';
import { ADTECH, conditions, contents, newEngine, SHOP, sourceRegistration } from './helpers/engine';

/** In ms of processor time: to apply a draft that changes all candidates of a conversion. */
async function costOf(count: number, template: Source): Promise<number> {
  const sources = Array.from({ length: count }, (_, id) => ({ ...template, id }));
  const loaded = new LoadedRows({
    row: () => Promise.resolve(undefined),
    candidates: () => Promise.resolve(sources),
    isNew: () => false,
  });
  const key = candidateKey(ADTECH, SHOP);
  await loaded.load([{ of: 'candidates', key }]);
  const draft = new BufferedDraft(loaded, count);
  for (const source of sources) draft.put('sources', { ...source, reportCount: 1 });
  const before = process.cpuUsage();
  loaded.apply(draft.changes);
  const { user, system } = process.cpuUsage(before);
  expect(loaded.candidates(key).filter(({ reportCount }) => reportCount === 1)).toHaveLength(count);
  return (user + system) / 1000;
}

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
