import 'fake-indexeddb/auto';
import type { Arrival, PagePlace } from '../../src/model/requests';
import { Recorder, type RecorderParts } from '../../extension/background/recorder';
import { NEWS } from './helpers/engine';
import { asker, newRecorder, plainArrival } from './helpers/recorder';

// What was written waits for a document that the browser never tells of.
beforeAll(
  () => void jest.useFakeTimers({ doNotFake: ['Date', 'setImmediate', 'nextTick', 'queueMicrotask'] }),
);
afterAll(() => void jest.useRealTimers());

const news: PagePlace = { kind: 'known', contextOrigin: NEWS };

const response: Omit<Arrival, 'decided'> = {
  ...plainArrival,
  place: null,
  asker,
  eligibility: 'event-source',
  headers: {
    source: '{"destination": "https://shop.example"}',
    trigger: null,
    osSource: false,
    osTrigger: false,
    info: null,
  },
};

/** Resolves when all that needs no timer has happened. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A background that has written responses, and does not hear of their documents before it ends. */
async function died(...responses: readonly Omit<Arrival, 'decided'>[]): Promise<RecorderParts> {
  const parts = await newRecorder(({ documents }) => ({
    documents: { ...documents, placeNow: () => null, placeOf: () => new Promise(() => undefined) },
  }));
  for (const each of responses) void parts.recorder.response(each);
  await settled();
  expect((await parts.store.arrivals()).size).toBe(responses.length);
  expect(await parts.store.count('undecidedResponses')).toBe(0);
  return parts;
}

/** The next run of the background. */
const next = (parts: RecorderParts, place: PagePlace): Recorder =>
  new Recorder({
    ...parts,
    documents: { ...parts.documents, placeLater: () => Promise.resolve(place) },
  });

test('what was written before its document was known is registered once by the next run of the background', async () => {
  const parts = await died(response);
  const recorder = next(parts, news);
  await Promise.all([recorder.catchUp(), recorder.catchUp()]);
  await next(parts, news).catchUp();
  expect(await parts.store.newest('log', 9)).toMatchObject([{ kind: 'source', contextOrigin: NEWS }]);
  expect((await parts.store.arrivals()).size).toBe(0);
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
  await next(parts, place).catchUp();
  expect(await parts.store.newest('log', 9)).toMatchObject(logged);
  expect(await parts.store.count('sources')).toBe(0);
});

test.each([
  ['its page was paused', { pausedSites: [NEWS] }],
  ['all was paused', { paused: true }],
])('what was written is forgotten if %s', async (_what, change) => {
  const parts = await died(response);
  await parts.settings.update(change);
  await next(parts, news).catchUp();
  expect(await parts.store.count('log')).toBe(0);
  expect((await parts.store.arrivals()).size).toBe(0);
});

test('what is erased with everything else is not registered later', async () => {
  const parts = await died(response);
  await parts.store.replace();
  await next(parts, news).catchUp();
  expect(await parts.store.count('log')).toBe(0);
});

test('what is noted twice after a death is registered once', async () => {
  const parts = await died(response);
  const [id] = [...(await parts.store.arrivals()).keys()];
  // The death came between the two transactions.
  const departing = jest.spyOn(parts.store, 'depart').mockReturnValue(new Promise(() => undefined));
  void next(parts, news).catchUp();
  await settled();
  expect(await parts.store.newest('undecidedResponses', 9)).toMatchObject([{ arrival: id }]);
  expect(await parts.store.count('log')).toBe(0);
  departing.mockRestore();
  await next(parts, news).catchUp();
  expect(await parts.store.count('log')).toBe(1);
});

test('one that cannot be noted keeps no other from it, and is tried again by the next run', async () => {
  const parts = await died(response, { ...response, requestId: '2' });
  const failing = jest.spyOn(parts.store, 'writeSoon').mockRejectedValueOnce(new Error('the disk is full'));
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  await next(parts, news).catchUp();
  expect(said).toHaveBeenCalledTimes(1);
  said.mockRestore();
  failing.mockRestore();
  expect(await parts.store.count('log')).toBe(1);
  expect((await parts.store.arrivals()).size).toBe(1);
  await next(parts, news).catchUp();
  expect(await parts.store.count('log')).toBe(2);
  expect((await parts.store.arrivals()).size).toBe(0);
});

test('what an earlier run wrote is noted after what runs alone', async () => {
  const parts = await died(response);
  const recorder = next(parts, news);
  let noted = -1;
  const alone = recorder.alone(async () => {
    await settled();
    noted = await parts.store.count('undecidedResponses');
  });
  await Promise.all([alone, recorder.catchUp()]);
  expect(noted).toBe(0);
  expect(await parts.store.count('log')).toBe(1);
});

test('a flood of responses of documents that nobody knows writes no more than its share', async () => {
  const { recorder, store } = await newRecorder(({ documents }) => ({
    documents: { ...documents, placeNow: () => null, placeOf: () => new Promise(() => undefined) },
  }));
  const headers = { ...response.headers, source: 'x'.repeat(20_000) };
  for (let count = 0; count < 200; count++) void recorder.response({ ...response, headers });
  await settled();
  const flood = (await store.arrivals()).size;
  expect(flood).toBeGreaterThan(0);
  expect(flood).toBeLessThan(100);
  void recorder.response({ ...response, tabId: 2 });
  await settled();
  expect((await store.arrivals()).size).toBe(flood + 1);
});
