import type { Origin } from '../../src/model/units';
import { moment } from '../../src/model/units';
import type { PagePlace, RegistrationHeaders, UndecidedResponse } from '../../src/model/requests';
import {
  DECLARATION_TIME,
  decideOverdue,
  noteEligibleRequest,
  noteResponse,
  type Declaration,
} from '../../recording/requests';
import { decideRegistration } from '../../recording/decide-registration';
import type { Transaction } from '../../src/store/store';
import { MemoryStore } from '../../analysis/store/memory-store';

const NEWS = 'https://news.example' as Origin;
const FRAME = 'https://frame.example' as Origin;
const SHOP = 'https://shop.example' as Origin;
const ADTECH = 'https://adtech.example' as Origin;
const URL = 'https://adtech.example/pixel';
const T = 1_800_000_000_000;

const none: RegistrationHeaders = {
  source: null,
  trigger: null,
  osSource: false,
  osTrigger: false,
  info: null,
};
const sourceHeaders: RegistrationHeaders = { ...none, source: '{}' };
const triggerHeaders: RegistrationHeaders = { ...none, trigger: '{}' };

type Response = Omit<UndecidedResponse, 'id' | 'decided'>;

const known = (contextOrigin: Origin): PagePlace => ({ kind: 'known', contextOrigin });
const news = known(NEWS);

const response = (fields: Partial<Response> = {}): Response => ({
  time: moment(T),
  requestId: 'r1',
  kind: 'element',
  requestUrl: URL,
  reportingOrigin: ADTECH,
  tabId: 1,
  openerTabId: null,
  documentId: 'd1',
  documentOrigin: NEWS,
  place: news,
  headers: sourceHeaders,
  eligibility: null,
  ...fields,
});

type Fields = Partial<Declaration> & { readonly requestId?: string };

/** A click is followed by the request of `response`, unless the fields say otherwise. */
const declaration = (fields: Fields = {}): Declaration => {
  const common = {
    time: moment(T),
    url: URL,
    tabId: 1,
    documentId: 'd1',
    documentOrigin: NEWS,
    place: news,
  };
  return (
    fields.via === 'navigation'
      ? { ...common, eligibility: 'navigation-source', requestId: 'r1', navigation: 'a click', ...fields }
      : { ...common, via: 'element', eligibility: 'event-source-or-trigger', ...fields }
  ) as Declaration;
};

const eligible = { eligibility: 'event-source-or-trigger', place: news };
const unset = { eligibility: 'unset', place: news };

let store: MemoryStore;
beforeEach(() => (store = new MemoryStore()));

const respond = (fields: Partial<Response> = {}): Promise<UndecidedResponse> =>
  store.write((tx) => noteResponse(tx, response(fields)));
const declare = (fields: Fields = {}): Promise<readonly UndecidedResponse[]> =>
  store.write((tx) => noteEligibleRequest(tx, declaration(fields)));
const decidedAfter = async (after: number): Promise<readonly UndecidedResponse[]> =>
  (await store.write((tx) => decideOverdue(tx, moment(T + after)))).decided;

describe('a response with a source header', () => {
  test('is decided at once when its request was declared before', async () => {
    expect(await declare()).toEqual([]);
    expect((await respond()).decided).toEqual(eligible);
  });

  test('waits for its declaration, which then decides it', async () => {
    const noted = await respond();
    expect(noted.decided).toBeNull();
    expect(await declare()).toEqual([{ ...noted, decided: eligible }]);
    // It is decided once.
    expect(await declare()).toEqual([]);
  });

  test.each<[string, Fields]>([
    ['another URL', { url: `${URL}?x` }],
    ['another document in the same tab and frame', { documentId: 'd2' }],
    ['a navigation to the same URL', { via: 'navigation' }],
  ])('is not decided by a declaration of %s, whichever comes first', async (_name, fields) => {
    await declare(fields);
    expect((await respond()).decided).toBeNull();
    expect(await declare(fields)).toEqual([]);
    expect(await decidedAfter(DECLARATION_TIME)).toMatchObject([{ decided: unset }]);
  });

  test('counts as undeclared when the time is over, not before', async () => {
    const noted = await respond();
    const early = await store.write((tx) => decideOverdue(tx, moment(T + DECLARATION_TIME - 1)));
    expect(early).toEqual({ decided: [], open: [noted] });
    expect(await decidedAfter(DECLARATION_TIME)).toMatchObject([{ requestId: 'r1', decided: unset }]);
    // A later declaration changes nothing.
    expect(await declare()).toEqual([]);
  });

  test('of the operating system waits, too', async () => {
    expect((await respond({ headers: { ...none, osSource: true } })).decided).toBeNull();
  });

  test('registers for the page around a frame, not for the frame', async () => {
    await declare({ documentId: 'd3', documentOrigin: FRAME });
    const noted = await respond({ documentId: 'd3', documentOrigin: FRAME });
    expect(noted.decided).toEqual(eligible);
  });

  test('takes the page from the browser, never from the declaration', async () => {
    await declare({ place: known(SHOP) });
    expect((await respond()).decided?.place).toEqual(news);
  });
});

test.each(['element', 'fetch', 'worker'] as const)(
  'nothing registers of a request whose beginning is unknown, whatever was declared: %s',
  async (kind) => {
    await declare();
    for (const headers of [sourceHeaders, triggerHeaders]) {
      const noted = await respond({ kind, headers, eligibility: 'unknown' });
      expect(noted.decided).toEqual({ ...unset, eligibility: 'unknown' });
      const result = decideRegistration({ ...noted, eligibility: 'unknown', place: news, fenced: false });
      expect(result).toMatchObject({ kind: 'ignored', reason: { code: 'eligibility-unknown' } });
    }
  },
);

describe('a response without a source header', () => {
  test('needs no declaration: a trigger counts on any request', async () => {
    expect((await respond({ headers: triggerHeaders })).decided).toEqual(unset);
  });

  test('keeps to a declaration that came first', async () => {
    await declare({ eligibility: 'empty' });
    expect((await respond({ headers: triggerHeaders })).decided).toEqual({ ...unset, eligibility: 'empty' });
  });
});

describe('redirects', () => {
  const hop = (time: number): Partial<Response> => ({
    time: moment(T + time),
    reportingOrigin: `https://hop${time}.example` as Origin,
  });

  test('after a declaration are all decided by it', async () => {
    await declare();
    for (const time of [0, 1, 2]) expect((await respond(hop(time))).decided).toEqual(eligible);
  });

  test('before the declaration all wait for it', async () => {
    await respond(hop(0));
    await respond(hop(1));
    expect((await declare()).map(({ reportingOrigin, decided }) => [reportingOrigin, decided])).toEqual([
      ['https://hop0.example', eligible],
      ['https://hop1.example', eligible],
    ]);
    // Responses that come later are decided at once.
    expect((await respond(hop(2))).decided).toEqual(eligible);
  });

  test('of a request that says itself what it is eligible for need no declaration', async () => {
    await declare({ eligibility: 'trigger' });
    const marked = await respond({ kind: 'fetch', eligibility: 'event-source' });
    expect(marked.decided).toEqual({ ...eligible, eligibility: 'event-source' });
  });

  test('belong to an element once, however often it was declared', async () => {
    await declare({ eligibility: 'trigger' });
    await declare();
    expect((await respond()).decided).toEqual(eligible);
    expect((await respond({ requestId: 'r2' })).decided).toBeNull();
  });

  test('of another request for the same URL need a declaration of their own', async () => {
    await declare();
    expect((await respond()).decided).toEqual(eligible);
    expect((await respond({ requestId: 'r2' })).decided).toBeNull();
    expect(await declare()).toMatchObject([{ requestId: 'r2', decided: eligible }]);
  });

  test('of two requests that wait are decided one request at a time, the older first', async () => {
    await respond();
    await respond({ requestId: 'r2' });
    await respond();
    expect((await declare()).map(({ requestId }) => requestId)).toEqual(['r1', 'r1']);
    expect((await declare()).map(({ requestId }) => requestId)).toEqual(['r2']);
  });
});

describe('a click', () => {
  const click: Fields = { via: 'navigation' };
  const clicked = { ...eligible, eligibility: 'navigation-source', navigation: 'a click' };
  const navigation: Partial<Response> = { kind: 'navigation', place: known(SHOP) };

  test('registers for the page that it left, also from another tab', async () => {
    await declare(click);
    const noted = await respond({ ...navigation, tabId: 9 });
    expect(noted.decided).toEqual(clicked);
  });

  test('registers on a redirect, which is on no page', async () => {
    await declare(click);
    const noted = await respond({ ...navigation, place: { kind: 'redirect' } });
    expect(noted.decided).toEqual(clicked);
  });

  test('does not count for a navigation that another document started', async () => {
    await declare(click);
    expect((await respond({ ...navigation, documentOrigin: FRAME })).decided).toBeNull();
    expect((await decidedAfter(DECLARATION_TIME)).map(({ decided }) => decided)).toEqual([
      { ...unset, place: known(SHOP) },
    ]);
  });

  test.each([
    ['the same tab', { tabId: 1 }, true],
    ['a tab opened from it', { tabId: 9, openerTabId: 1 }, true],
    ['another tab', { tabId: 9 }, false],
  ])('in a sandbox counts for a navigation in %s: %j, %s', async (_where, tab, counts) => {
    await declare({ ...click, documentOrigin: null });
    const { decided } = await respond({ ...navigation, ...tab, documentOrigin: null });
    expect(decided !== null).toBe(counts);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])(
    'counts for the navigation that followed it only, and is known %s the response',
    async (_when, isBefore) => {
      if (isBefore) await declare({ ...click, requestId: 'r2' });
      const first = await respond(navigation);
      const second = await respond({ ...navigation, requestId: 'r2' });
      const decided = isBefore ? [] : await declare({ ...click, requestId: 'r2' });
      expect(first.decided).toBeNull();
      expect(isBefore ? second.decided : decided[0]?.decided).toEqual(clicked);
      expect(
        (await decidedAfter(DECLARATION_TIME)).map(({ requestId, decided: one }) => [
          requestId,
          one?.eligibility,
        ]),
      ).toEqual([
        ['r1', 'unset'],
        ['r2', 'navigation-source'],
      ]);
    },
  );

  test('does not count for an image of the same URL', async () => {
    await declare(click);
    expect((await respond()).decided).toBeNull();
  });
});

describe('a worker’s response', () => {
  const worker: Partial<Response> = {
    kind: 'worker',
    tabId: -1,
    documentId: null,
    place: { kind: 'unknown', unknown: 'worker', seenOn: NEWS },
  };

  test('belongs to an element of a document of its origin, and counts on that page', async () => {
    await declare({ documentOrigin: FRAME });
    expect((await respond({ ...worker, documentOrigin: FRAME })).decided).toEqual(eligible);
  });

  test('belongs to no element of another origin, nor to one in a sandbox', async () => {
    await declare({ documentOrigin: FRAME });
    await declare({ documentId: 'd2', documentOrigin: null });
    expect((await respond({ ...worker, documentOrigin: NEWS })).decided).toBeNull();
    expect((await respond({ ...worker, documentOrigin: null })).decided).toBeNull();
  });
});

describe('what other documents declare and ask for at the same URL', () => {
  /** How many rows are read. */
  async function rowsRead(work: (tx: Transaction) => Promise<unknown>): Promise<number> {
    let count = 0;
    await store.write((tx) =>
      work({
        ...tx,
        table: (name) => {
          const table = tx.table(name);
          const where: typeof table.where = async (...asked) => {
            const rows = await table.where(...asked);
            count += rows.length;
            return rows;
          };
          return { ...table, where };
        },
      }),
    );
    return count;
  }

  const other = { documentId: 'd2', documentOrigin: FRAME, place: known(FRAME), tabId: 2 };
  beforeEach(async () => {
    for (let count = 0; count < 50; count++) {
      await respond({ ...other, requestId: `other ${count}` });
      await respond({ ...other, requestId: `click ${count}`, kind: 'navigation' });
      await respond({ ...other, requestId: `worker ${count}`, kind: 'worker', documentId: null });
      await declare({ ...other, documentId: `d2 ${count}` });
      await declare({ ...other, via: 'navigation', documentId: `d2 ${count}` });
    }
  });

  test.each<[string, Partial<Response>, Fields]>([
    ['an element', {}, {}],
    ['a click', { kind: 'navigation' }, { via: 'navigation' }],
    [
      'a click in a sandbox',
      { kind: 'navigation', documentOrigin: null },
      { via: 'navigation', documentOrigin: null },
    ],
    ['a worker', { kind: 'worker', documentId: null, tabId: -1 }, {}],
  ])('costs %s nothing', async (_what, asked, declared) => {
    expect(await rowsRead((tx) => noteEligibleRequest(tx, declaration(declared)))).toBe(0);
    expect(await rowsRead((tx) => noteResponse(tx, response(asked)))).toBe(1);
    await respond({ ...asked, requestId: 'r2' });
    expect(await rowsRead((tx) => noteEligibleRequest(tx, declaration(declared)))).toBeLessThan(5);
  });
});

describe('what is overdue', () => {
  // A response may take a minute.
  test('declarations without a response are forgotten, and then decide nothing', async () => {
    await declare();
    await decidedAfter(59_999);
    expect(await store.read((tx) => tx.table('eligibleRequests').count())).toBe(1);
    await decidedAfter(60_000);
    expect(await store.read((tx) => tx.table('eligibleRequests').count())).toBe(0);
    expect((await respond()).decided).toBeNull();
  });

  test('a declaration decides no response that is more than a minute away', async () => {
    await declare();
    expect((await respond({ time: moment(T + 60_001) })).decided).toBeNull();
    expect((await respond({ time: moment(T + 60_000) })).decided).toEqual(eligible);
  });

  test('responses that the clock was set back over are decided at once', async () => {
    await respond();
    expect(await decidedAfter(-1)).toMatchObject([{ decided: unset }]);
  });

  test('responses that were decided but not dealt with come up again', async () => {
    const noted = await respond({ headers: triggerHeaders });
    expect(await decidedAfter(0)).toEqual([noted]);
    await store.write((tx) => tx.table('undecidedResponses').delete(noted.id));
    expect(await decidedAfter(0)).toEqual([]);
  });
});
