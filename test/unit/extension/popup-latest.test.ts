import type { Reader } from '../../../extension/pages/data/reader';
import { latestOn } from '../../../extension/pages/views/popup/latest';
import type { LogEntry } from '../../../src/model/decision';

const SHOP = 'https://shop.example';
const NEWS = 'https://news.example';
const NOW = 10_000_000;
const MINUTES = 60_000;
const forShop = JSON.stringify({ destination: `${SHOP}/` });
const forBank = JSON.stringify({ destination: 'https://bank.example' });

interface Entry {
  readonly time?: number;
  readonly contextSite?: string;
  readonly kind?: LogEntry['kind'];
  readonly [field: string]: unknown;
}

const ignored = (code: string, header = ''): Entry => ({
  kind: 'ignored',
  header,
  reason: { code, values: {} },
});
const refused = (register: 'navigation' | 'event' | 'trigger', header: string): Entry => ({
  kind: 'refused',
  header,
  ...(register === 'trigger' ? { register } : { register: 'source', sourceType: register }),
});
const source = (sourceType: string, header: string): Entry => ({ kind: 'source', sourceType, header });

/** The ids of what the popup shows on a page of the shop; an entry has its place as its id. */
async function latest(...entries: readonly Entry[]): Promise<{ here: number[]; elsewhere: number[] }> {
  const usual = { time: NOW - 1, contextSite: NEWS };
  const click = source('navigation', forShop);
  const rows = entries.map(
    (entry, id) =>
      ({ ...usual, ...(entry.kind === undefined ? click : {}), ...entry, id }) as unknown as LogEntry,
  );
  const reader = {
    ids: () => Promise.resolve(rows.map(({ id }) => id)),
    range: () => Promise.resolve(rows),
  } as unknown as Reader;
  const { here, elsewhere } = await latestOn(reader, SHOP, NOW);
  return { here: here.map(({ id }) => id), elsewhere: elsewhere.map(({ id }) => id) };
}

test('the newest come first, four at most of each list', async () => {
  const all = Array.from({ length: 12 }, (_, id) => ({ contextSite: id % 2 === 0 ? SHOP : NEWS }));
  expect(await latest(...all)).toEqual({ here: [10, 8, 6, 4], elsewhere: [11, 9, 7, 5] });
});

test('of other sites, the last five minutes are shown, and nothing of the future', async () => {
  const times = [NOW - 5 * MINUTES, NOW - 5 * MINUTES + 1, NOW, NOW + 1];
  expect((await latest(...times.map((time) => ({ time })))).elsewhere).toEqual([2, 1]);
  const onShop = times.map((time) => ({ time, contextSite: SHOP }));
  expect((await latest(...onShop)).here).toEqual([3, 2, 1, 0]);
});

test.each<[string, Entry, boolean]>([
  ['a click for this site', source('navigation', forShop), true],
  ['a click for another site', source('navigation', forBank), false],
  ['a view for this site', source('event', forShop), false],
  ['a conversion', { kind: 'trigger', header: '{}' }, false],
  ['a refused click for this site', refused('navigation', forShop), true],
  ['a refused click for another site', refused('navigation', forBank), false],
  ['a refused click that no parser reads', refused('navigation', '{'), false],
  ['a refused view for this site', refused('event', forShop), false],
  ['a refused conversion that names this site', refused('trigger', forShop), false],
  ['a click that led nowhere known', ignored('no-source-on-way'), true],
  ['a click that lacked something, for this site', ignored('no-eligible-click', forShop), true],
  ['a click that lacked something, for another site', ignored('no-eligible-click', forBank), false],
  ['an ignored request of another page', ignored('not-eligible'), false],
  ['an ignored request that was no click, for this site', ignored('not-eligible', forShop), false],
  ['what was too many, for this site', ignored('too-many', forShop), false],
])('of another site, %s is shown or not', async (_what, entry, isShown) => {
  expect((await latest(entry)).elsewhere).toEqual(isShown ? [0] : []);
});
