import type { AnalysisOptions } from '../../../analysis/estimate/result/analysis';
import type { EstimateResult } from '../../../analysis/estimate/result/result-json';
import type { Statistics } from '../../../analysis/estimate/result/statistics';
import type { estimatesInThreads } from '../../../cli/estimate/threads';

const mockEstimates = jest.fn<ReturnType<typeof estimatesInThreads>, Parameters<typeof estimatesInThreads>>();

jest.mock('../../../cli/estimate/threads', () => ({ estimatesInThreads: mockEstimates }));

const GROUPS = 4;
const MILLISECONDS_OF_GROUP = 30_000;

/** What a terminal shows while the groups are estimated. */
async function shown(likelihood: boolean): Promise<readonly string[]> {
  const written: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  mockEstimates.mockImplementation((_counted, _options, _threads, onGroup) => {
    for (let done = 1; done <= GROUPS; done++) {
      jest.advanceTimersByTime(MILLISECONDS_OF_GROUP);
      onGroup?.(done, GROUPS);
    }
    return Promise.resolve({} as EstimateResult);
  });
  // After the mock: imports above run before it.
  const { shownEstimates } = await import('../../../cli/estimate/progress');
  const before = process.stderr.isTTY;
  process.stderr.isTTY = true;
  try {
    await shownEstimates({} as Statistics, { likelihood } as AnalysisOptions, 1);
  } finally {
    process.stderr.isTTY = before;
  }
  return written.filter((text) => text.includes('estimates'));
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('estimates show their share and the time left', async () => {
  const states = await shown(false);
  expect(states).toHaveLength(GROUPS);
  for (const state of states) expect(state).toMatch(/^\restimates \(\d+ %, \d+ s left\)/);
});

test('with likelihoods, estimates show their share but no time, because nobody knows how long these take', async () => {
  const states = await shown(true);
  expect(states).toHaveLength(GROUPS);
  for (const state of states) expect(state).toMatch(/^\restimates \(\d+ %\)/);
});
