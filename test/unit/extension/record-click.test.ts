import type { Click, DecidedClick, NavigationId } from '../../../extension/background/documents/navigations';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { recordClick } from '../../../extension/background/observe/record-click';
import type { Recording } from '../../../extension/background/record/recorder';
import type { PagePlace } from '../../../recording/places';
import { ADTECH, NEWS, START } from '../helpers/engine';

const here: PagePlace = { kind: 'known', contextOrigin: NEWS };

/** The codes that the log gets of a click whose navigation is over, as `URL code`. */
async function logged(changed: Partial<Click>, lacks: boolean, isFollowed = true): Promise<string[]> {
  const click = {
    ...{ place: here, documentOrigin: NEWS, documentId: 'd', makers: [], around: null, url: `${NEWS}/next` },
    ...{ tabId: 1, pageId: 'd', sources: [], inMenu: false, press: 1, time: START, asked: {} },
    ...changed,
  } as unknown as Click;
  const decided: DecidedClick = isFollowed
    ? { kind: 'followed', click, navigation: 'n' as NavigationId, requestId: 'r' }
    : { kind: 'not-followed', click };
  const codes: string[] = [];
  const recorder = {
    refusals: {
      dropped: (url: string, _on: unknown, { code }: { readonly code: string }) =>
        Promise.resolve(codes.push(`${url} ${code}`)),
    },
    eligibleRequest: () => Promise.resolve(),
  };
  const recording = Promise.resolve({ recorder, clock: { now: () => START } }) as unknown as Recording;
  const ownRequests = { make: () => Promise.resolve() } as unknown as OwnRequests;
  await recordClick(decided, ownRequests, recording, { lacksSource: () => Promise.resolve(lacks) });
  await new Promise(setImmediate);
  return codes;
}

test.each<[string, Partial<Click>, boolean, boolean, string[]]>([
  ['no answer had a source', {}, true, true, [`${NEWS}/next no-source-on-way`]],
  ['an answer had one', {}, false, true, []],
  ['attributionsrc names a URL', { sources: [ADTECH] }, true, true, []],
  ['no navigation followed', {}, true, false, []],
  [
    'no navigation followed, and attributionsrc names a URL',
    { sources: [ADTECH] },
    true,
    false,
    [`${ADTECH} no-navigation`],
  ],
  ['its page may not register', { place: { kind: 'forbidden', seenOn: NEWS } }, true, true, []],
  [
    'its page may not register, and attributionsrc names a URL',
    { place: { kind: 'forbidden', seenOn: NEWS }, sources: [ADTECH] },
    true,
    true,
    [`${ADTECH} permissions-policy`],
  ],
])('what the log says of a click, if %s', async (_what, click, lacks, isFollowed, says) => {
  expect(await logged(click, lacks, isFollowed)).toEqual(says);
});
