import 'fake-indexeddb/auto';
import type { Recorder } from '../../../extension/background/record/recorder';
import type { RecordingRule } from '../../../recording/recording-rule';
import { ADTECH, NEWS, START } from '../helpers/engine';
import { newRecorder, plainResponse } from '../helpers/recorder';
import { asked } from '../helpers/recording';

const headers = {
  source: '{"destination": "https://shop.example"}',
  ...{ trigger: null, osSource: false, osTrigger: false, info: null },
};
const place = { kind: 'known', contextOrigin: NEWS } as const;
const request = { requestId: '1', time: START, reportingOrigin: ADTECH, headers };
const rule: RecordingRule = {
  ...{ id: 'rule', matches: ['https://news.example/*'], selector: 'img', on: 'visit', register: 'source' },
  ...{ reportingOrigin: ADTECH, registration: { destination: 'https://shop.example' } },
};
const from = { tabId: 1, documentId: 'd1', contextOrigin: NEWS, asked };

/** What documents d1 and others do. */
const paths: Readonly<Record<string, (recorder: Recorder) => Promise<unknown>>> = {
  'a response': (recorder) =>
    recorder.response({ ...plainResponse, headers, place, eligibility: 'event-source' }),
  'the answer to a request of Cointoss': (recorder) =>
    recorder.ownResponse({ ...from, eligibility: 'event-source' }, request),
  'what a rule found': (recorder) => recorder.ruleMet(rule, from, [], START),
};

test.each(Object.keys(paths))('%s counts on its own page only', async (path) => {
  const counts: string[][] = [];
  for (const left of ['another', 'd1']) {
    const counted: string[] = [];
    const { recorder, store } = await newRecorder(({ documents }) => ({
      badge: { count: (tabId, navigation) => void counted.push(`${tabId} ${navigation}`) },
      documents: { ...documents, wasLeft: (id) => id === left },
    }));
    await paths[path]?.(recorder);
    await recorder.catchUp();
    // It is recorded all the same.
    expect(await store.count('sources')).toBe(1);
    counts.push(counted);
  }
  expect(counts).toEqual([['1 null'], []]);
});
