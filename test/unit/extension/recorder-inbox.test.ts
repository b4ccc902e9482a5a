import 'fake-indexeddb/auto';
import { Inbox } from '../../../extension/background/record/inbox';
import {
  Recorder,
  type PlacedResponse,
  type RecorderParts,
} from '../../../extension/background/record/recorder';
import { IdbStore } from '../../../extension/store/idb-store';
import type { PagePlace, Place } from '../../../recording/places';
import type { Declaration, InboxRow } from '../../../recording/requests';
import { ADTECH, NEWS, START } from '../helpers/engine';
import { entriesIn } from '../helpers/entries-in';
import { newRecorder, plainResponse, requester } from '../helpers/recorder';
import { asked } from '../helpers/recording';
import { settled, useFakeTimers } from '../helpers/timers';

// What was written waits for a document that the browser never tells of.
useFakeTimers();
// Those of the test before.
beforeEach(() => jest.clearAllTimers());

const news: PagePlace = { kind: 'known', contextOrigin: NEWS };

const response: PlacedResponse = {
  ...plainResponse,
  place: null,
  eligibility: 'event-source',
  headers: {
    source: '{"destination": "https://shop.example"}',
    trigger: null,
    osSource: false,
    osTrigger: false,
    info: null,
  },
};

/** What the document declares of an image that it loads from there. */
const declaration: Declaration = {
  time: START,
  via: 'element',
  url: `${ADTECH}/ad`,
  eligibility: 'event-source-or-trigger',
  place: news,
  tabId: 1,
  documentId: 'd1',
  documentOrigin: NEWS,
};

/** Resolves when what changes within a second is written. */
const written = async (): Promise<void> => {
  await jest.advanceTimersByTimeAsync(1000);
  await settled();
};

const stored = async ({ store }: RecorderParts): Promise<readonly InboxRow[]> =>
  (await store.inbox.read()).rows;

type Documents = RecorderParts['documents'];

const neverKnown: Partial<Documents> = { placeNow: () => null, placeOf: () => new Promise(() => undefined) };

const partsWith = (changed: Partial<Documents>): ReturnType<typeof newRecorder> =>
  newRecorder(({ documents }) => ({ documents: { ...documents, ...changed } }));

/** A background that has written responses, and does not hear of their documents before it ends. */
async function died(...responses: readonly PlacedResponse[]): Promise<RecorderParts> {
  const parts = await partsWith(neverKnown);
  for (const each of responses) void parts.recorder.response(each);
  await settled();
  expect(await stored(parts)).toHaveLength(responses.length);
  expect(await parts.store.count('log')).toBe(0);
  return parts;
}

/** The next run of the background. */
async function next(parts: RecorderParts, place: Place): Promise<Recorder> {
  const inbox = await Inbox.load(parts.store.inbox);
  const documents = { ...parts.documents, placeOf: () => Promise.resolve(place as PagePlace) };
  return new Recorder({ ...parts, inbox, documents });
}

describe('how many transactions lead from the header to the tables of the engine', () => {
  /** The tables of each transaction that writes, while this happens. */
  async function writesOf(happens: () => Promise<unknown>): Promise<readonly string[]> {
    const transaction = jest.spyOn(IDBDatabase.prototype, 'transaction');
    await happens();
    const scopes = transaction.mock.calls
      .filter(([, mode]) => mode === 'readwrite')
      .map(([names]) => (names === 'inbox' ? 'inbox' : 'engine'));
    transaction.mockRestore();
    return scopes;
  }
  const element: PlacedResponse = { ...response, kind: 'element', eligibility: null, place: news };

  test.each<[string, PlacedResponse, Partial<Documents>]>([
    ['of a page that is known', { ...response, place: news }, {}],
    ['of an element that was declared before', element, {}],
    [
      'of a page that the browser tells of later',
      response,
      { placeNow: () => null, placeOf: () => settled().then(() => news) },
    ],
  ])('two, for a response %s', async (_what, seen, changed) => {
    const parts = await partsWith(changed);
    await parts.clock.setTo(START, true);
    if (seen === element) await parts.recorder.eligibleRequest(declaration, asked);
    expect(await writesOf(() => parts.recorder.response(seen))).toEqual(['inbox', 'engine']);
    expect(await parts.store.count('sources')).toBe(1);
    expect(await writesOf(written)).toEqual(['inbox']);
    expect((await stored(parts)).filter((row) => 'response' in row)).toEqual([]);
  });

  test('three, with that of a declaration that comes after the response', async () => {
    const parts = await partsWith({});
    await parts.clock.setTo(START, true);
    const scopes = await writesOf(async () => {
      await parts.recorder.response(element);
      await parts.recorder.eligibleRequest(declaration, asked);
      await settled();
    });
    expect([...scopes].sort()).toEqual(['engine', 'inbox', 'inbox']);
    expect(await parts.store.count('sources')).toBe(1);
  });

  test('two for each of forty, which are deleted where the next are written', async () => {
    const parts = await partsWith({});
    const scopes = await writesOf(async () => {
      for (let count = 0; count < 40; count++)
        await parts.recorder.response({ ...response, place: news, requestId: String(count) });
    });
    expect(scopes).toEqual(Array(40).fill(['inbox', 'engine']).flat());
    expect(await stored(parts)).toHaveLength(1);
    expect(await writesOf(written)).toEqual(['inbox']);
    expect(await stored(parts)).toEqual([]);
  });
});

test('a row is written while a transaction of the engine goes on', async () => {
  const { inbox, store } = await newRecorder();
  let isWritten = false;
  const long = store.write(async (tx) => {
    for (let turn = 0; turn < 1000 && !isWritten; turn++) await tx.table('log').count();
    return isWritten;
  });
  await settled();
  const { place, ...seen } = response;
  await inbox.add(seen, place)?.written;
  isWritten = true;
  expect(await long).toBe(true);
});

test('what was written before its document was known is registered once by the next run of the background', async () => {
  const parts = await died(response);
  const recorder = await next(parts, news);
  await Promise.all([recorder.catchUp(), recorder.catchUp()]);
  await (await next(parts, news)).catchUp();
  expect(await parts.store.newest('log', 9)).toMatchObject([{ kind: 'source', contextOrigin: NEWS }]);
  await written();
  expect(await stored(parts)).toEqual([]);
});

test.each<[string, PagePlace, object[]]>([
  [
    'cannot be told',
    { kind: 'unknown', unknown: 'document', seenOn: NEWS },
    [{ kind: 'ignored', reason: { code: 'page-unknown' } }],
  ],
  [
    'may not register',
    { kind: 'forbidden', seenOn: NEWS },
    [{ kind: 'ignored', reason: { code: 'permissions-policy' } }],
  ],
])('what was written registers nothing if its page %s', async (_what, place, logged) => {
  const parts = await died(response);
  await (await next(parts, place)).catchUp();
  expect(await parts.store.newest('log', 9)).toMatchObject(logged);
  expect(await parts.store.count('sources')).toBe(0);
});

test.each([
  ['its page was paused', { pausedSites: [NEWS] }],
  ['all was paused', { paused: true }],
])('what was written is forgotten if %s', async (_what, change) => {
  const parts = await died(response);
  await parts.settings.update(change);
  await (await next(parts, news)).catchUp();
  expect(await parts.store.count('log')).toBe(0);
  await written();
  expect(await stored(parts)).toEqual([]);
});

test.each([
  ['the database is replaced', ({ store }: RecorderParts) => store.replace()],
  ['everything is erased', ({ inbox }: RecorderParts) => inbox.erase(null)],
])('what waits when %s is not registered later', async (_how, erase) => {
  const parts = await died(response);
  await erase(parts);
  await (await next(parts, news)).catchUp();
  expect(await parts.store.count('log')).toBe(0);
});

test('a row whose log entry was erased before the row was deleted is registered no second time', async () => {
  const parts = await partsWith({});
  await parts.recorder.response({ ...response, place: news });
  expect(await stored(parts)).toHaveLength(1);
  await parts.store.write((tx) => tx.table('log').clear());
  // The next run finds what this one had written.
  await (await next(parts, news)).catchUp();
  expect(await parts.store.count('log')).toBe(0);
  expect(await parts.store.count('sources')).toBe(1);
});

test('an error after the transaction that registers a row makes no second entry', async () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const parts = await newRecorder(() => ({
    onReports: () => {
      throw new Error('too late');
    },
  }));
  await parts.settings.update({ debug: { enabled: true, noise: true, delay: true } });
  await parts.forcedState.set('1');
  await parts.recorder.response({ ...response, place: news });
  expect(said).toHaveBeenCalledTimes(1);
  said.mockRestore();
  expect(await parts.store.newest('log', 9)).toMatchObject([{ kind: 'source' }]);
});

test('one that cannot be registered keeps no other from it, and is tried again by the next run', async () => {
  const parts = await died(response, { ...response, requestId: '2' });
  const failing = jest.spyOn(parts.store, 'writeSoon');
  for (let times = 0; times < 2; times++) failing.mockRejectedValueOnce(new Error('the disk is full'));
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  await (await next(parts, news)).catchUp();
  // What failed, and that it could not be logged.
  expect(said).toHaveBeenCalledTimes(2);
  said.mockRestore();
  failing.mockRestore();
  expect(await parts.store.count('log')).toBe(1);
  await written();
  expect(await stored(parts)).toHaveLength(1);
  await (await next(parts, news)).catchUp();
  expect(await parts.store.count('log')).toBe(2);
  await written();
  expect(await stored(parts)).toEqual([]);
});

test('what an earlier run wrote is registered after what runs alone', async () => {
  const parts = await died(response);
  const recorder = await next(parts, news);
  let logged = -1;
  const alone = recorder.alone(async () => {
    await settled();
    logged = await parts.store.count('log');
  });
  await Promise.all([alone, recorder.catchUp()]);
  expect(logged).toBe(0);
  expect(await parts.store.count('log')).toBe(1);
});

test('a flood of responses of documents that nobody knows writes no more than its share', async () => {
  const { recorder, ...parts } = await partsWith(neverKnown);
  const headers = { ...response.headers, source: 'x'.repeat(20_000) };
  for (let count = 0; count < 200; count++) void recorder.response({ ...response, headers });
  await settled();
  const flood = (await stored(parts)).length;
  expect(flood).toBeGreaterThan(0);
  expect(flood).toBeLessThan(100);
  void recorder.response({ ...response, requester: { ...requester, tabId: 2 } });
  await settled();
  expect(await stored(parts)).toHaveLength(flood + 1);
});

test('a store notes what is registered until the rows are deleted', async () => {
  const store = await IdbStore.open('registered');
  const notedIn = async (): Promise<readonly number[]> => [
    ...(await (await IdbStore.open('registered')).inbox.read()).registered,
  ];
  const register = (...ids: readonly number[]): Promise<void> =>
    store.write((tx) => ids.forEach((id) => expect(store.noteRegistered(tx, id)).toBe(true)));
  await register(1, 2);
  await register(3);
  expect(await notedIn()).toEqual([1, 2, 3]);
  await store.write((tx) => expect(store.noteRegistered(tx, 2)).toBe(false));
  await expect(
    store.write((tx) => {
      store.noteRegistered(tx, 4);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  await store.inbox.put(new Map([1, 2].map((id) => [id, null])));
  await register(5);
  expect(await notedIn()).toEqual([3, 5]);
});

test('a store remembers nothing of rows that were deleted unregistered', async () => {
  const store = await IdbStore.open('unregistered');
  await store.write((tx) => store.noteRegistered(tx, 1));
  const noted = entriesIn(store.inbox);
  await store.inbox.put(new Map(Array.from({ length: 1000 }, (_, id) => [id, null])));
  expect(entriesIn(store.inbox)).toBeLessThanOrEqual(Math.max(noted, 1));
  await store.write((tx) => void tx.nextId());
  expect((await store.inbox.read()).registered).toEqual(new Set());
});
