import { repeatedly } from '../../../extension/pages/state/repeatedly';

/** What a page knows of whether somebody sees it. */
const page = Object.assign(new EventTarget(), { hidden: false });

const turn = (hidden: boolean): void => {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(() => {
  jest.useFakeTimers();
  page.hidden = false;
  Object.assign(globalThis, { document: page });
});
afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'document');
});

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

test('rests while nobody sees the page, and runs at once when somebody does', async () => {
  const work = lasting(0);
  const stop = repeatedly(work, 2000);
  await jest.advanceTimersByTimeAsync(1000);
  turn(true);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(0);
  turn(false);
  expect(work).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(2001);
  expect(work).toHaveBeenCalledTimes(2);
  stop();
  turn(false);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('begins only when somebody sees the page', async () => {
  page.hidden = true;
  const work = lasting(0);
  const stop = repeatedly(work, 2000);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(0);
  turn(false);
  expect(work).toHaveBeenCalledTimes(1);
  stop();
});

test.each([
  ['stays hidden', [true], 0],
  ['is shown again meanwhile', [true, false], 1],
])('does not run twice at once where the page %s', async (_what, turns, more) => {
  const work = lasting(5000);
  const stop = repeatedly(work, 2000);
  await jest.advanceTimersByTimeAsync(2001);
  for (const hidden of turns) turn(hidden);
  expect(work).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(8000);
  expect(work).toHaveBeenCalledTimes(1 + more);
  stop();
});
