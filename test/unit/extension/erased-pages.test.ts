import 'fake-indexeddb/auto';
import { Inbox } from '../../../extension/background/record/inbox';
import { Recorder, type RecorderParts } from '../../../extension/background/record/recorder';
import type { ErasingScope } from '../../../extension/erasing/scope';
import type { PagePlace } from '../../../recording/places';
import type { Origin } from '../../../src/model/units';
import { NEWS, START } from '../helpers/engine';
import { newRecorder, plainResponse, requester } from '../helpers/recorder';
import { settled, useFakeTimers } from '../helpers/timers';

/*
 * A response whose page the browser tells of later. Until then, nothing of it says which page that is.
 */

// What is dropped is counted for some seconds.
useFakeTimers();

const response = {
  ...plainResponse,
  place: null,
  requester: { ...requester, documentOrigin: 'https://frame.example' as Origin },
  eligibility: 'unset',
  headers: { source: null, trigger: '{}', osSource: false, osTrigger: false, info: null },
} as const;

type Run = Awaited<ReturnType<typeof run>>;

/** A run of the background, the next one over what an earlier one left. The test says when the browser tells of the page. */
async function run(earlier?: RecorderParts) {
  let tell: (place: PagePlace) => void = () => undefined;
  const told = new Promise<PagePlace>((resolve) => (tell = resolve));
  const documents = {
    isShown: () => Promise.resolve(true),
    wasLeft: () => false,
    placeNow: () => null,
    placeOf: () => told,
    tabsOf: () => [],
  };
  const usual = earlier ?? (await newRecorder());
  if (earlier === undefined) await usual.clock.setTo(START, true);
  const inbox = earlier === undefined ? usual.inbox : await Inbox.load(usual.store.inbox);
  const parts: RecorderParts = { ...usual, inbox, documents };
  return { parts, inbox, recorder: new Recorder(parts), tell };
}

/** The pages in the log once the browser has told of the page. */
async function recorded({ parts, recorder, tell }: Run): Promise<readonly Origin[]> {
  const earlier = recorder.catchUp();
  tell({ kind: 'known', contextOrigin: NEWS });
  await Promise.all([earlier, settled()]);
  await recorder.alone(() => Promise.resolve());
  return (await parts.store.newest('log', 9)).map(({ contextOrigin }) => contextOrigin);
}

const scopes: readonly (readonly [what: string, scope: ErasingScope | null, left: readonly Origin[]])[] = [
  ['everything', null, []],
  ['its page', { kind: 'sites', sites: ['https://news.example'] }, []],
  ['another page', { kind: 'sites', sites: ['https://blog.example'] }, [NEWS]],
  ['its time', { kind: 'time', from: START, to: START }, []],
  ['another time', { kind: 'time', from: 0, to: START - 1 }, [NEWS]],
];

describe('a response whose page is told of later', () => {
  test('is recorded, also by the next run of the background', async () => {
    const first = await run();
    void first.recorder.response(response);
    await settled();
    expect(await recorded(await run(first.parts))).toEqual([NEWS]);
  });

  test.each(scopes)('after %s was erased: it is recorded as it should', async (_what, scope, left) => {
    const first = await run();
    void first.recorder.response(response);
    await settled();
    await first.inbox.erase(scope);
    expect(await recorded(first)).toEqual(left);
  });

  test.each(scopes)(
    'after %s was erased before its answer came: so it is, too',
    async (_what, scope, left) => {
      const first = await run();
      const asked = first.recorder.asked();
      await first.inbox.erase(scope);
      void first.recorder.response(response, asked);
      await settled();
      // Else the next run could not tell.
      expect((await first.parts.store.inbox.read()).rows).toEqual([]);
      expect(await recorded(first)).toEqual(left);
    },
  );

  test.each(scopes)(
    'found by the next run, after which %s was erased: as well',
    async (_what, scope, left) => {
      const first = await run();
      void first.recorder.response(response);
      await settled();
      const next = await run(first.parts);
      await next.inbox.erase(scope);
      expect(await recorded(next)).toEqual(left);
    },
  );

  test('is not found by the next run, if something was erased while its page was unknown', async () => {
    const first = await run();
    void first.recorder.response(response);
    await settled();
    await first.inbox.erase({ kind: 'sites', sites: ['https://news.example'] });
    expect(await recorded(await run(first.parts))).toEqual([]);
  });

  test('is on the disk again once its page is known', async () => {
    const first = await run();
    void first.recorder.response({
      ...response,
      eligibility: null,
      headers: { ...response.headers, source: '{}' },
    });
    await settled();
    await first.inbox.erase({ kind: 'sites', sites: ['https://blog.example'] });
    first.tell({ kind: 'known', contextOrigin: NEWS });
    await settled();
    await jest.advanceTimersByTimeAsync(1000);
    await settled();
    expect((await first.parts.store.inbox.read()).rows).toMatchObject([
      { place: { contextOrigin: NEWS }, decided: null },
    ]);
  });
});
