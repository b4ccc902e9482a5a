import browser from 'webextension-polyfill';
import type { Documents } from '../../../extension/background/documents/documents';
import { RecentRequests } from '../../../extension/background/documents/recent-requests';
import { RequestLog } from '../../../extension/background/documents/request-log';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import type { NumberedEvent } from '../../../extension/request-events';
import type { Origin } from '../../../src/model/units';
import { settled } from '../helpers/timers';
import { endBackground, tell } from '../helpers/webextension';

const NEWS = 'https://news.example' as Origin;
const BANK = 'https://bank.example' as Origin;

type Port = Parameters<RequestLog['open']>[0];

/** @param paused where the log must say nothing */
function start(paused: readonly Origin[] = []) {
  const memory = new SessionMemory();
  memory.turn(true);
  const recent = new RecentRequests(memory);
  const log = new RequestLog({
    documents: {} as Documents,
    recent,
    declarations: () => Promise.resolve([]),
    ownRequests: { of: () => undefined },
    isPaused: (page) => Promise.resolve(page !== null && paused.includes(page)),
  });
  /** Opens a page of requests. */
  const open = () => {
    const seen: string[] = [];
    let close = (): void => undefined;
    const port = {
      postMessage: ({ event }: NumberedEvent) => void seen.push('url' in event ? event.url : event.kind),
      onMessage: { addListener: () => undefined },
      onDisconnect: { addListener: (listener: () => void) => (close = listener) },
    };
    log.open(port as unknown as Port);
    return { seen, close: () => close() };
  };
  const kept = (): readonly string[] => recent.events.map(({ event }) => ('url' in event ? event.url : ''));
  return { log, open, kept };
}

/** The browser tells of a visit. */
const visit = (origin: Origin): void =>
  tell('sendHeaders', {
    ...{ requestId: origin, url: `${origin}/`, method: 'GET', type: 'main_frame', tabId: 1, frameId: 0 },
    ...{ timeStamp: 1000, requestHeaders: [] },
  });

beforeEach(endBackground);
afterEach(() => jest.restoreAllMocks());

test('without debug mode, requests are sent to open pages, and none is kept for a page that opens later', async () => {
  const stops = jest.spyOn(browser.webRequest.onSendHeaders, 'removeListener');
  const { log, open, kept } = start();
  log.turn(true);
  visit(NEWS);
  await settled();
  expect(kept()).toEqual([`${NEWS}/`]);
  log.turn(false);
  const first = open();
  await settled();
  visit(BANK);
  await settled();
  expect([first.seen, kept()]).toEqual([[`${BANK}/`], []]);
  first.close();
  expect(stops).toHaveBeenCalledTimes(2);
  const second = open();
  await settled();
  expect(second.seen).toEqual([]);
});

test('nothing is sent or kept of requests on a page whose site is paused', async () => {
  const { log, open, kept } = start([BANK]);
  log.turn(true);
  const { seen } = open();
  await settled();
  visit(BANK);
  visit(NEWS);
  await settled();
  expect([seen, kept()]).toEqual([[`${NEWS}/`], [`${NEWS}/`]]);
});
