import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockFolder } from '../../collector/store/folder-lock';

const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-lock-'));
const file = path.join(folder, 'collector.lock');

afterAll(() => rmSync(folder, { recursive: true }));

/** What this process writes. */
async function own(): Promise<Record<string, unknown>> {
  const unlock = await lockFolder(file);
  const owner = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  await unlock();
  return owner;
}

test('a folder is held by one until it is given back', async () => {
  const unlock = await lockFolder(file);
  await expect(lockFolder(file)).rejects.toThrow('another collector uses the store');
  await unlock();
  await (
    await lockFolder(file)
  )();
});

const onLinux = process.platform === 'linux' ? test.each : test.skip.each;

onLinux<[string, object, age: number, isHeld: boolean]>([
  ['this process', {}, 0, true],
  ['this process, which was stopped for an hour', {}, 3600, true],
  ['a process that had this one’s number', { started: '1' }, 0, false],
  ['a process that is gone', { pid: 2 ** 22 + 1 }, 0, false],
  ['the process with this number in another container, which runs', { place: 'boot pid:[1]' }, 5, true],
  ['the process with this number before the power was lost', { place: 'boot pid:[1]' }, 30, false],
])('the lock of %s', async (_name, changes, age, isHeld) => {
  writeFileSync(file, JSON.stringify({ ...(await own()), ...changes }));
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  // eslint-disable-next-line jest/no-standalone-expect -- `onLinux` is a test.each
  if (isHeld) await expect(lockFolder(file)).rejects.toThrow('another collector uses the store');
  else await (await lockFolder(file))();
  rmSync(file, { force: true });
});

test.each([
  ['', 5, true],
  ['', 30, false],
  ['{"pid":', 30, false],
  ['4711', 30, false],
])('a lock that holds %p and is %i seconds old', async (content, age, isHeld) => {
  writeFileSync(file, content);
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  if (isHeld) await expect(lockFolder(file)).rejects.toThrow('another collector uses the store');
  else await (await lockFolder(file))();
  rmSync(file, { force: true });
});
