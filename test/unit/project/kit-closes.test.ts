import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withBrowser } from '../../../scenarios/kit/with-browser';

const { TMPDIR: own } = process.env;
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kit-'));
  process.env['TMPDIR'] = folder;
});

afterEach(async () => {
  if (own === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = own;
  await rm(folder, { recursive: true, force: true });
});

test('a browser that does not start leaves no profile', async () => {
  let isUsed = false;
  const use = (): Promise<void> => {
    isUsed = true;
    return Promise.resolve();
  };
  await expect(withBrowser({ executablePath: '/bin/false' }, use)).rejects.toThrow(
    '/bin/false did not start as chrome',
  );
  expect(isUsed).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});
