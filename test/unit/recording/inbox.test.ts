import type { Inbox } from '../../../extension/background/record/inbox';
import type { Origin } from '../../../src/model/units';
import { moment } from '../../../src/model/units';
import type { PagePlace, Place } from '../../../recording/places';
import {
  DECLARATION_TIME,
  type Declaration,
  type ObservedResponse,
  type RegistrationHeaders,
  type StoredResponse,
} from '../../../recording/requests';
import { decideRegistration } from '../../../recording/decide-registration';
import { InboxTable, newInbox } from '../helpers/inbox';

// What is written a second later is not looked at here.
beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

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

const known = (contextOrigin: Origin): PagePlace => ({ kind: 'known', contextOrigin });
const news = known(NEWS);

/** What differs from a response to an image of a page. */
type Response = Partial<Omit<ObservedResponse, 'requester'>> & {
  readonly place?: Place | null;
  readonly tabId?: number;
  readonly documentId?: string | null;
  readonly documentOrigin?: Origin | null;
};

function response({ tabId = 1, documentId = 'd1', ...fields }: Omit<Response, 'place'>): ObservedResponse {
  const { documentOrigin = NEWS, ...others } = fields;
  const document = documentId === null ? {} : { documentId };
  return {
    time: moment(T),
    requestId: 'r1',
    kind: 'element',
    requestUrl: URL,
    reportingOrigin: ADTECH,
    openerTabId: null,
    requester: { tabId, frameId: 0, ...document, documentOrigin },
    headers: sourceHeaders,
    eligibility: null,
    ...others,
  };
}

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

let table: InboxTable;
let inbox: Inbox;
beforeEach(async () => {
  table = new InboxTable();
  inbox = await newInbox(table);
});

function respond({ place = news, ...fields }: Response = {}): StoredResponse {
  const added = inbox.add(response(fields), place);
  if (added === null) throw new Error('no room');
  return added.row;
}
const declare = (fields: Fields = {}): readonly StoredResponse[] =>
  inbox.declare(declaration(fields))?.decided ?? [];
/** What is decided after so many ms. */
function decidedAfter(after: number): readonly StoredResponse[] {
  inbox.decideOverdue(moment(T + after));
  return inbox.responses.filter(({ decided }) => decided !== null);
}

describe('a response with a source header', () => {
  test('is decided at once when its request was declared before', () => {
    expect(declare()).toEqual([]);
    expect(respond().decided).toEqual(eligible);
  });

  test('is the oldest of a URL that is decided, whenever its page was known', () => {
    const first = respond({ place: null });
    respond({ requestId: 'r2' });
    inbox.place(first.id, news);
    expect(declare()).toMatchObject([{ id: first.id }]);
    expect(declare()).toMatchObject([{ response: { requestId: 'r2' } }]);
  });

  test('waits for its declaration, which then decides it', () => {
    const noted = respond();
    expect(noted.decided).toBeNull();
    expect(declare()).toEqual([{ ...noted, decided: eligible }]);
    // It is decided once.
    expect(declare()).toEqual([]);
  });

  test.each<[string, Fields]>([
    ['another URL', { url: `${URL}?x` }],
    ['another document in the same tab and frame', { documentId: 'd2' }],
    ['a navigation to the same URL', { via: 'navigation' }],
  ])('is not decided by a declaration of %s, whichever comes first', (_name, fields) => {
    declare(fields);
    expect(respond().decided).toBeNull();
    expect(declare(fields)).toEqual([]);
    expect(decidedAfter(DECLARATION_TIME)).toMatchObject([{ decided: unset }]);
  });

  test('counts as undeclared when the time is over, not before', () => {
    const noted = respond();
    expect(decidedAfter(DECLARATION_TIME - 1)).toEqual([]);
    expect(decidedAfter(DECLARATION_TIME)).toEqual([{ ...noted, decided: unset }]);
    // A later declaration changes nothing.
    expect(declare()).toEqual([]);
  });

  test('of the operating system waits, too', () => {
    expect(respond({ headers: { ...none, osSource: true } }).decided).toBeNull();
  });

  test('registers for the page around a frame, not for the frame', () => {
    declare({ documentId: 'd3', documentOrigin: FRAME });
    const noted = respond({ documentId: 'd3', documentOrigin: FRAME });
    expect(noted.decided).toEqual(eligible);
  });

  test('takes the page from the browser, never from the declaration', () => {
    declare({ place: known(SHOP) });
    expect(respond().decided?.place).toEqual(news);
  });
});

test.each(['element', 'fetch', 'worker'] as const)(
  'nothing registers of a request whose beginning is unknown, whatever was declared: %s',
  (kind) => {
    declare();
    for (const headers of [sourceHeaders, triggerHeaders]) {
      const noted = respond({ kind, headers, eligibility: 'unknown' });
      expect(noted.decided).toEqual({ ...unset, eligibility: 'unknown' });
      const result = decideRegistration({
        ...noted.response,
        eligibility: 'unknown',
        place: news,
        fenced: false,
      });
      expect(result).toMatchObject({ kind: 'ignored', reason: { code: 'eligibility-unknown' } });
    }
  },
);

describe('a response without a source header', () => {
  test('needs no declaration: a trigger counts on any request', () => {
    expect(respond({ headers: triggerHeaders }).decided).toEqual(unset);
  });

  test('keeps to a declaration that came first', () => {
    declare({ eligibility: 'empty' });
    expect(respond({ headers: triggerHeaders }).decided).toEqual({ ...unset, eligibility: 'empty' });
  });
});

describe('redirects', () => {
  const hop = (time: number): Response => ({
    time: moment(T + time),
    reportingOrigin: `https://hop${time}.example` as Origin,
  });

  test('after a declaration are all decided by it', () => {
    declare();
    for (const time of [0, 1, 2]) expect(respond(hop(time)).decided).toEqual(eligible);
  });

  test('before the declaration all wait for it', () => {
    respond(hop(0));
    respond(hop(1));
    expect(declare().map((row) => [row.response.reportingOrigin, row.decided])).toEqual([
      ['https://hop0.example', eligible],
      ['https://hop1.example', eligible],
    ]);
    // Responses that come later are decided at once.
    expect(respond(hop(2)).decided).toEqual(eligible);
  });

  test('of a request that says itself what it is eligible for need no declaration', () => {
    declare({ eligibility: 'trigger' });
    const marked = respond({ kind: 'fetch', eligibility: 'event-source' });
    expect(marked.decided).toEqual({ ...eligible, eligibility: 'event-source' });
  });

  test('belong to an element once, however often it was declared', () => {
    declare({ eligibility: 'trigger' });
    declare();
    expect(respond().decided).toEqual(eligible);
    expect(respond({ requestId: 'r2' }).decided).toBeNull();
  });

  test('of another request for the same URL need a declaration of their own', () => {
    declare();
    expect(respond().decided).toEqual(eligible);
    expect(respond({ requestId: 'r2' }).decided).toBeNull();
    expect(declare()).toMatchObject([{ response: { requestId: 'r2' }, decided: eligible }]);
  });

  test('of two requests that wait are decided one request at a time, the older first', () => {
    respond();
    respond({ requestId: 'r2' });
    respond();
    expect(declare().map((row) => row.response.requestId)).toEqual(['r1', 'r1']);
    expect(declare().map((row) => row.response.requestId)).toEqual(['r2']);
  });
});

describe('a click', () => {
  const click: Fields = { via: 'navigation' };
  const clicked = { ...eligible, eligibility: 'navigation-source', navigation: 'a click' };
  const navigation: Response = { kind: 'navigation', place: known(SHOP) };

  test('registers for the page that it left, also from another tab', () => {
    declare(click);
    const noted = respond({ ...navigation, tabId: 9 });
    expect(noted.decided).toEqual(clicked);
  });

  test('registers on a redirect, which is on no page', () => {
    declare(click);
    const noted = respond({ ...navigation, place: { kind: 'redirect' } });
    expect(noted.decided).toEqual(clicked);
  });

  test('does not count for a navigation that another document started', () => {
    declare(click);
    expect(respond({ ...navigation, documentOrigin: FRAME }).decided).toBeNull();
    expect(decidedAfter(DECLARATION_TIME).map(({ decided }) => decided)).toEqual([
      { ...unset, place: known(SHOP) },
    ]);
  });

  test.each([
    ['the same tab', { tabId: 1 }, true],
    ['a tab opened from it', { tabId: 9, openerTabId: 1 }, true],
    ['another tab', { tabId: 9 }, false],
  ])('in a sandbox counts for a navigation in %s: %j, %s', (_where, tab, counts) => {
    declare({ ...click, documentOrigin: null });
    const { decided } = respond({ ...navigation, ...tab, documentOrigin: null });
    expect(decided !== null).toBe(counts);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])('counts for the navigation that followed it only, and is known %s the response', (_when, isBefore) => {
    if (isBefore) declare({ ...click, requestId: 'r2' });
    const first = respond(navigation);
    const second = respond({ ...navigation, requestId: 'r2' });
    const decided = isBefore ? [] : declare({ ...click, requestId: 'r2' });
    expect(first.decided).toBeNull();
    expect(isBefore ? second.decided : decided[0]?.decided).toEqual(clicked);
    expect(
      decidedAfter(DECLARATION_TIME).map((row) => [row.response.requestId, row.decided?.eligibility]),
    ).toEqual([
      ['r1', 'unset'],
      ['r2', 'navigation-source'],
    ]);
  });

  test('does not count for an image of the same URL', () => {
    declare(click);
    expect(respond().decided).toBeNull();
  });
});

describe('a worker’s response', () => {
  const worker: Response = {
    kind: 'worker',
    tabId: -1,
    documentId: null,
    place: { kind: 'unknown', unknown: 'worker', seenOn: NEWS },
  };

  test('belongs to an element of a document of its origin, and counts on that page', () => {
    declare({ documentOrigin: FRAME });
    expect(respond({ ...worker, documentOrigin: FRAME }).decided).toEqual(eligible);
  });

  test('belongs to no element of another origin, nor to one in a sandbox', () => {
    declare({ documentOrigin: FRAME });
    declare({ documentId: 'd2', documentOrigin: null });
    expect(respond({ ...worker, documentOrigin: NEWS }).decided).toBeNull();
    expect(respond({ ...worker, documentOrigin: null }).decided).toBeNull();
  });
});

describe('a document that declares without end', () => {
  const flood = (more: Fields): number => {
    let count = 0;
    const declared = (): Declaration => declaration({ ...more, documentId: `flood ${++count}` });
    while (inbox.declare(declared()) !== null) if (count === 10_000) throw new Error('there is no end');
    return count;
  };

  test('uses up its share, and no other’s', () => {
    expect(flood({ place: known(FRAME), tabId: 2 })).toBeGreaterThan(1000);
    expect(flood({ place: known(SHOP), tabId: 3 })).toBeGreaterThan(500);
    declare();
    expect(respond().decided).toEqual(eligible);
  });

  test('has its share back a minute later', () => {
    const count = flood({});
    decidedAfter(60_000);
    expect(flood({})).toBe(count);
  });

  test('may declare the same again and again', () => {
    for (let count = 0; count < 10_000; count++) expect(inbox.declare(declaration())).not.toBeNull();
  });
});

describe('what is overdue', () => {
  // A response may take a minute.
  test('declarations without a response are forgotten, and then decide nothing', () => {
    declare();
    decidedAfter(59_999);
    expect(respond().decided).toEqual(eligible);
    decidedAfter(60_000);
    expect(respond().decided).toBeNull();
  });

  test('a declaration decides no response that is more than a minute away', () => {
    declare();
    expect(respond({ time: moment(T + 60_001) }).decided).toBeNull();
    expect(respond({ time: moment(T + 60_000) }).decided).toEqual(eligible);
  });

  test('responses that the clock was set back over are decided at once', () => {
    respond();
    expect(decidedAfter(-1)).toMatchObject([{ decided: unset }]);
  });

  test('responses that were decided but not dealt with come up again', () => {
    const noted = respond({ headers: triggerHeaders });
    expect(decidedAfter(0)).toEqual([noted]);
    inbox.remove(noted.id);
    expect(decidedAfter(0)).toEqual([]);
  });
});

/** What happens to the row of the last response. */
type Step =
  | 'header seen'
  | 'header seen, page known'
  | 'page told'
  | 'declared'
  | 'time over'
  | 'registered'
  | 'dropped'
  | 'everything erased';

const ids = (): readonly number[] => inbox.responses.map(({ id }) => id);

const steps: Readonly<Record<Step, () => void>> = {
  'header seen': () => respond({ place: null }),
  'header seen, page known': () => respond(),
  'page told': () => inbox.place(ids()[0] ?? 0, news),
  declared: () => declare(),
  'time over': () => decidedAfter(DECLARATION_TIME),
  // As the engine's transaction notes it. The row is deleted afterwards.
  registered: () => ids().forEach((id) => table.registered.add(id)),
  dropped: () => ids().forEach((id) => inbox.remove(id)),
  'everything erased': () => void inbox.erase(null),
};

type State = 'arrived' | 'placed' | 'decided' | 'gone';

const state = (): State => {
  const [row] = inbox.responses;
  if (row === undefined) return 'gone';
  return row.decided !== null ? 'decided' : row.place === null ? 'arrived' : 'placed';
};

/** The background ends, once it has written what it does not wait for, and starts again. */
async function restart(): Promise<void> {
  await jest.advanceTimersByTimeAsync(1000);
  inbox = await newInbox(table);
}

describe.each([
  ['in one run of the background', () => Promise.resolve()],
  ['with a new run of the background after each step', restart],
])('a row, %s,', (_when, between) => {
  test.each<[State, readonly Step[]]>([
    ['arrived', ['header seen']],
    ['arrived', ['header seen', 'declared']],
    ['arrived', ['header seen', 'time over']],
    ['placed', ['header seen, page known']],
    ['placed', ['header seen', 'page told']],
    ['placed', ['header seen', 'time over', 'page told']],
    ['decided', ['declared', 'header seen, page known']],
    ['decided', ['declared', 'header seen', 'page told']],
    ['decided', ['header seen', 'declared', 'page told']],
    ['decided', ['header seen, page known', 'declared']],
    ['decided', ['header seen, page known', 'time over']],
    ['decided', ['header seen, page known', 'time over', 'declared']],
    ['gone', ['header seen', 'dropped']],
    ['gone', ['header seen, page known', 'dropped']],
    ['gone', ['header seen, page known', 'declared', 'dropped']],
    ['gone', ['header seen', 'everything erased']],
    ['gone', ['header seen, page known', 'everything erased']],
    ['gone', ['header seen, page known', 'declared', 'everything erased']],
    ['gone', ['header seen', 'dropped', 'page told']],
    ['gone', ['header seen, page known', 'dropped', 'declared', 'time over']],
  ])('is %s after %j', async (expected, happened) => {
    for (const step of happened) {
      steps[step]();
      await between();
    }
    expect(state()).toBe(expected);
  });
});

test.each<[string, readonly Step[]]>([
  ['before it was deleted', ['registered']],
  ['after it was deleted', ['registered', 'dropped']],
])(
  'a row that is registered is gone in the next run of the background, if the last ended %s',
  async (_when, last) => {
    for (const step of ['declared', 'header seen, page known', ...last] as const) steps[step]();
    await restart();
    expect(state()).toBe('gone');
    await jest.advanceTimersByTimeAsync(1000);
    expect([...table.rows.values()].filter((row) => 'response' in row)).toEqual([]);
    // Its id is not given again, although the engine still has it noted.
    respond();
    await restart();
    expect(state()).toBe('decided');
  },
);

test('a row is written at once, and what changes within a second is written together', async () => {
  respond();
  expect(table.writes).toBe(1);
  inbox.remove(ids()[0] ?? 0);
  respond({ place: null });
  expect(table.writes).toBe(2);
  inbox.place(ids()[0] ?? 0, news);
  decidedAfter(DECLARATION_TIME);
  inbox.remove(ids()[0] ?? 0);
  await jest.advanceTimersByTimeAsync(999);
  expect(table.writes).toBe(2);
  await jest.advanceTimersByTimeAsync(1);
  expect([table.writes, table.rows.size]).toEqual([3, 0]);
});

test('rows of an earlier run stay when the browser tells that all are of one page', async () => {
  for (let id = 1; id <= 200; id++)
    table.rows.set(id, {
      id,
      response: response({ tabId: id, headers: { ...none, source: 'x'.repeat(20_000) } }),
      place: null,
      decided: null,
    });
  await restart();
  for (const id of ids()) expect(inbox.place(id, news)).not.toBeNull();
  expect(ids()).toHaveLength(200);
});

test('a declaration is answered when it is written, with those that came meanwhile', async () => {
  let release = (): void => undefined;
  const putting = jest.spyOn(table, 'put').mockReturnValueOnce(new Promise((resolve) => (release = resolve)));
  const all = ['d1', 'd2', 'd3'].map((documentId) =>
    Promise.resolve(inbox.declare(declaration({ documentId }))?.written),
  );
  await jest.advanceTimersByTimeAsync(0);
  expect(putting).toHaveBeenCalledTimes(1);
  release();
  await Promise.all(all);
  expect(putting).toHaveBeenCalledTimes(1);
});

test('what could not be written is written with the next change', async () => {
  const putting = jest.spyOn(table, 'put').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(inbox.declare(declaration())?.written).rejects.toThrow('full');
  putting.mockRestore();
  respond();
  await restart();
  expect(inbox.responses).toMatchObject([{ decided: eligible }]);
});
