import browser from 'webextension-polyfill';
import { DocumentHeaders } from '../../../extension/background/documents/document-headers';
import { RememberedDocuments } from '../../../extension/background/documents/remembered-documents';
import { SessionMemory, type SessionEntry } from '../../../extension/background/documents/session-memory';
import { shortened } from '../../../extension/urls';

const BROWSERS_KEEP = 10 * 2 ** 20;

const entry = (tabId: number, of: SessionEntry['of'], id: number, length: number): SessionEntry => ({
  kind: 'document',
  of,
  tabId,
  id: String(id),
  value: 'x'.repeat(length),
});

/** A memory after three tabs filled it, and then a page and its frame came. */
async function filled(): Promise<SessionMemory> {
  const memory = new SessionMemory();
  memory.turn(false);
  memory.turn(true);
  for (const tabId of [1, 2, 3])
    for (let id = 0; id < 600; id++) memory.set(entry(tabId, 'frames', id, 22_000));
  memory.set(entry(4, 'page', 0, 500));
  memory.set(entry(1, 'page', 1, 500));
  await memory.load();
  return memory;
}

const stored = async (): Promise<readonly SessionEntry[]> => new SessionMemory().load();

test('tabs with many frames leave room for other tabs, and for their own pages', async () => {
  await filled();
  const entries = await stored();
  expect(entries.filter(({ of }) => of === 'page').map(({ tabId }) => tabId)).toEqual([4, 1]);
  expect(JSON.stringify(entries).length).toBeLessThan(BROWSERS_KEEP);
  expect(entries.length).toBeGreaterThan(200);
});

test('the next run of the background knows how much room is left', async () => {
  await filled();
  const before = (await stored()).length;
  const next = new SessionMemory();
  await next.load();
  next.turn(true);
  for (let id = 2000; id < 2600; id++) next.set(entry(1, 'frames', id, 22_000));
  expect((await stored()).length).toBeLessThan(before + 5);
});

test('what was erased is stored also while it is off, and where there is no room', async () => {
  const memory = await filled();
  const erasures = { kind: 'erasures', of: 'requests', tabId: -1, id: '', value: [] } as const;
  memory.set(erasures);
  expect(await stored()).toContainEqual(erasures);
  memory.turn(false);
  expect(await stored()).toEqual([erasures]);
  memory.set({ ...erasures, value: [1] });
  memory.set(entry(5, 'frames', 0, 1));
  expect(await stored()).toEqual([{ ...erasures, value: [1] }]);
});

test('what is forgotten leaves room for something else', async () => {
  const memory = await filled();
  memory.remove((await stored()).filter(({ tabId }) => tabId === 2));
  memory.set(entry(5, 'frames', 0, 1_000_000));
  expect((await stored()).map(({ tabId }) => tabId)).toContain(5);
});

test('what was forgotten after it was loaded takes no room when it is loaded for others', async () => {
  const before = await filled();
  const next = new SessionMemory();
  const entries = await next.load();
  // As it is read for others before it is removed.
  const stale = await browser.storage.session.get(null);
  jest.spyOn(browser.storage.session, 'get').mockResolvedValueOnce(stale);
  next.turn(true);
  next.remove(entries);
  await next.load();
  expect(next.set(entry(5, 'frames', 0, 3_900_000))).toBe(true);
  jest.restoreAllMocks();
  before.turn(false);
});

test('a frame whose first URL found no room makes the frames around its document unknown', async () => {
  const before = new SessionMemory();
  before.turn(true);
  let tabId = 1000;
  for (const size of [100_000, 1000, 100, 0]) while (before.set(entry(tabId, 'frames', 0, size))) tabId += 1;
  const next = new SessionMemory();
  const documents = new RememberedDocuments(new DocumentHeaders(next), next, () => undefined);
  await documents.load();
  const page = { tabId: 1, frameId: 0, documentId: 'page', url: 'https://news.example/' };
  documents.add(page, true);
  documents.begin(1, 2, `https://ad.example/${'x'.repeat(900)}`, 'page');
  expect(documents.get('page')?.hasKnownFrames).toBe(true);
  next.turn(true);
  expect(documents.get('page')?.hasKnownFrames).toBe(false);
  next.turn(false);
});

test.each([
  ['https://shop.example/a#b', 'https://shop.example/a'],
  ['about:blank#b', 'about:blank'],
])('of %s the background knows %s', (url, known) => expect(shortened(url)).toBe(known));

test.each([
  `https://shop.example/${'x'.repeat(2_000_000)}`,
  `https://shop.example:443${'0'.repeat(2000)}@ad.example/`,
  `https://shop.example:${'0'.repeat(1000)}443@ad.example/`,
  `data:text/html,${'x'.repeat(2_000_000)}`,
])('a long URL is cut, but keeps its origin (%#)', (url) => {
  expect(shortened(url).length).toBeLessThan(1100);
  expect(new URL(shortened(url)).origin).toBe(new URL(url).origin);
  expect(shortened(shortened(url)).length).toBeLessThan(1100);
});
