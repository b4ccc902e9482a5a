import { InputFiles } from '../../../cli/io/input-files';
import { readingProgress, showProgress, showSteps, timeLeft } from '../../../cli/io/progress';
import { Progress } from '../../../cli/simulate/lines';
import { main } from '../../../cli/main';
import { readUsers } from '../../../cli/simulate/users';
import { wholeLog } from '../../../cli/simulate/sharding';
import { useCommands } from '../helpers/command';

const { file, pathOf } = useCommands();

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

test.each([true, false])('work that leaves timers no time shows its steps, at a terminal: %s', (isTTY) => {
  const before = process.stderr.isTTY;
  process.stderr.isTTY = isTTY;
  try {
    let steps = 0;
    const { step, stop } = showSteps(() => `step ${steps}`);
    for (; steps < 121; steps++) {
      step();
      jest.advanceTimersByTime(1000);
    }
    stop();
    const shown = Array.from({ length: 120 }, (_, index) => `\rstep ${index + 1}\u001b[K`);
    expect(written).toEqual(
      isTTY ? [...shown, '\r\u001b[K'] : ['cointoss: step 60\n', 'cointoss: step 120\n'],
    );
  } finally {
    process.stderr.isTTY = before;
  }
});

test('after a sort, the share and the time are of what was sorted, and not of what was read', async () => {
  jest.useRealTimers();
  const events = Array.from({ length: 4 }, (_, user) => ({ user: `user ${user}`, timestamp: '0' }));
  const input = new InputFiles([file('log.ndjson', events)]);
  const progress = new Progress();
  let seconds = 0;
  const shown = readingProgress([input], progress, () => seconds * 1000);
  expect(shown()).toBe(' (0 % read to be sorted)');
  const users = readUsers({ input, mapping: null, unsorted: true, shard: wholeLog }, progress);
  const found: string[] = [];
  for await (const { user } of users) {
    found.push(`${user}${shown()}`);
    seconds += 10;
  }
  // A user is known to be complete when the first event of the next one comes.
  expect(found).toEqual([
    'user 0 (50 %)',
    'user 1 (75 %, 10 s left)',
    'user 2 (100 %, 0 s left)',
    'user 3 (100 %, 0 s left)',
  ]);
});

/** Seconds for each of a hundred steps of work. */
const paces: Readonly<Record<string, (step: number) => number>> = {
  'the same speed': () => 1,
  'a slow start': (step) => (step < 5 ? 3 : 1),
  'steps in bursts': (step) => (step % 5 === 0 ? 5 : 0),
  'tables that grow, so that the end takes a quarter longer than the beginning': (step) => 1 + step / 400,
  'another program for a while': (step) => (step > 10 && step < 18 ? 1.2 : 1),
};

test.each(Object.entries(paces))(
  'from a quarter of the time on, it is told within a fifth: %s',
  (_, pace) => {
    const ends = Array.from({ length: 100 }, (__, step) =>
      Array.from({ length: step + 1 }, (___, before) => pace(before)).reduce((sum, one) => sum + one, 0),
    );
    const all = ends.at(-1) ?? NaN;
    let seconds = 0;
    const share = (): number => ends.filter((end) => end <= seconds).length / ends.length;
    const left = timeLeft(share, () => seconds * 1000);
    const wrong: string[] = [];
    for (; seconds < all; seconds += 0.5) {
      const shown = left();
      const told = Number(/, (\d+) s left/.exec(shown)?.[1]);
      // A fiftieth of the whole time is what nobody notices at the end, or a burst.
      const most = Math.max(
        0.2 * (all - seconds),
        0.02 * all,
        Math.max(...ends.map((___, step) => pace(step))),
      );
      if (seconds >= all / 4 && !(Math.abs(told - (all - seconds)) <= most))
        wrong.push(`at ${seconds}: ${shown}, but ${all - seconds}`);
    }
    expect(wrong).toEqual([]);
  },
);

test('also the last seconds of short work are told within a fifth', () => {
  let seconds = 0;
  const ALL = 12;
  const left = timeLeft(
    () => seconds / ALL,
    () => seconds * 1000,
  );
  for (; seconds < ALL - 2.5; seconds += 0.1) {
    const told = Number(/, (\d+) s left/.exec(left())?.[1] ?? NaN);
    if (seconds >= 5) expect(Math.abs(told / (ALL - seconds) - 1)).toBeLessThanOrEqual(0.2);
  }
});

test('in the first seconds no time is told, because code is still slow', () => {
  let seconds = 0;
  const left = timeLeft(
    () => seconds / 100,
    () => seconds * 1000,
  );
  seconds = 4;
  expect(left()).toBe('');
  seconds = 5;
  expect(left()).toBe(', 95 s left');
});

test('the remaining time does not count on a slow start', () => {
  // Of the work, in a second: powers of two, so that nothing is rounded.
  const speed = { slow: 1 / 128, fast: 1 / 32 };
  const [STARTED, END] = [8, 38];
  let seconds = 0;
  const share = (): number =>
    speed.slow * Math.min(seconds, STARTED) + speed.fast * Math.max(0, seconds - STARTED);
  const left = timeLeft(share, () => seconds * 1000);
  for (seconds = 0; seconds < END; seconds++) {
    const shown = left();
    if (seconds >= 2 * STARTED) expect(shown).toBe(`, ${END - seconds} s left`);
  }
});

test('the remaining time of work in few steps is that of the steps so far', () => {
  let [seconds, share] = [0, 0];
  const left = timeLeft(
    () => share,
    () => seconds * 1000,
  );
  expect(left()).toBe('');
  [seconds, share] = [10, 0.25];
  expect(left()).toBe(', 30 s left');
  // The next step is on its way.
  seconds = 15;
  expect(left()).toBe(', 25 s left');
  // It takes longer than the first one.
  seconds = 30;
  expect(left()).toBe(', 50 s left');
});

test('no time is told while less is done than at the start of what counts, because more work was found', () => {
  let [seconds, share] = [0, 0];
  const left = timeLeft(
    () => share,
    () => seconds * 1000,
  );
  for (const [time, done] of [
    [5, 0.25],
    [10, 0.5],
    [15, 0.75],
  ] as const) {
    [seconds, share] = [time, done];
    left();
  }
  [seconds, share] = [16, 0.25];
  expect(left()).toBe('');
});

test('an experiment shows how many tries and runs of its cells are done', async () => {
  jest.useRealTimers();
  const experiment = {
    repetitions: 3,
    data: { users: 120, demo: true },
    grid: { 'source.event_level_epsilon': [1, 3, 9] },
  };
  const call = ['experiment', file('experiment.json', experiment), '--output', pathOf('results')];
  const before = process.stderr.isTTY;
  process.stderr.isTTY = true;
  try {
    expect(await main([...call, '--threads', '1'])).toBe(0);
  } finally {
    process.stderr.isTTY = before;
  }
  const states = written.filter((text) => text.startsWith('\r'));
  expect(states.some((text) => /^\rtrying each cell: \d of 6(, \d+ s left)?/.test(text))).toBe(true);
  expect(states.some((text) => /^\r\d+ of \d+ runs/.test(text))).toBe(true);
});

test('in a pipe, the first line tells the time left of work on sorted lines', () => {
  const before = process.stderr.isTTY;
  process.stderr.isTTY = false;
  try {
    const sort = { unsorted: 100, sorted: 0 };
    const stop = showProgress(readingProgress([], sort));
    for (let second = 0; second < 60; second++) {
      if (second >= 20) sort.sorted += 1;
      jest.advanceTimersByTime(1000);
    }
    stop();
    expect(written.join('')).toMatch(/\(40 %, (5[89]|6[0-2]) s left\)/);
  } finally {
    process.stderr.isTTY = before;
  }
});
