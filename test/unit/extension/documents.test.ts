import type { Origin } from '../../../src/model/units';
import type { PagePlace, Unknown } from '../../../recording/places';
import { DocumentHeaders } from '../../../extension/background/documents/document-headers';
import { Documents } from '../../../extension/background/documents/documents';
import type { Requester } from '../../../recording/requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { answerQuestions, endBackground, tell } from '../helpers/webextension';

const NEWS = 'https://news.example' as Origin;
const SHOP = 'https://shop.example' as Origin;
const AD = 'https://ad.example' as Origin;
const BIDDER = 'https://bidder.example' as Origin;
const OTHERWISE = 'https://tracker.example' as Origin;
const NOBODY = 'attribution-reporting=()';
const NONE = "attribution-reporting 'none'";

let documents: Documents;

function wake(): void {
  const memory = new SessionMemory();
  documents = new Documents(new DocumentHeaders(memory), memory);
  documents.listen();
  documents.turn(true);
}

/** By the URL of a frame: its `allow` attribute. Others have none. */
let attributes: Record<string, string>;

/** A new browser: the background starts for the first time. Its pages answer at once. */
async function begin(): Promise<void> {
  endBackground();
  attributes = {};
  answerQuestions(({ frames }) =>
    Promise.resolve(frames.map(({ url }) => [{ allow: attributes[url ?? ''] ?? '', src: url ?? '' }])),
  );
  new SessionMemory().turn(false);
  await Promise.resolve();
  wake();
}

async function sleepAndWake(): Promise<void> {
  endBackground();
  await settled();
  wake();
}

/** What was told has arrived. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const respond = (frameId: number, url: string, policy = '', tabId = 1): void =>
  documents.answered({ tabId, frameId, url, policy });

const commit = (documentId: string, url: string, tabId = 1, more: Partial<Requester> = {}): void =>
  tell('committed', { documentId, url, tabId, frameId: 0, ...more });

const commitPage = (documentId: string, url: string, tabId = 1, policy = ''): void => {
  respond(0, url, policy, tabId);
  commit(documentId, url, tabId);
};

const commitFrame = (
  documentId: string,
  parentDocumentId: string,
  frameId: number,
  url: string,
  policy = '',
): void => {
  tell('beforeNavigate', { tabId: 1, frameId, url, parentDocumentId });
  respond(frameId, url, policy);
  commit(documentId, url, 1, { parentDocumentId, frameId });
};

const page = (documentId: string, documentOrigin: Origin, tabId = 1): Requester => ({
  documentId,
  documentOrigin,
  tabId,
  frameId: 0,
});

const frame = (documentId: string, parentDocumentId: string, frameId: number, origin = AD): Requester => ({
  documentId,
  parentDocumentId,
  frameId,
  tabId: 1,
  documentOrigin: origin,
});

const worker = (documentOrigin: Origin): Requester => ({
  documentOrigin,
  tabId: -1,
  frameId: -1,
});

/** A page with a frame that it forbids to register. */
async function beginWithForbidden(): Promise<void> {
  await begin();
  attributes[`${AD}/ad`] = NONE;
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, `${AD}/ad`);
  await settled();
}

const placeOf = (requester: Requester, size = 0): Promise<PagePlace> =>
  documents.placeOf(requester, OTHERWISE, size);

const known = (contextOrigin: Origin): PagePlace => ({ kind: 'known', contextOrigin });
const forbidden: PagePlace = { kind: 'forbidden', seenOn: NEWS };
const unknown = (what: Unknown, seenOn: Origin): PagePlace => ({ kind: 'unknown', unknown: what, seenOn });

const find = (id: string) => documents.find(1, id);

describe('a request that the browser tells of before its document', () => {
  it.each<readonly [string, Partial<Requester> & { readonly documentLifecycle?: string }]>([
    ['a page', {}],
    ['a page that Chrome prepares', { frameId: 7, documentLifecycle: 'prerender' }],
  ])('waits for the policy of %s', async (_what, more) => {
    await begin();
    respond(more.frameId ?? 0, `${NEWS}/`, NOBODY);
    const asking = placeOf({ ...page('page', NEWS), ...more });
    await settled();
    commit('page', `${NEWS}/`, 1, more);
    commit('page', `${NEWS}/`, 1);
    expect(await asking).toEqual(forbidden);
  });

  it('waits for the page of a frame', async () => {
    await begin();
    const asking = placeOf(frame('ad', 'page', 10));
    await settled();
    commitPage('page', NEWS);
    commitFrame('ad', 'page', 10, AD);
    expect(await asking).toEqual(known(NEWS));
  });

  it('waits for the response that becomes the document, which Firefox may tell of later', async () => {
    await begin();
    commit('page', `${NEWS}/`);
    const asking = placeOf(page('page', NEWS));
    await settled();
    respond(0, `${NEWS}/`, NOBODY);
    expect(await asking).toEqual(forbidden);
  });

  it('waits no longer where many of its tab wait, and leaves room for those of other tabs', async () => {
    await begin();
    const flood = Array.from({ length: 1000 }, () => placeOf(frame('none', 'page', 10)));
    const asking = placeOf(page('other', NEWS, 2));
    const answered = await Promise.race([flood[0], flood.at(-1)?.then(() => 'the last')]);
    expect(answered).toBe('the last');
    expect(await flood.at(-1)).toEqual(unknown('document', AD));
    commitPage('other', NEWS, 2, NOBODY);
    expect(await asking).toEqual(forbidden);
    await Promise.all(flood);
  });

  it('lets no more than two megabytes of headers wait, half of them for one tab', async () => {
    await begin();
    const size = 250_000;
    const answered: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await placeOf(frame('none', 'page', 10), size);
        answered.push(index);
      }),
    );
    // Those that do not wait come first, however long that takes.
    expect(answered.slice(0, 4).sort()).toEqual([4, 5, 6, 7]);
  });
});

describe('what stays unknown', () => {
  it.each<[what: string, unknown: Unknown, happen: () => void | Promise<void>]>([
    ['a page that was there before', 'response', () => commit('page', `${NEWS}/`)],
    ['a frame of a page without a content script', 'frame-attribute', () => answerQuestions()],
    [
      'a frame that its page does not find',
      'frame-attribute',
      () => answerQuestions(({ frames }) => Promise.resolve(frames.map(() => []))),
    ],
    [
      'a frame of a page that answers nonsense',
      'frame-attribute',
      () => answerQuestions(() => Promise.resolve({ allow: '' })),
    ],
  ])('of %s, it registers nothing', async (_what, what, happen) => {
    jest.useFakeTimers({ now: Date.now() });
    await begin();
    await happen();
    commitPageUnless(what);
    commitFrame('ad', 'page', 10, `${AD}/ad`);
    const asking = placeOf(frame('ad', 'page', 10));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await asking).toEqual(unknown(what, NEWS));
    jest.useRealTimers();
  });

  const commitPageUnless = (what: Unknown): void =>
    what === 'response' ? undefined : commitPage('page', `${NEWS}/`);

  it('a worker of documents on pages of two sites', async () => {
    await begin();
    commitPage('page', NEWS);
    commitPage('other', SHOP, 2);
    commitFrame('ad', 'page', 10, AD);
    commit('ad there', AD, 2, { parentDocumentId: 'other', frameId: 20 });
    await settled();
    expect(await placeOf(worker(AD))).toEqual(unknown('worker', AD));
  });

  it('a frame whose first URL the background did not hear of', async () => {
    await begin();
    const asked: (string | null)[] = [];
    answerQuestions(({ frames }) => {
      asked.push(...frames.map(({ url }) => url));
      return Promise.resolve(frames.map(() => []));
    });
    commitPage('page', NEWS);
    respond(10, AD);
    commit('ad', AD, 1, { parentDocumentId: 'page', frameId: 10 });
    // A later URL may be the frame’s own choice.
    commitFrame('second', 'page', 10, `${AD}/second`);
    await settled();
    expect(asked).toEqual([null, null]);
  });
});

describe('a frame that its page forbids to register', () => {
  const ask = (id = 'ad'): Promise<PagePlace> => placeOf(frame(id, 'page', 10));

  it('may not do so from another document of its own, also after the background slept', async () => {
    await beginWithForbidden();
    expect(await ask()).toEqual(forbidden);
    commitFrame('second', 'page', 10, `${AD}/second`);
    expect(await ask('second')).toEqual(forbidden);
    await sleepAndWake();
    commitFrame('third', 'page', 10, `${AD}/third`);
    expect(await ask('third')).toEqual(forbidden);
    await sleepAndWake();
    expect(await ask('third')).toEqual(forbidden);
  });

  it.each([600, 6000])('may not do so after it has made %i frames', async (count) => {
    await beginWithForbidden();
    for (let id = 0; id < count; id++) commitFrame(`in ${id}`, 'ad', 100 + id, `${AD}/in`);
    expect((await ask()).kind).not.toBe('known');
    commitFrame('second', 'page', 10, `${AD}/second`);
    expect(await ask('second')).toEqual(forbidden);
  });

  it('may not do so because another element that it may be of allows it', async () => {
    await begin();
    answerQuestions(({ frames }) =>
      Promise.resolve(frames.map(() => ['', NONE, ''].map((allow) => ({ allow, src: `${AD}/ad` })))),
    );
    commitPage('page', NEWS);
    commitFrame('ad', 'page', 10, `${AD}/ad`);
    expect(await ask()).toEqual(forbidden);
  });

  it('may not do so while its page is too busy to say so, and is asked again after the background slept', async () => {
    await begin();
    const answers: ((answer: unknown) => void)[] = [];
    answerQuestions(() => new Promise((resolve) => answers.push(resolve)));
    commitPage('page', NEWS);
    commitFrame('ad', 'page', 10, `${AD}/ad`);
    await settled();
    expect(documents.placeNow(frame('ad', 'page', 10), OTHERWISE)).toBeNull();
    await sleepAndWake();
    const asking = ask();
    await settled();
    expect(answers).toHaveLength(2);
    answers[1]?.([[{ allow: NONE, src: AD }]]);
    expect(await asking).toEqual(forbidden);
  });
});

it('a page is asked one question at a time, however many frames it has', async () => {
  await begin();
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  answerQuestions(({ frames }) => {
    asked.push(frames.length);
    return new Promise((resolve) => {
      answers.push(() => resolve(frames.map(() => [{ allow: '', src: AD }])));
    });
  });
  commitPage('page', NEWS);
  for (let id = 1; id <= 121; id++) commitFrame(`ad ${id}`, 'page', 10 + id, AD);
  await settled();
  expect(asked).toEqual([1]);
  for (let answered = 0; answered < 4; answered++) {
    answers[answered]?.();
    await settled();
  }
  expect(asked).toEqual([1, 50, 50, 20]);
  expect(await placeOf(frame('ad 121', 'page', 131))).toEqual(known(NEWS));
});

it('a frame that a frame forbids to register may not do so after it has made 600 frames with policies', async () => {
  await begin();
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, AD, 'attribution-reporting=(self)');
  commitFrame('bidder', 'ad', 11, BIDDER);
  const maker = frame('bidder', 'ad', 11, BIDDER);
  expect(await placeOf(maker)).toEqual(forbidden);
  for (let id = 0; id < 600; id++) respond(100 + id, BIDDER, 'attribution-reporting=*');
  expect((await placeOf(maker)).kind).not.toBe('known');
});

it('a document that a service worker answered has the header of what the worker was answered', async () => {
  await begin();
  documents.workerAnswered(NEWS, `${NEWS}/page`, NOBODY);
  commit('page', `${NEWS}/page`);
  expect(await placeOf(page('page', NEWS))).toEqual(forbidden);
  commit('other', `${NEWS}/other`, 2);
  documents.workerAnswered(NEWS, `${NEWS}/other`, '');
  expect(await placeOf(page('other', NEWS, 2))).toEqual(known(NEWS));
});

describe('what a page asked for before it was left', () => {
  it('is known of the last hundred pages of a tab, and of those of other tabs', async () => {
    await begin();
    commitPage('of another tab', `${NEWS}/`, 2);
    commitPage('left there', `${NEWS}/`, 3);
    commitPage('next there', `${AD}/`, 3);
    for (let number = 0; number <= 150; number++) commitPage(`page ${number}`, `${NEWS}/`);
    await settled();
    const ids = ['page 49', 'page 50', 'page 150', 'of another tab', 'left there'];
    const found = await Promise.all(ids.map((id) => find(id)));
    expect(found.map((one) => one?.id)).toEqual([undefined, ...ids.slice(1)]);
  });

  it('is known although the device’s clock is set forward', async () => {
    await begin();
    commitPage('page', `${NEWS}/`);
    commitPage('next', `${SHOP}/`);
    await settled();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    commitPage('last', `${SHOP}/`);
    await settled();
    now.mockRestore();
    expect((await find('page'))?.id).toBe('page');
  });

  it('is forgotten after some minutes although the device’s clock was set back while the background slept', async () => {
    const passed = performance.now();
    await begin();
    commitPage('page', `${NEWS}/`);
    commitPage('next', `${SHOP}/`);
    await find('next');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(passed - 3_600_000);
    await sleepAndWake();
    expect((await find('page'))?.id).toBe('page');
    clock.mockReturnValue(passed - 3_600_000 + 6 * 60_000);
    commitPage('last', `${SHOP}/`);
    expect((await find('last'))?.id).toBe('last');
    clock.mockRestore();
    expect(await find('page')).toBeUndefined();
  });

  it('obeys its policy when the answer comes after its tab was closed', async () => {
    await begin();
    commitPage('page', NEWS, 1, NOBODY);
    tell('removed', 1);
    expect(await placeOf(page('page', NEWS))).toEqual(forbidden);
    // Chrome names no tab any more.
    expect(await placeOf(worker(NEWS))).toEqual(forbidden);
  });

  it('obeys its policy where the browser does not name its document', async () => {
    await begin();
    commitPage('page', NEWS, 1, NOBODY);
    commitPage('next', SHOP);
    const unnamed: Requester = { documentOrigin: NEWS, tabId: 1, frameId: 0 };
    expect(await placeOf(unnamed)).toEqual(forbidden);
    expect(await placeOf({ ...unnamed, documentOrigin: SHOP })).toEqual(known(SHOP));
  });

  // Firefox names what is in the tab when the request begins.
  it.each([
    ['the document that asks', { documentId: 'ad' }],
    ['no document that asks', {}],
  ])(
    'counts on it where the browser names the next page as the one around its frame, and %s',
    async (_what, named) => {
      await begin();
      commitPage('page', NEWS);
      commitFrame('ad', 'page', 10, AD);
      commitPage('next', SHOP);
      const told = { tabId: 1, frameId: 10, parentDocumentId: 'next', documentOrigin: AD };
      expect(await placeOf({ ...told, ...named })).toEqual(known(NEWS));
    },
  );

  it('counts on it also where the browser reports the document of its frame after the next page', async () => {
    await begin();
    commitPage('page', NEWS);
    tell('beforeNavigate', { tabId: 1, frameId: 10, url: AD, parentDocumentId: 'page' });
    commitPage('next', SHOP);
    commitFrame('ad', 'next', 10, AD);
    expect(await placeOf(frame('ad', 'next', 10))).toEqual(known(NEWS));
  });

  describe('where the browser names no document', () => {
    const unnamed = (documentOrigin: Origin | null): Requester => ({
      ...{ documentOrigin, tabId: 1, frameId: 10 },
    });
    /** The page has a frame with these documents, one after the other. */
    const beginWithFrame = async (...urls: readonly string[]): Promise<void> => {
      await begin();
      commitPage('page', NEWS);
      for (const [index, url] of urls.entries()) commitFrame(`frame ${index}`, 'page', 10, url);
      await settled();
    };

    it.each([
      ['a document of another origin', [`${AD}/ad`], SHOP, 'unknown'],
      ['a document of its origin', [`${AD}/ad`], AD, 'known'],
      ['a document that has the origin of the page around it', ['about:srcdoc'], NEWS, 'known'],
      ['a document that has another origin of the page around it', ['about:srcdoc'], SHOP, 'unknown'],
      ['the only document, which may be in a sandbox', [`${AD}/ad`], null, 'known'],
      ['one of several that may be in a sandbox', [`${AD}/ad`, `${SHOP}/ad`], null, 'unknown'],
    ] as const)('a request is judged by %s', async (_which, urls, origin, kind) => {
      await beginWithFrame(...urls);
      expect((await placeOf(unnamed(origin))).kind).toBe(kind);
    });
  });
});

it('tells the URLs around a document, but for those without a server', async () => {
  await begin();
  commitPage('page', `${NEWS}/`);
  commitFrame('ad', 'page', 10, `${AD}/ad`);
  commitFrame('written', 'ad', 11, 'about:srcdoc');
  await find('written');
  expect(documents.urlsAround('written')).toEqual([`${AD}/ad`, `${NEWS}/`]);
});

it('knows that a page was left, and that its frames left with it, until it comes back', async () => {
  await begin();
  commitPage('page', `${NEWS}/`);
  commitFrame('ad', 'page', 10, `${AD}/ad`);
  await find('ad');
  const left = (): readonly boolean[] => ['page', 'ad', 'next', 'strange'].map((id) => documents.wasLeft(id));
  expect([left(), documents.wasLeft(undefined)]).toEqual([[false, false, false, false], false]);
  commitPage('next', `${SHOP}/`);
  await find('next');
  expect(left()).toEqual([true, true, false, false]);
  commit('page', `${NEWS}/`);
  await settled();
  expect(left()).toEqual([false, false, true, false]);
});

it('a tab that is closed while the background sleeps takes no worker’s requests', async () => {
  await begin();
  commitPage('closed', SHOP, 2);
  tell('committed', { documentId: 'in closed', parentDocumentId: 'closed', url: AD, tabId: 2, frameId: 20 });
  commitPage('page', NEWS);
  commitFrame('ad', 'page', 10, AD);
  await sleepAndWake();
  tell('removed', 2);
  expect(await placeOf(worker(AD))).toEqual(known(NEWS));
});
