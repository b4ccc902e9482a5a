import browser from 'webextension-polyfill';
import { moment, type Site } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { startBackground, type Background } from '../helpers/crash/background';
import { Disk, LifeStore } from '../helpers/crash/disk';
import { connect, Network, type Mood } from '../helpers/crash/network';
import { useCrashes } from '../helpers/crash/use-crashes';
import { START } from '../helpers/engine';
import { report } from '../helpers/rows';

useCrashes();
afterEach(() => void jest.restoreAllMocks());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A background whose clock stands still until it is set, with reports that are due one hour from the start. */
class Waiting {
  time = START;
  mood: (time: number, url: string) => Mood = () => 'well';
  posts = 0;
  readonly disk = new Disk();
  readonly network = new Network((url) => {
    this.posts += 1;
    return this.mood(this.time, url);
  });
  #background: Background | null = null;

  static async with(count: number): Promise<Waiting> {
    const waiting = new Waiting();
    connect(waiting.network);
    await waiting.start();
    await waiting.background.joining.accept(null);
    await waiting.disk.tables.write((tx) => {
      for (let id = 1; id <= count; id++) {
        const body = { report_id: String(id) };
        tx.table('reports').put({ ...report(id, START + HOUR, 1), body });
      }
    });
    return waiting;
  }

  get background(): Background {
    if (this.#background === null) throw new Error('the background is not up');
    return this.#background;
  }

  /** The next run of the background. */
  async start(): Promise<void> {
    const random = seededRandomSource('network', 0);
    this.#background = await startBackground(new LifeStore(this.disk), random);
    await this.background.clock.setTo(this.time, true);
  }

  async setClock(time: number): Promise<void> {
    this.time = moment(time);
    await this.background.clock.setTo(this.time, true);
    await this.background.delivery.run();
  }

  /** Lets time pass in such steps, and sends what is due after each. */
  async pass(duration: number, step = duration): Promise<void> {
    for (let passed = 0; passed < duration; passed += step) await this.setClock(this.time + step);
  }

  /** How many reports wait, and how many ended in each way. */
  async outcome(): Promise<Readonly<Record<string, number>>> {
    const { reports, finished } = await this.disk.contents();
    const counts: Record<string, number> = reports.length > 0 ? { pending: reports.length } : {};
    for (const { end } of finished) counts[end] = (counts[end] ?? 0) + 1;
    return counts;
  }
}

/** What fails, until when, and how often a report is tried until then at most. */
const faults: readonly [string, (time: number) => Mood, number][] = [
  ['unreachable for six days', (time) => (time < START + 6 * DAY ? 'unreachable' : 'well'), 40],
  ['answering 503 for six days', (time) => (time < START + 6 * DAY ? 'failing' : 'well'), 40],
  ['answering 429 for six days', (time) => (time < START + 6 * DAY ? 'limiting' : 'well'), 40],
  ['reset after each report for six days', (time) => (time < START + 6 * DAY ? 'lost answer' : 'well'), 40],
  ['up in one hour of seven', (time) => (Math.floor(time / HOUR) % 7 === 0 ? 'well' : 'unreachable'), 40],
];

test('reports leave only once all that was written is on the disk', async () => {
  const waiting = await Waiting.with(3);
  let written = (): void => undefined;
  const flushed = jest
    .spyOn(LifeStore.prototype, 'flush')
    .mockReturnValueOnce(new Promise((resolve) => (written = resolve)));
  const passed = waiting.pass(2 * HOUR, 10 * MINUTE);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  while (flushed.mock.calls.length === 0) await turn();
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(waiting.posts).toBe(0);
  written();
  await passed;
  expect(waiting.posts).toBe(3);
});

/** @returns when the alarm rings that is set at the time, or null if none is */
function alarms(): () => number | null {
  let when: number | null = null;
  jest.spyOn(browser.alarms, 'create').mockImplementation((...given: unknown[]) => {
    when = (given[1] as { when: number }).when;
    return Promise.resolve();
  });
  jest.spyOn(browser.alarms, 'clear').mockImplementation(() => {
    when = null;
    return Promise.resolve(true);
  });
  return () => when;
}

test('reports that a full disk held up leave a minute later', async () => {
  const waiting = await Waiting.with(3);
  const rung = alarms();
  const full = jest.spyOn(LifeStore.prototype, 'flush').mockRejectedValue(new Error('the disk is full'));
  await expect(waiting.pass(2 * HOUR, 10 * MINUTE)).rejects.toThrow('the disk is full');
  expect(waiting.posts).toBe(0);
  expect(Math.abs((rung() ?? NaN) - Date.now() - MINUTE)).toBeLessThan(MINUTE / 2);
  full.mockRestore();
  await waiting.background.delivery.run();
  expect(await waiting.outcome()).toEqual({ delivered: 3 });
});

test.each(faults)('a server that is %s gets each report once', async (_what, mood, mostTries) => {
  const waiting = await Waiting.with(3);
  waiting.mood = mood;
  await waiting.pass(8 * DAY, 10 * MINUTE);
  expect(await waiting.outcome()).toEqual({ delivered: 3 });
  expect(waiting.network.taken.size).toBe(3);
  expect(waiting.network.wrong).toEqual([]);
  expect(waiting.posts).toBeLessThanOrEqual(3 * mostTries);
});

test('a server that never comes back leaves reports that age out after 30 days, and says so', async () => {
  const waiting = await Waiting.with(3);
  waiting.mood = () => 'unreachable';
  await waiting.pass(29 * DAY, HOUR);
  expect(await waiting.outcome()).toEqual({ pending: 3 });
  await waiting.pass(3 * DAY, HOUR);
  expect(await waiting.outcome()).toEqual({ 'aged-out': 3 });
});

test('offline nothing is tried; online again the reports leave within a minute', async () => {
  const waiting = await Waiting.with(50);
  const online = jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await waiting.pass(3 * DAY, HOUR);
  expect(waiting.posts).toBe(0);
  online.mockReturnValue(true);
  await waiting.pass(MINUTE, 5000);
  await waiting.pass(5000);
  expect(await waiting.outcome()).toEqual({ delivered: 50 });
  expect(waiting.posts).toBe(50);
});

test('thousands that are due at the start leave spread over a minute, each once', async () => {
  const waiting = await Waiting.with(3000);
  waiting.time = moment(START + DAY);
  await waiting.background.clock.setTo(waiting.time, true);
  // The next run of the background, which reads the turned clock.
  await waiting.start();
  expect(waiting.posts).toBeLessThan(100);
  await waiting.pass(MINUTE / 2);
  const half = waiting.posts;
  expect(half).toBeGreaterThan(1000);
  expect(half).toBeLessThan(2000);
  await waiting.pass(MINUTE / 2);
  expect(await waiting.outcome()).toEqual({ delivered: 3000 });
  expect(waiting.posts).toBe(3000);
});

/** Servers that hang; the returned function lets each request to them time out, now and later. */
function hang(waiting: Waiting): () => void {
  waiting.mood = (_time, url) => (url.includes('hangs') ? 'hanging' : 'well');
  const timeouts: AbortController[] = [];
  let isOver = false;
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    timeouts.push(controller);
    if (isOver) controller.abort();
    return controller.signal;
  });
  return () => {
    isOver = true;
    for (const controller of timeouts) controller.abort();
  };
}

/** Lets reports to these servers be due in an hour, each of a page. */
async function sendTo(
  waiting: Waiting,
  urls: readonly (readonly [url: string, page: string])[],
): Promise<void> {
  // What is due when the person agrees is spread over a minute.
  await waiting.setClock(START);
  await waiting.disk.tables.write((tx) => {
    for (const [index, [url, page]] of urls.entries()) {
      const row = report(index + 1, START + HOUR, 1);
      const body = { report_id: String(row.id) };
      tx.table('reports').put({ ...row, url, body, sourceSite: page as Site });
    }
  });
}

const settled = async (isSo: () => boolean, turns = 5000): Promise<void> => {
  for (let turn = 0; turn < turns && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('a page whose hundred servers hang delays no report of another page', async () => {
  const waiting = await Waiting.with(0);
  const timeOut = hang(waiting);
  const hostile = Array.from(
    { length: 100 },
    (_, index) => [`https://hangs${index}.example/report`, 'https://attacker.example'] as const,
  );
  // They leave in random order.
  const honest = Array.from(
    { length: 10 },
    () => ['https://ad.example/report', 'https://news.example'] as const,
  );
  await sendTo(waiting, [...hostile, ...honest]);
  const sending = waiting.setClock(START + HOUR);
  await settled(() => waiting.network.taken.size === 10);
  const taken = waiting.network.taken.size;
  timeOut();
  await sending;
  expect(taken).toBe(10);
});

test('three hundred pages whose servers hang delay a report of another page by seconds', async () => {
  const waiting = await Waiting.with(0);
  const timeOut = hang(waiting);
  const hostile = Array.from(
    { length: 300 },
    (_, index) => [`https://hangs${index}.example/report`, `https://attacker${index}.example`] as const,
  );
  const honest = Array.from(
    { length: 10 },
    (_, index) => [`https://ad${index % 5}.example/report`, 'https://news.example'] as const,
  );
  await sendTo(waiting, [...hostile, ...honest]);
  const sending = waiting.setClock(START + HOUR);
  for (let seconds = 0; seconds < 12; seconds++) {
    await settled(() => false, 100);
    await jest.advanceTimersByTimeAsync(1000);
  }
  await settled(() => waiting.network.taken.size === 10);
  const taken = waiting.network.taken.size;
  timeOut();
  await sending;
  expect(taken).toBe(10);
  expect(await waiting.outcome()).toEqual({ delivered: 10, pending: 300 });
});

test('a server that times out gets no other report for five minutes', async () => {
  const waiting = await Waiting.with(0);
  const timeOut = hang(waiting);
  await sendTo(
    waiting,
    Array.from({ length: 20 }, () => ['https://hangs.example/report', 'https://news.example'] as const),
  );
  const sending = waiting.setClock(START + HOUR);
  await settled(() => waiting.posts === 2);
  timeOut();
  await sending;
  expect(waiting.posts).toBe(2);
  waiting.mood = () => 'well';
  await waiting.setClock(START + HOUR + 4 * MINUTE);
  expect(waiting.posts).toBe(2);
  await waiting.setClock(START + HOUR + 5 * MINUTE);
  expect(await waiting.outcome()).toEqual({ delivered: 20 });
});

test.each([
  ['a year back', START - 365 * DAY],
  ['back to 1970', 0],
])('a clock that is set %s keeps the reports until it is right again', async (_what, wrong) => {
  const waiting = await Waiting.with(3);
  await waiting.setClock(wrong);
  await waiting.start();
  await waiting.pass(MINUTE);
  expect(waiting.posts).toBe(0);
  await waiting.setClock(START + 2 * HOUR);
  await waiting.pass(MINUTE);
  expect(await waiting.outcome()).toEqual({ delivered: 3 });
});

test.each([10, 50])('a clock that is %d years ahead sends what is due, and loses nothing', async (years) => {
  const waiting = await Waiting.with(3);
  await waiting.setClock(START + years * 365 * DAY);
  await waiting.start();
  await waiting.pass(MINUTE);
  expect(await waiting.outcome()).toEqual({ delivered: 3 });
  expect(waiting.network.taken.size).toBe(3);
});

test.each([1, 10])(
  'a clock that is %d years ahead while no server answers, and then right again, loses nothing',
  async (years) => {
    const waiting = await Waiting.with(3);
    waiting.mood = () => 'unreachable';
    await waiting.setClock(START + years * 365 * DAY);
    await waiting.start();
    await waiting.pass(DAY, HOUR);
    expect(await waiting.outcome()).toEqual({ pending: 3 });
    waiting.mood = () => 'well';
    await waiting.setClock(START + 2 * HOUR);
    await waiting.start();
    await waiting.pass(MINUTE);
    expect(await waiting.outcome()).toEqual({ delivered: 3 });
  },
);
