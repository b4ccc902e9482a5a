import type { AnalysisOptions } from '../../../analysis/estimate/result/analysis';
import type { EstimateResult } from '../../../analysis/estimate/result/result-json';
import type { Statistics } from '../../../analysis/estimate/result/statistics';
import type { estimatesInThreads } from '../../../cli/estimate/threads';
import type { InputFiles } from '../../../cli/io/input-files';

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

// In seconds for a byte of sources; the others take so many times as long.
test.each([
  { reports: 1.2, cell: 25_000 },
  { reports: 1.8, cell: 15_000 },
  { reports: 1.5, cell: 12_000 },
])('while logs are read, the time left is told within a fifth: %o', async ({ reports, cell }) => {
  const { joinProgress } = await import('../../../cli/estimate/progress');
  const [second, cells] = [25e6, 40_000];
  const [log, given] = [
    { size: 6000e6, read: 0 },
    { size: 2000e6, read: 0 },
  ];
  const inputs = [log, given].map((file) => ({ files: [file], names: [] }) as unknown as InputFiles);
  const shown = joinProgress(inputs[0] as InputFiles, inputs[1] as InputFiles, () => cells, false);
  const all = (log.size + reports * given.size + cell * cells) / second;
  for (let seconds = 0; seconds < 0.76 * all; seconds += 0.5) {
    log.read = Math.min(log.size, seconds * second);
    given.read = Math.min(given.size, Math.max(0, seconds * second - log.size) / reports);
    const told = Number(/, (\d+) s left/.exec(shown())?.[1]);
    if (seconds > 0.25 * all) expect(Math.abs(told / (all - seconds) - 1)).toBeLessThan(0.2);
    jest.advanceTimersByTime(500);
  }
});
