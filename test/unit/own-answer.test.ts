import type { WebRequest } from 'webextension-polyfill';
import { Beginnings } from '../../extension/background/observe/beginnings';
import { WebRequests } from '../../extension/background/observe/web-requests';
import type { Documents } from '../../extension/background/documents/documents';
import type { Navigations } from '../../extension/background/documents/navigations';
import { SessionMemory } from '../../extension/background/documents/session-memory';
import type { OwnRequests } from '../../extension/background/observe/own-requests';
import { newRecording } from './helpers/recording';
import { endBackground, tell } from './helpers/webextension';

const SHOP = 'https://shop.example';
const TRIGGER = { name: 'Attribution-Reporting-Register-Trigger', value: '{}' };
const SOURCE = { name: 'Attribution-Reporting-Register-Source', value: '{}' };
const policy = (value: string): WebRequest.HttpHeadersItemType => ({
  name: 'Permissions-Policy',
  value: `attribution-reporting=${value}`,
});

/** Where the answer that becomes a page registers. */
async function placeOf(responseHeaders: WebRequest.HttpHeaders): Promise<unknown> {
  endBackground();
  const { recording, recorded } = newRecording();
  const beginnings = new Beginnings(new SessionMemory());
  new WebRequests({
    beginnings,
    navigations: { openerOf: () => null } as unknown as Navigations,
    ownRequests: { responseTo: () => false } as unknown as OwnRequests,
    documents: { answered: () => undefined, pageWith: () => null } as unknown as Documents,
    recording: recording as ConstructorParameters<typeof WebRequests>[0]['recording'],
  }).listen();
  await beginnings.loaded;
  tell('headersReceived', {
    ...{ requestId: '1', url: `${SHOP}/`, statusCode: 200, type: 'main_frame', timeStamp: 1 },
    ...{ tabId: 1, frameId: 0, parentFrameId: -1, responseHeaders },
  });
  await new Promise((resolve) => setTimeout(resolve));
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
