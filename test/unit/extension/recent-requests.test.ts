import { RecentRequests } from '../../../extension/background/documents/recent-requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import type { RequestEvent } from '../../../extension/request-events';
import type { Origin } from '../../../src/model/units';

const page = 'https://news.example' as Origin;

const hop = (requestId: string, tabId: number, url: string): RequestEvent => ({
  ...{ kind: 'sent', requestId, url, tabId, method: 'GET', type: 'image', frameId: 0, initiator: page, page },
  ...{ isOwn: false, eligibility: null, time: 1000, headers: [] },
});

const declared = (tabId: number, url: string): RequestEvent => ({
  ...{ kind: 'declared', url, tabId, eligibility: 'event-source-or-trigger' },
});

const url = 'https://adtech.example/ad';

function filled(): RecentRequests {
  const memory = new SessionMemory();
  memory.turn(true);
  const recent = new RecentRequests(memory);
  const events: readonly RequestEvent[] = [
    ...[declared(1, url), hop('one', 1, url), declared(2, url), hop('two', 2, url)],
    { kind: 'decided', requestId: 'one', reportingOrigin: page, eligibility: 'unset', page, entry: 1 },
    { kind: 'unused', requestId: 'two', url },
  ];
  events.forEach((event, number) => recent.add({ number: number + 1, page, event }));
  return recent;
}

const numbers = (recent: RecentRequests): readonly number[] => recent.events.map(({ number }) => number);

describe('the events of requests that are kept in debug mode', () => {
  it('are forgotten for some requests, with the declarations in their tab, and the others stay', () => {
    const recent = filled();
    recent.forget(new Set(['one']));
    expect(numbers(recent)).toEqual([3, 4, 6]);
  });

  it('are all forgotten', () => {
    const recent = filled();
    recent.forget(null);
    expect(numbers(recent)).toEqual([]);
  });
});
