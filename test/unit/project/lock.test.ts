import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockFile } from '../../../scripts/lock.mjs';
import { isLong } from '../helpers/is-long';

const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-lock-'));
const file = path.join(folder, 'collector.lock');

afterAll(() => rmSync(folder, { recursive: true }));

/** What this process writes into the lock. */
async function own(): Promise<Record<string, unknown>> {
  const unlock = await lockFile(file);
  const owner = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  await unlock?.();
  return owner;
}

/** Whether somebody else holds the lock. Removes it. */
async function isHeld(): Promise<boolean> {
  const unlock = await lockFile(file);
  await unlock?.();
  rmSync(file, { force: true });
  return unlock === null;
}

test('a folder is held by one until it is given back', async () => {
  const unlock = await lockFile(file);
  expect(await lockFile(file)).toBeNull();
  await unlock?.();
  expect(await isHeld()).toBe(false);
});

const onLinux = process.platform === 'linux' ? test.each : test.skip.each;

onLinux<[string, object, age: number, held: boolean]>([
  ['this process', {}, 0, true],
  ['this process, which was stopped for an hour', {}, 3600, true],
  ['a process that had this one’s number', { started: '1' }, 0, false],
  ['a process that is gone', { pid: 2 ** 22 + 1 }, 0, false],
  ['the process with this number in another container, which runs', { place: 'boot pid:[1]' }, 5, true],
  ['the process with this number before the power was lost', { place: 'boot pid:[1]' }, 30, false],
])('the lock of %s', async (_name, changes, age, held) => {
  writeFileSync(file, JSON.stringify({ ...(await own()), ...changes }));
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  // oxlint-disable-next-line jest/no-standalone-expect -- `onLinux` is a test.each
  expect(await isHeld()).toBe(held);
});

test.each([
  ['', 5, true],
  ['', 30, false],
  ['{"pid":', 30, false],
  ['4711', 30, false],
])('a lock that holds %p and is %i seconds old', async (content, age, held) => {
  writeFileSync(file, content);
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  expect(await isHeld()).toBe(held);
});

test('a folder is taken over from one that died while it took it over', async () => {
  const dead = JSON.stringify({ ...(await own()), started: '1' });
  const mark = createHash('sha256').update(dead).digest('hex').slice(0, 16);
  for (const name of [file, `${file}.${mark}`, `${file}.${mark}.${mark}`]) writeFileSync(name, dead);
  const unlock = await lockFile(file);
  expect(readFileSync(file, 'utf8')).not.toBe(dead);
  await unlock?.();
  expect(readdirSync(folder)).toEqual([]);
});

describe('two processes that find the locks of one that is gone', () => {
  const racers: ChildProcess[] = [];

  beforeAll(() => {
    const execArgv = ['--require', require.resolve('tsx/cjs')];
    for (let started = 0; started < 2; started++)
      racers.push(fork(path.join(__dirname, '../helpers/lock-racer.ts'), { execArgv }));
  });
  afterAll(() => racers.forEach((racer) => racer.kill()));

  async function tell<Answer>(racer: ChildProcess, message: readonly string[]): Promise<Answer> {
    const answered = once(racer, 'message') as Promise<[Answer]>;
    racer.send(message);
    return (await answered)[0];
  }

  const rounds = isLong ? 20 : 5;

  test(`never both get the folder, and never none does, in ${50 * rounds} races`, async () => {
    const stale = JSON.stringify({ ...(await own()), started: '1' });
    const files = Array.from({ length: 50 }, (_, index) => `${file}-${index}`);
    for (let round = 0; round < rounds; round++) {
      files.forEach((each) => writeFileSync(each, stale));
      const [first = [], second = []] = await Promise.all(
        racers.map((racer) => tell<readonly boolean[]>(racer, files)),
      );
      expect(first.map((got, index) => Number(got) + Number(second[index]))).toEqual(files.map(() => 1));
      await Promise.all(racers.map((racer) => tell(racer, [])));
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
