import type { RequestEvent } from '../../../extension/request-events';
import { toHar } from '../../../extension/pages/data/har';
import {
  asTree,
  depths,
  MOST_HOPS,
  noRequests,
  withEvent,
  without,
  type Hop,
} from '../../../extension/pages/data/request-tree';
import {
  cameToNothing,
  eligibleWords,
  isRelevant,
  lacksHeader,
} from '../../../extension/pages/explain/eligible';
import { outcomeTone } from '../../../extension/pages/words/outcome-words';
import type { Origin } from '../../../src/model/units';
import { growthOf } from '../helpers/costs/measure';

const page = 'https://news.example' as Origin;
const adtech = 'https://adtech.example' as Origin;

const common = {
  ...{ method: 'GET', type: 'image', tabId: 1, frameId: 0, initiator: page, page, isOwn: false },
  ...{ eligibility: null, time: 1000, headers: [] },
} as const;

const sent = (requestId: string, url: string, more: object = {}): RequestEvent => ({
  ...common,
  kind: 'sent',
  requestId,
  url,
  ...more,
});

const answered = (requestId: string, url: string, status: number, headers: object = {}): RequestEvent => ({
  ...common,
  ...{ kind: 'answered', requestId, url, status, time: 1250 },
  headers: Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
});

const after = (...events: readonly RequestEvent[]): readonly Hop[] =>
  events.reduce(withEvent, noRequests).hops;

const first = 'https://adtech.example/first?ad=7';
const second = 'https://cdn.example/second';
const register = { 'Attribution-Reporting-Register-Source': '{}' };

const redirected = [
  sent('1', first),
  answered('1', first, 302, { ...register, Location: second }),
  sent('1', second),
  answered('1', second, 200),
];

/** One hop, to make others of. */
const [one] = after(sent('1', first)) as readonly [Hop];

describe('the tree of requests', () => {
  it('forgets the requests that a list of one tab had, and gives their ids to no others', () => {
    const known = [
      sent('2', 'https://news.example/other.png', { tabId: 2 }),
      ...redirected,
      answered('2', 'https://news.example/other.png', 200),
    ].reduce(withEvent, noRequests);
    const left = without(known, new Set(['1']));
    expect(left.hops).toMatchObject([{ id: 1, requestId: '2', status: 200 }]);
    expect(withEvent(left, sent('3', first)).hops.map(({ id }) => id)).toEqual([1, 4]);
  });

  it('puts a redirect under the hop that led to it, and the newest request first', () => {
    const hops = after(...redirected, sent('2', 'https://news.example/other.png'));
    const depth = depths(hops);
    expect(asTree(hops).map(({ id, url }) => [url, depth.get(id)])).toEqual([
      ['https://news.example/other.png', 0],
      [first, 0],
      [second, 1],
    ]);
  });

  it.each([
    ['many redirects of one request', () => 1],
    ['one chain of redirects', (id: number) => id - 1],
  ])('takes time in proportion to %s', async (_what, fromOf) => {
    const make = (n: number): readonly Hop[] =>
      Array.from({ length: n }, (_, index) => ({
        ...one,
        id: index + 1,
        from: index === 0 ? null : fromOf(index + 1),
      }));
    expect(asTree(make(5)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(await growthOf(make, asTree, 64_000)).toBeNull();
  });

  it('puts redirects that Cointoss follows itself under each other, although each is a request', () => {
    const own = { isOwn: true, eligibility: 'event-source' };
    const hops = after(
      sent('1', first, own),
      answered('1', first, 307, { location: '/second' }),
      sent('2', 'https://adtech.example/second', own),
    );
    expect(hops.map(({ from }) => from)).toEqual([null, 1]);
  });

  it('gives a decision to the hop of its origin that carried a registration', () => {
    const decided: RequestEvent = {
      kind: 'decided',
      requestId: '1',
      reportingOrigin: adtech,
      page,
      eligibility: 'event-source',
      entry: 12,
    };
    const [one, two] = after(...redirected, decided);
    expect(one?.decision).toEqual({ eligibility: 'event-source', entry: 12 });
    expect(two?.decision).toBeNull();
  });

  it("gives a decision to Cointoss's own request without a registration, and to no other", () => {
    const decided = { kind: 'decided', requestId: '1', reportingOrigin: adtech, page, entry: 12 } as const;
    const decisions = [true, false].map((isOwn) => {
      const [hop] = after(
        sent('1', first, { isOwn, eligibility: 'event-source' }),
        answered('1', first, 404),
        { ...decided, eligibility: 'event-source' },
      );
      return hop?.decision;
    });
    expect(decisions).toEqual([{ eligibility: 'event-source', entry: 12 }, null]);
  });

  it('makes a request eligible with its redirects when its element is found late', () => {
    const declared = { kind: 'declared', url: first, tabId: 1, eligibility: 'event-source' } as const;
    const [one, two] = after(...redirected, declared);
    expect([one, two].map((hop) => hop !== undefined && isRelevant(hop))).toEqual([true, true]);
    expect(eligibleWords(one as Hop)).toBe('Yes, for an impression: its element has attributionsrc.');
  });

  it('makes a request eligible whose declaration came first, and only that one', () => {
    const declared = { kind: 'declared', url: first, tabId: 1, eligibility: 'event-source' } as const;
    const hops = after(
      { ...declared, tabId: 2 },
      declared,
      sent('0', second),
      ...redirected,
      sent('2', first),
      answered('2', first, 200),
    );
    expect(hops.map(({ requestId, isDeclared }) => [requestId, isDeclared])).toEqual([
      ['0', false],
      ['1', true],
      ['1', true],
      ['2', false],
    ]);
    expect(isRelevant(hops[2] as Hop)).toBe(true);
  });

  it('tells whether the server learned that it may register', () => {
    const declared = { kind: 'declared', url: first, tabId: 1, eligibility: 'event-source' } as const;
    const eligible = { name: 'attribution-reporting-eligible', value: 'event-source' };
    const lacking = (...events: readonly RequestEvent[]): readonly boolean[] =>
      after(...events).map(lacksHeader);
    expect(lacking(declared, sent('1', first), answered('1', first, 200))).toEqual([true]);
    expect(lacking(declared, { ...sent('1', first), headers: [eligible] } as RequestEvent)).toEqual([false]);
    // It may not register.
    expect(lacking(sent('1', first), answered('1', first, 200))).toEqual([false]);
    // The request was not seen.
    expect(lacking(declared, answered('1', first, 200))).toEqual([false]);
  });

  it('shows a response from a cache, which has no request, and why a request failed', () => {
    const failed = { ...common, kind: 'failed', requestId: '2', url: second, error: 'net::ERR' } as const;
    const hops = after(answered('1', first, 200), sent('2', second), failed);
    expect(hops.map(({ status, error }) => ({ status, error }))).toEqual([
      { status: 200, error: null },
      { status: null, error: 'net::ERR' },
    ]);
  });

  it('says of no request whose beginning it did not see that nothing asked for it', () => {
    const [seen, unseen, decided] = after(
      sent('1', first),
      answered('2', second, 200),
      answered('3', first, 200, register),
      {
        ...{ kind: 'decided', requestId: '3', reportingOrigin: adtech, page },
        ...{ eligibility: 'event-source', entry: 4 },
      } as const,
    );
    expect([seen, unseen, decided].map((hop) => hop && eligibleWords(hop))).toEqual([
      expect.stringMatching(/^Only for a conversion/),
      expect.stringMatching(/^Not known: its beginning was not seen/),
      expect.stringMatching(/^Yes, for an impression/),
    ]);
  });

  it('takes the decision about a misspelt header', () => {
    const [hop] = after(
      sent('1', first),
      answered('1', first, 200, { 'Attribution-Reporting-Register-Sorce': '{}' }),
      {
        ...{ kind: 'decided', requestId: '1', reportingOrigin: adtech, page },
        ...{ eligibility: 'unset', entry: 4 },
      } as const,
    );
    expect(hop).toMatchObject({ decision: { entry: 4 } });
  });

  it('marks what no page uses: a preflight, and what Firefox reports again after a 304', () => {
    const hops = after(
      sent('1', first, { method: 'OPTIONS' }),
      { kind: 'unused', requestId: '1', url: first },
      answered('1', first, 200, register),
      sent('2', first),
      answered('2', first, 304, register),
      answered('2', first, 200, register),
    );
    expect(hops.map(({ requestId, status, isUnused }) => [requestId, status, isUnused])).toEqual([
      ['1', 200, true],
      ['2', 304, false],
      ['2', 200, true],
    ]);
  });

  it('keeps the newest hops only', () => {
    const events = Array.from({ length: MOST_HOPS + 5 }, (_, index) => sent(String(index), first));
    const hops = after(...events);
    expect(hops).toHaveLength(MOST_HOPS);
    expect(hops[0]?.requestId).toBe('5');
  });

  it('is an HTTP Archive with what each hop led to', () => {
    const har = toHar(after(...redirected), '1.0', ({ id }) => (id === 1 ? 'kept' : null));
    expect(har).toMatchObject({
      log: {
        version: '1.2',
        entries: [
          {
            time: 250,
            request: { method: 'GET', url: first, queryString: [{ name: 'ad', value: '7' }] },
            response: { status: 302, redirectURL: second, headers: [{ value: '{}' }, { value: second }] },
            _registration: true,
            _outcome: 'kept',
          },
          { request: { url: second }, response: { status: 200 }, _outcome: null },
        ],
      },
    });
  });
});

describe('what came to nothing', () => {
  const [registered] = after(sent('1', first), answered('1', first, 200, register));
  if (registered === undefined) throw new Error('there must be a request');

  test.each([
    ['kept', false],
    // Noise decides what these report, but they were kept.
    ['kept-noised', false],
    ['kept-forced', false],
    ['credited', false],
    // It reports nothing.
    ['kept-over-budget', true],
    ['malformed', true],
    ['ignored', true],
    ['trigger-no-matching-source', true],
  ] as const)('%s: %p', (key, expected) => {
    expect(cameToNothing(registered, { key, tone: outcomeTone(key) })).toBe(expected);
  });

  test('is not a registration whose outcome is not known yet', () => {
    expect(cameToNothing(registered, null)).toBe(false);
  });

  test('is a request that was to register something and did not, if it led nowhere else', () => {
    const [own] = after(
      sent('1', first, { isOwn: true, eligibility: 'event-source' }),
      answered('1', first, 200),
    );
    const [hop] = after(sent('1', first, { eligibility: 'event-source' }), answered('1', first, 302));
    expect([own, hop].map((found) => found && cameToNothing(found, null))).toEqual([true, false]);
  });
});
