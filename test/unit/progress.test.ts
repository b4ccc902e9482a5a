import { showProgress } from '../../cli/progress';

let written: string[];

beforeEach(() => {
  jest.useFakeTimers();
  written = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

function shownAfter(isTTY: boolean, milliseconds: number): readonly string[] {
  const before = process.stderr.isTTY;
  process.stderr.isTTY = isTTY;
  try {
    const stop = showProgress(() => '5 lines');
    jest.advanceTimersByTime(milliseconds);
    stop();
    jest.advanceTimersByTime(milliseconds);
    return written;
  } finally {
    process.stderr.isTTY = before;
  }
}

test('a terminal shows one line, which is gone at the end', () => {
  expect(shownAfter(true, 1000)).toEqual(['\r5 lines\u001b[K', '\r5 lines\u001b[K', '\r\u001b[K']);
});

test('a file gets a line every minute, and none for short work', () => {
  expect(shownAfter(false, 59_999)).toEqual([]);
  expect(shownAfter(false, 120_000)).toEqual(['cointoss: 5 lines\n', 'cointoss: 5 lines\n']);
});
