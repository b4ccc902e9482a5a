import 'fake-indexeddb/auto';
import type { Origin } from '../../../src/model/units';
import type { RequestKind } from '../../../recording/requests';
import { ADTECH, NEWS, SHOP, START } from '../helpers/engine';
import { newRecorder, requester } from '../helpers/recorder';
import { useFakeTimers } from '../helpers/timers';

const SOURCE = '{"destination": "https://shop.example"}';

const ON_HTTP = NEWS.replace('https:', 'http:') as Origin;

// Written records wait ten seconds for a declaration, which never comes here.
useFakeTimers();

/** How many responses were written that wait to be decided, after one where `paused` says what is paused. */
async function written(
  paused: { readonly paused?: boolean; readonly pausedSites?: readonly string[] },
  kind: RequestKind,
  contextOrigin: Origin | null,
  agreed = true,
): Promise<number> {
  const { recorder, inbox, clock, settings } = await newRecorder(undefined, agreed);
  await clock.setTo(START, true);
  await settings.update(paused);
  await recorder.response({
    time: START,
    requestId: '1',
    kind,
    requestUrl: 'https://adtech.example/ad',
    reportingOrigin: ADTECH,
    openerTabId: null,
    place: contextOrigin === null ? { kind: 'redirect' } : { kind: 'known', contextOrigin },
    requester,
    eligibility: null,
    headers: { source: SOURCE, trigger: null, osSource: false, osTrigger: false, info: null },
  });
  return inbox.responses.length;
}

test.each<[string, Parameters<typeof written>, number]>([
  ['nothing paused', [{}, 'element', NEWS], 1],
  ['another site paused', [{ pausedSites: [SHOP] }, 'element', NEWS], 1],
  ['the page paused', [{ pausedSites: [NEWS] }, 'element', NEWS], 0],
  ['the page of a call paused', [{ pausedSites: [NEWS] }, 'fetch', NEWS], 0],
  ['the page on http not paused', [{}, 'element', ON_HTTP], 1],
  ['the site of the page on http paused', [{ pausedSites: [NEWS] }, 'element', ON_HTTP], 0],
  ['all paused', [{ paused: true }, 'element', NEWS], 0],
  ['a hop, which is on no page', [{ pausedSites: [NEWS] }, 'navigation', null], 1],
  ['a hop, and all paused', [{ paused: true }, 'navigation', null], 0],
  [
    'the page that a click led to paused, not the one that it was on',
    [{ pausedSites: [SHOP] }, 'navigation', SHOP],
    1,
  ],
  ['nobody asked', [{}, 'element', NEWS, false], 0],
])('a response that waits for its declaration, with %s', async (_what, given, expected) => {
  expect(await written(...given)).toBe(expected);
});
