import { WaitDiagnosis } from '../../../scenarios/kit/wait-diagnosis';

/* When a wait of the kit gives up. The extension and the pages are made up; test/e2e/kit-errors.test.ts has real ones. */

type Parts = ConstructorParameters<typeof WaitDiagnosis>;
type Answer = Parts[0]['answers'][number];

const failed: Answer = { text: 'GET /none: 404', page: () => null, failed: true, mayBeMade: false };
const undeclared = {
  ...{ id: 1, contextOrigin: 'https://news.example', reportingOrigin: 'https://ads.example' },
  reason: { code: 'no-click', values: {} },
};

/**
 * How often a wait asks before it gives up, or 100 times if it does not.
 * @param pace in ms: how long the extension needs for an answer
 */
async function asked(
  isBusy: boolean,
  pace: number,
): Promise<{ readonly times: number; readonly said: string }> {
  const traffic = {
    answers: [failed],
    inFlight: 0,
    isIntercepted: false,
    pagesAnswer: () => Promise.resolve(!isBusy),
  };
  const questions = {
    overview: () => Promise.resolve({ consentStatus: 'recording', paused: false }),
    log: () => Promise.resolve([]),
    reports: () => Promise.resolve([]),
    settings: () => Promise.resolve({ pausedSites: [] }),
    undeclared: () => Promise.resolve([undeclared]),
    sources: () => Promise.resolve([]),
  };
  const diagnosis = new WaitDiagnosis(traffic, questions as unknown as Parts[1]);
  let times = 0;
  const probe = (): Promise<string | null> => Promise.resolve(++times < 100 ? null : 'it came');
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => times * pace);
  const said = await diagnosis.waitFor('a source', probe, { interval: 0 }).catch(String);
  clock.mockRestore();
  return { times, said };
}

test('a wait gives up after a quiet phase, with what no page declared', async () => {
  const { said } = await asked(false, 100);
  expect(said).toContain('waiting for a source is in vain: response on https://news.example');
});

test('the quiet phase lasts at least 1.75 seconds and ten answers', async () => {
  const counts: number[] = [];
  for (const pace of [50, 150, 400]) counts.push((await asked(false, pace)).times);
  // The first answer begins it.
  expect(counts).toEqual([36, 13, 11]);
});

test('while a page is busy, it does not give up for an answer that the log lacks', async () => {
  expect(await asked(true, 50)).toEqual({ times: 100, said: 'it came' });
});
