import browser from 'webextension-polyfill';
import { Beginnings, type Beginning } from '../../../extension/background/observe/beginnings';
import type { Requester } from '../../../extension/background/observe/lost-requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { entriesIn } from '../helpers/entries-in';
import { asked } from '../helpers/recording';

const tab = (tabId: number, documentId = `page ${tabId}`): Requester => ({ tabId, documentId, origin: null });
const worker = (origin: string): Requester => ({ tabId: -1, documentId: undefined, origin });
const at = (url: string): Beginning => ({ kind: 'known', url, mark: null });
const unknown: Beginning = { kind: 'unknown' };
const missed: Beginning = { kind: 'missed' };

const A = 'https://a.example/';
const B = 'https://b.example/';

let memory: SessionMemory;
let beginnings: Beginnings;

/** The background starts, and knows what its session storage keeps. */
async function start(): Promise<void> {
  memory = new SessionMemory();
  memory.turn(true);
  beginnings = new Beginnings(memory);
  await beginnings.loaded;
}

beforeEach(async () => {
  jest.useFakeTimers();
  new SessionMemory().turn(false);
  await start();
});
afterEach(() => void jest.useRealTimers());

test('the first URL of a redirected request is known until its last answer', () => {
  expect(beginnings.answered('1', A, 'redirect', tab(1))).toEqual(at(A));
  expect(beginnings.answered('1', B, 'redirect', tab(1))).toEqual(at(A));
  expect(beginnings.answered('1', `${B}c`, 'last', tab(1))).toEqual(at(A));
  expect(beginnings.answered('1', `${B}d`, 'last', tab(1))).toEqual(at(`${B}d`));
});

test('so is its mark, also if the URL is too long to be declared', () => {
  const mark = { seal: '0123456789abcdef0123456789abcdef', eligibility: 'trigger' } as const;
  const long = `${A}${'x'.repeat(10_000)}#${mark.seal}.attribution-reporting=trigger`;
  beginnings.answered('1', long, 'redirect', tab(1));
  expect(beginnings.answered('1', B, 'last', tab(1))).toEqual({ kind: 'known', url: '', mark });
});

test('a request that a server refuses without a password goes on with the next answer', () => {
  beginnings.began('1', tab(1), asked);
  expect(beginnings.answered('1', A, 'redirect', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('1', B, 'refusal', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('1', B, 'last', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('1', B, 'last', tab(1), true)).toEqual(missed);
  beginnings.began('2', tab(1), asked);
  expect(beginnings.answered('2', A, 'refusal', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('2', A, 'last', tab(1), true)).toEqual(at(A));
});

test('a URL too long to be declared is not taken for the one that it redirects to', () => {
  beginnings.answered('1', `${A}${'x'.repeat(10_000)}`, 'redirect', tab(1));
  expect(beginnings.answered('1', B, 'last', tab(1))).toEqual(at(''));
});

test('it is known after the background slept', async () => {
  beginnings.answered('1', A, 'redirect', tab(1));
  beginnings.answered('2', A, 'redirect', tab(1));
  beginnings.answered('2', B, 'last', tab(1));
  await start();
  expect(beginnings.answered('1', B, 'redirect', tab(1))).toEqual(at(A));
  expect(beginnings.answered('1', `${B}c`, 'last', tab(1))).toEqual(at(A));
  expect(beginnings.answered('2', B, 'last', tab(1))).toEqual(at(B));
  await start();
  expect(beginnings.answered('1', B, 'last', tab(1))).toEqual(at(B));
});

test('it is known after the background was killed right after the redirect', async () => {
  beginnings.answered('1', A, 'redirect', tab(1));
  await start();
  expect(beginnings.answered('1', B, 'last', tab(1))).toEqual(at(A));
});

test('a page with many requests makes only its own forgotten', () => {
  beginnings.began('honest', tab(1), asked);
  for (let n = 0; n < 30_000; n++) beginnings.began(`n${n}`, tab(2), asked);
  expect(beginnings.answered('honest', A, 'last', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('n0', A, 'last', tab(2), true)).toEqual(missed);
  expect(beginnings.answered('n29999', A, 'last', tab(2), true)).toEqual(at(A));
});

test('a redirect of which no background was told makes the request one that nobody saw begin', async () => {
  beginnings.began('1', tab(1), asked);
  beginnings.began('2', tab(1), asked);
  expect(beginnings.answered('2', A, 'redirect', tab(1), true)).toEqual(at(A));
  await start();
  beginnings.began('3', tab(1), asked);
  expect(beginnings.answered('1', B, 'redirect', tab(1), true)).toEqual(missed);
  expect(beginnings.answered('1', `${B}c`, 'last', tab(1), true)).toEqual(missed);
  expect(beginnings.answered('2', B, 'last', tab(1), true)).toEqual(at(A));
  expect(beginnings.answered('3', B, 'last', tab(1), true)).toEqual(at(B));
  // It begins once.
  expect(beginnings.answered('3', B, 'last', tab(1), true)).toEqual(missed);
});

test('a request that nobody saw begin does not begin with the next hop, as the browser tells', async () => {
  await start();
  beginnings.sees('1', tab(1));
  expect(beginnings.answered('1', A, 'redirect', tab(1), true)).toEqual(missed);
  beginnings.began('1', tab(1), asked);
  expect(beginnings.answered('1', B, 'last', tab(1), true)).toEqual(missed);
  // Nor if the next hop begins before it is known what an earlier background saw.
  beginnings.sees('2', tab(1));
  beginnings.began('2', tab(1), asked);
  expect(beginnings.answered('2', A, 'redirect', tab(1), true)).toEqual(missed);
  expect(beginnings.answered('2', B, 'last', tab(1), true)).toEqual(missed);
});

test('redirects that are not followed take no room: Firefox tells of no end of them', async () => {
  for (let id = 0; id < 10_000; id++) {
    if (id % 1000 === 0) await jest.advanceTimersByTimeAsync(10_000);
    beginnings.answered(`${id}`, A, 'redirect', tab(1));
    if (id === 0) beginnings.followed('0');
  }
  await jest.advanceTimersByTimeAsync(10_000);
  expect((await new SessionMemory().load()).map(({ id }) => id)).toEqual(['0']);
  expect(beginnings.answered('0', B, 'last', tab(1))).toEqual(at(A));
  expect(beginnings.answered('new', B, 'last', tab(1))).toEqual(at(B));
});

test('it is known after its tab was closed, for as long as the documents of that tab are', async () => {
  beginnings.answered('1', A, 'redirect', tab(1));
  beginnings.answered('2', A, 'redirect', tab(1));
  for (const id of ['1', '2']) beginnings.followed(id);
  beginnings.tabClosed(1);
  await jest.advanceTimersByTimeAsync(4 * 60_000);
  // Chrome then names neither the tab nor the document.
  expect(beginnings.answered('1', B, 'redirect', worker('https://news.example'))).toEqual(at(A));
  await start();
  expect(beginnings.answered('1', B, 'last', worker('https://news.example'))).toEqual(at(A));
  await jest.advanceTimersByTimeAsync(90_000);
  await start();
  expect(await new SessionMemory().load()).toEqual([]);
});

test('a page with many redirected requests makes those of others no less known, and none of its own look like the first', async () => {
  beginnings.answered('honest', A, 'redirect', tab(1));
  for (let id = 0; id < 4000; id++) beginnings.answered(`${id}`, `${A}${id}`, 'redirect', tab(2));
  for (let runs = 0; runs < 2; runs++) {
    expect(beginnings.answered('honest', B, 'redirect', tab(1))).toEqual(at(A));
    expect(beginnings.answered('99', B, 'redirect', tab(2))).toEqual(at(`${A}99`));
    // Nor is anything else known of that document, but of the next one in its tab.
    expect(beginnings.answered('0', B, 'redirect', tab(2))).toEqual(unknown);
    expect(beginnings.answered(`new ${runs}`, B, 'redirect', tab(2))).toEqual(unknown);
    expect(beginnings.answered(`next ${runs}`, B, 'last', tab(2, 'next page'))).toEqual(at(B));
    await start();
  }
});

describe('an unknown first URL is not taken for a known one after the background slept', () => {
  /** As other tabs fill it with their documents. */
  const fill = (): void => {
    for (let tabId = 100; tabId < 200; tabId++)
      for (const of of ['page', 'in-page', 'frames'] as const)
        for (let id = 0; id < 50; id++)
          memory.set({ kind: 'document', of, tabId, id: String(id), value: 'x'.repeat(5000) });
  };
  const long = `${A}${'x'.repeat(6000)}`;
  const overflow = (): void => {
    for (let id = 0; id < 300; id++) beginnings.answered(`${id}`, `${long}${id}`, 'redirect', tab(1));
  };

  test('if session storage had no room for it', async () => {
    fill();
    overflow();
    await start();
    const kinds = Array.from({ length: 300 }, (_, id) => beginnings.answered(`${id}`, B, 'redirect', tab(1)));
    expect(kinds.filter((one) => JSON.stringify(one) === JSON.stringify(at(B)))).toEqual([]);
  });

  test('if it had no room to say that either', async () => {
    // Each by another tab, because one of them may hold half of what is left.
    let tabId = 1000;
    for (const size of [100_000, 1000, 0])
      while (memory.set({ kind: 'document', of: 'page', tabId, id: '', value: 'x'.repeat(size) })) tabId += 1;
    const tabs = Array.from({ length: 1000 }, (_, index) => tab(index, `00000000-0000-0000-0000-${index}`));
    for (const { tabId: id } of tabs) beginnings.answered(`${id}`, A, 'redirect', tabs[id] as Requester);
    await jest.advanceTimersByTimeAsync(100);
    await start();
    for (const one of tabs) expect(beginnings.answered(`${one.tabId}`, B, 'last', one)).toEqual(unknown);
    expect(JSON.stringify(await new SessionMemory().load()).length).toBeLessThan(10 * 2 ** 20);
  });

  test.each([
    ['was paused meanwhile', () => undefined],
    ['was paused when it came', (): void => memory.turn(false)],
  ])('if Cointoss %s', async (_when, before) => {
    before();
    beginnings.answered('1', A, 'redirect', tab(1));
    for (let id = 0; id < 4000; id++) beginnings.answered(`many ${id}`, A, 'redirect', tab(2));
    await jest.advanceTimersByTimeAsync(100);
    memory.turn(false);
    memory.turn(true);
    await start();
    expect(beginnings.answered('1', B, 'redirect', tab(1))).toEqual(at(A));
    expect(beginnings.answered('many 0', B, 'redirect', tab(2))).toEqual(unknown);
  });
});

test('tabs that are closed leave others their room, whatever they asked for', () => {
  for (let tabId = 1; tabId <= 20; tabId++) {
    for (let id = 0; id < 3000; id++) beginnings.answered(`${tabId} ${id}`, A, 'redirect', tab(tabId));
    beginnings.tabClosed(tabId);
  }
  for (let id = 0; id < 1000; id++) beginnings.answered(`honest ${id}`, A, 'redirect', tab(99));
  const found = Array.from({ length: 1000 }, (_, id) =>
    beginnings.answered(`honest ${id}`, B, 'last', tab(99)),
  );
  expect(found).toEqual(Array(1000).fill(at(A)));
});

test('of each tab with more than 1,000 documents whose requests are unknown, none of its documents is known', async () => {
  const redirect = (id: string, page: number): Beginning =>
    beginnings.answered(id, A, 'redirect', tab(1, `page ${page}`));
  for (let page = 0; page < 4500; page++) redirect(`${page}`, page);
  const lost = async (): Promise<number> =>
    (await new SessionMemory().load()).filter(({ kind }) => kind === 'lost-beginnings').length;
  expect(await lost()).toBeLessThanOrEqual(1000);
  for (let runs = 0; runs < 2; runs++) {
    expect(beginnings.answered('0', B, 'last', tab(1, 'page 0'))).toEqual(unknown);
    expect(beginnings.answered('new', B, 'last', tab(1, 'page 1'))).toEqual(unknown);
    expect(beginnings.answered('other', B, 'last', tab(2))).toEqual(at(B));
    await start();
  }
  beginnings.tabClosed(1);
  await jest.advanceTimersByTimeAsync(6 * 60_000);
  await start();
  expect(await new SessionMemory().load()).toEqual([]);
});

test('no more than 5,000 are remembered in all, however many makers there are, and those that fail make room', async () => {
  const maker = (id: number): Requester => worker(`https://maker-${id}.example`);
  const isKnown = (id: number): boolean =>
    JSON.stringify(beginnings.answered(`${id}`, B, 'last', maker(id))) === JSON.stringify(at(A));
  const redirect = (id: number): Beginning => beginnings.answered(`${id}`, A, 'redirect', maker(id));
  for (let id = 0; id < 20_000; id++) redirect(id);
  for (let id = 0; id < 2500; id++) {
    beginnings.followed(`${id + 2500}`);
    beginnings.forget(`${id}`);
  }
  await jest.advanceTimersByTimeAsync(5 * 60_000);
  redirect(20_000);
  expect(isKnown(20_000)).toBe(true);
  expect(Array.from({ length: 20_000 }, (_, id) => isKnown(id)).filter(Boolean)).toHaveLength(2500);
});

describe('of requests in no tab, some are forgotten', () => {
  const nobody: Requester = { tabId: -1, documentId: undefined, origin: null };
  const flood = (of: Requester): void => {
    for (let id = 0; id < 4000; id++) beginnings.answered(`flood ${id}`, A, 'redirect', of);
  };

  test.each([
    ['of nobody', nobody],
    ['of a worker', worker('https://flooder.example')],
  ])('which makes no others unknown, %s', (_of, maker) => {
    flood(maker);
    expect(beginnings.answered('1', B, 'last', maker)).toEqual(unknown);
    for (const other of [{ ...tab(1), documentId: undefined }, tab(1), worker('https://other.example')])
      expect(beginnings.answered('1', B, 'last', other)).toEqual(at(B));
  });

  test('until five minutes after the last redirect of those', async () => {
    flood(nobody);
    await jest.advanceTimersByTimeAsync(4 * 60_000);
    expect(beginnings.answered('late', A, 'redirect', nobody)).toEqual(unknown);
    await jest.advanceTimersByTimeAsync(4 * 60_000);
    expect(beginnings.answered('late', B, 'last', nobody)).toEqual(unknown);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(beginnings.answered('new', B, 'last', nobody)).toEqual(at(B));
  });
});

describe('of 1,000 others requests were forgotten', () => {
  /** Fills the memory, so that of each of these the next is lost. */
  const loseEach = (makers: readonly Requester[]): void => {
    for (let id = 0; id < 5000; id++)
      beginnings.answered(`full ${id}`, A, 'redirect', worker(`https://full-${id}.example`));
    for (const [id, maker] of makers.entries()) beginnings.answered(`lost ${id}`, A, 'redirect', maker);
  };
  const workers = Array.from({ length: 3000 }, (_, id) => worker(`https://maker-${id}.example`));
  const tabs = Array.from({ length: 2000 }, (_, id) => ({ ...tab(id), documentId: undefined }));

  test.each([
    ['workers', workers],
    ['tabs', tabs],
  ])('and those of none of them count as first URLs: %s', async (_kind, makers) => {
    loseEach(makers);
    for (let runs = 0; runs < 2; runs++) {
      expect(
        makers.filter((maker, id) => beginnings.answered(`lost ${id}`, B, 'last', maker).kind === 'known'),
      ).toEqual([]);
      expect(beginnings.answered('new', B, 'last', tab(5000))).toEqual(at(B));
      await start();
    }
  });
});

test('what found no room is noted nowhere as a redirect that may not be followed', () => {
  for (let id = 0; id < 5000; id++)
    beginnings.answered(`full ${id}`, A, 'redirect', worker(`https://full-${id}.example`));
  const before = entriesIn(beginnings);
  // Whether it is followed, and when it ends, is told of each.
  for (let id = 0; id < 900; id++) {
    beginnings.answered(`${id}`, A, 'redirect', tab(1, `page ${id}`));
    beginnings.forget(`${id}`);
  }
  // That these documents are lost is all that is kept.
  expect(entriesIn(beginnings)).toBeLessThanOrEqual(before + 900);
});

test('nothing counts as a first URL if it cannot be read what an earlier run of the background saw', async () => {
  jest.spyOn(browser.storage.session, 'get').mockRejectedValueOnce(new Error('no storage'));
  for (let runs = 0; runs < 2; runs++) {
    await start();
    for (const maker of [tab(1), worker('https://news.example')])
      expect(beginnings.answered('1', B, 'last', maker)).toEqual(unknown);
  }
});
