import { repeatedly } from '../../../extension/pages/state/repeatedly';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Work that takes so long. */
const lasting = (time: number) => jest.fn(() => new Promise<void>((resolve) => setTimeout(resolve, time)));

test('runs again only after a pause since the last time ended', async () => {
  const work = lasting(5000);
  const stop = repeatedly(work, 2000);
  const counts: number[] = [];
  for (const step of [1999, 1, 4999, 2000, 1]) {
    await jest.advanceTimersByTimeAsync(step);
    counts.push(work.mock.calls.length);
  }
  expect(counts).toEqual([0, 1, 1, 1, 2]);
  stop();
});

test.each([
  ['in a pause', 1000],
  ['while it runs', 3000],
])('is stopped %s', async (_when, time) => {
  const work = lasting(2000);
  const stop = repeatedly(work, 2000);
  await jest.advanceTimersByTimeAsync(time);
  stop();
  const before = work.mock.calls.length;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(before);
});
