import 'fake-indexeddb/auto';
import type { Recorder, RecorderParts } from '../../../extension/background/record/recorder';
import type { RecordingRule } from '../../../recording/recording-rule';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { Limits } from '../../../src/model/limits';
import { ADTECH, NEWS, sourceRegistration, START } from '../helpers/engine';
import { newRecorder, requester } from '../helpers/recorder';
import { asked } from '../helpers/recording';

const defect = (): never => {
  throw new Error('a defect');
};

const headers = {
  source: '{"destination": "https://shop.example"}',
  trigger: null,
  osSource: false,
  osTrigger: false,
  info: null,
};
const request = { requestId: '1', time: START, reportingOrigin: ADTECH, headers };

const rule: RecordingRule = {
  id: 'rule',
  matches: ['https://news.example/*'],
  selector: 'img',
  on: 'visit',
  register: 'source',
  reportingOrigin: ADTECH,
  registration: { destination: 'https://shop.example' },
};

const paths: Readonly<Record<string, (recorder: Recorder) => Promise<unknown>>> = {
  'a header': (recorder) =>
    recorder.response({
      ...request,
      kind: 'fetch',
      requestUrl: 'https://adtech.example/ad',
      openerTabId: null,
      place: { kind: 'known', contextOrigin: NEWS },
      requester,
      eligibility: 'event-source',
    }),
  'a request of Cointoss': (recorder) =>
    recorder.ownResponse({ tabId: 1, contextOrigin: NEWS, asked, eligibility: 'event-source' }, request),
  'a rule': (recorder) => recorder.ruleMet(rule, { contextOrigin: NEWS, tabId: 1, asked }, [], START),
  'a person': (recorder) => recorder.byHand(sourceRegistration()),
};

/** Where the defect is. */
const defects: Readonly<Record<string, (parts: RecorderParts) => Partial<RecorderParts>>> = {
  'within the engine': ({ store }) => ({
    engine: new StoredEngine({ store, limits: {} as Limits, random: defect }),
  }),
  'on the way to the engine': ({ limits }) => ({
    limits: Object.create(limits, { changed: { get: defect } }) as typeof limits,
  }),
};

describe.each(Object.keys(defects))('a registration that fails %s', (where) => {
  test.each(Object.keys(paths))(
    'is logged, and leaves nothing to try again, if it came by %s',
    async (path) => {
      const complained = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      const { recorder, store, inbox } = await newRecorder(defects[where]);
      await paths[path]?.(recorder).catch(() => undefined);
      await recorder.catchUp();
      expect(inbox.responses).toEqual([]);
      expect(await store.count('sources')).toBe(0);
      expect(await store.newest('log', 9)).toMatchObject([
        { kind: 'ignored', reason: { code: 'not-recorded' }, contextOrigin: NEWS },
      ]);
      complained.mockRestore();
    },
  );
});
