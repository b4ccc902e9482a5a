import browser, { type WebRequest } from 'webextension-polyfill';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
import { WebRequests } from '../../../extension/background/observe/web-requests';
import type { Documents } from '../../../extension/background/documents/documents';
import type { Navigations } from '../../../extension/background/documents/navigations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import type { ObservedResponse } from '../../../recording/requests';
import { newRecording } from '../helpers/recording';
import { endBackground, tell } from '../helpers/webextension';
import { Erasures } from '../../../extension/background/state/erasures';

const SHOP = 'https://shop.example';
const TRIGGER = { name: 'Attribution-Reporting-Register-Trigger', value: '{}' };
const SOURCE = { name: 'Attribution-Reporting-Register-Source', value: '{}' };
const policy = (value: string): WebRequest.HttpHeadersItemType => ({
  name: 'Permissions-Policy',
  value: `attribution-reporting=${value}`,
});

/** Lets the background see one answer, as often as the browser tells of it. @returns what it records, and what it calls */
const see = (type: string, ...answers: readonly Answer[]) => seeOf({ type }, ...answers);

type Answer = readonly [status: number, headers: WebRequest.HttpHeaders];

async function seeOf(asked: object, ...answers: readonly Answer[]) {
  endBackground();
  const { recording, recorded } = newRecording();
  const called = jest.fn(() => Promise.resolve());
  const answered = jest.fn();
  const beginnings = new Beginnings(new SessionMemory());
  new WebRequests({
    badge: { answered: () => undefined, release: () => undefined },
    navigationAnswers: new NavigationAnswers(),
    beginnings,
    erasures: new Erasures(),
    navigations: { openerOf: () => null } as unknown as Navigations,
    ownRequests: { began: () => undefined, responseTo: () => false } as unknown as OwnRequests,
    documents: { answered, pageWith: () => null } as unknown as Documents,
    onUnused: () => undefined,
    recording: recording.then((parts) => ({ ...parts, attribution: { response: called } as never })),
  }).listen();
  await beginnings.loaded;
  const request = {
    ...{ requestId: '1', url: `${SHOP}/`, timeStamp: 1, tabId: 1, frameId: 0 },
    ...asked,
  };
  tell('beforeRequest', request);
  for (const [statusCode, responseHeaders] of answers)
    tell('headersReceived', { ...request, statusCode, responseHeaders });
  await new Promise((resolve) => setTimeout(resolve));
  return { recorded, called, answered };
}

/** Where the answer that becomes a page registers. */
async function placeOf(responseHeaders: WebRequest.HttpHeaders): Promise<unknown> {
  const { recorded } = await see('main_frame', [200, responseHeaders]);
  expect(recorded.responses).toHaveLength(1);
  return recorded.responses.map((response) => (response as { readonly place: unknown }).place)[0];
}

const allowed = { kind: 'known', contextOrigin: SHOP };

test.each([
  ['a trigger', [TRIGGER], allowed],
  ['a trigger that the page allows itself', [TRIGGER, policy('self')], allowed],
  ['a trigger that the page forbids', [TRIGGER, policy('()')], { kind: 'forbidden', seenOn: SHOP }],
  [
    'a trigger that it allows others only',
    [TRIGGER, policy('"https://ad.example"')],
    { kind: 'forbidden', seenOn: SHOP },
  ],
  // It belongs to the page that was left.
  ['a source', [SOURCE, policy('()')], allowed],
] as const)('the own answer of a page: %s', async (_what, headers, place) => {
  expect(await placeOf([...headers])).toEqual(place);
});

test.each(['beacon', 'image', 'sub_frame'])(
  'the document around a frame is taken from the request of a document alone, here a %s',
  async (type) => {
    const around = { frameId: 10, parentDocumentId: 'around' };
    const { recorded } = await seeOf({ type, ...around }, [200, [TRIGGER]]);
    const [{ requester }] = recorded.responses as [Pick<ObservedResponse, 'requester'>];
    expect(requester.parentDocumentId).toBe(type === 'sub_frame' ? 'around' : undefined);
  },
);

const SAVE = { name: 'Save-Impression', value: 'histogram-index=1' };

// Firefox tells of a 304, and then of the cached answer with its headers.
test.each([
  ['its own headers', [SAVE], [SAVE], 1, 0],
  ['headers of the cached answer', [], [SAVE], 1, 0],
  ['a trigger of its own, and headers of the cached answer', [TRIGGER], [TRIGGER, SAVE], 1, 1],
  ['its own headers, and a trigger of the cached answer', [SAVE], [TRIGGER, SAVE], 1, 1],
] as const)('a 304 with %s calls W3C Attribution once', async (_what, own, merged, calls, registered) => {
  const { recorded, called } = await see('image', [304, [...own]], [200, [...merged]]);
  expect(called).toHaveBeenCalledTimes(calls);
  expect(recorded.responses).toHaveLength(registered);
});

const inFirefox = (): void =>
  void jest.spyOn(browser.runtime, 'getManifest').mockReturnValue({
    permissions: ['webRequestBlocking'],
  } as ReturnType<typeof browser.runtime.getManifest>);

test.each([
  ['with its own header', [SOURCE]],
  ['with the header of the cached answer', []],
] as const)('a 304 %s costs an element no source', async (_what, own) => {
  inFirefox();
  const { recorded } = await see('image', [304, [...own]], [200, [SOURCE]]);
  // Null: what its document says of the element counts.
  expect(recorded.responses).toMatchObject([{ requestUrl: `${SHOP}/`, eligibility: null }]);
  jest.restoreAllMocks();
});

test.each(['main_frame', 'sub_frame'])(
  'the policy of a %s is that of the merged answer in Firefox, also if the document came before both',
  async (type) => {
    inFirefox();
    const { answered, recorded } = await see(type, [304, [TRIGGER]], [200, [TRIGGER, policy('()')]]);
    // A document takes the first that it gets.
    expect(answered.mock.calls).toMatchObject([[{ policy: 'attribution-reporting=()' }]]);
    expect(recorded.responses).toHaveLength(1);
    jest.restoreAllMocks();
  },
);
