import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../node/root';
import { launch } from '../../scenarios/kit';
import { browsers } from '../e2e/helpers/world';

const STARTS = 20;
/** Programs per processor that do nothing but keep it busy. */
const LOAD = 4;

describe.each(browsers)('on a loaded machine (%s)', (name) => {
  let load: readonly ChildProcess[];

  beforeAll(() => {
    const programs = LOAD * availableParallelism();
    load = Array.from({ length: programs }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  });

  afterAll(() => load.forEach((program) => program.kill('SIGKILL')));

  test(
    `the browser and the extension start ${STARTS} times of ${STARTS}`,
    async () => {
      const seconds: number[] = [];
      for (let start = 0; start < STARTS; start++) {
        const before = performance.now();
        const launched = await launch({ browser: name });
        expect(await launched.extension.reports()).toEqual([]);
        seconds.push(Math.round((performance.now() - before) / 1000));
        await launched.close();
      }
      process.stderr.write(`${name}: started in ${seconds.join(', ')} s\n`);
    },
    STARTS * 300_000,
  );
});

test('in Firefox, a tab of the extension may take longer than any test waits', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-slow-'));
  await cp(path.join(root, 'dist/firefox'), folder, { recursive: true });
  const background = path.join(folder, 'background.js');
  const slow = `const { create } = browser.tabs;
      browser.tabs.create = (tab) => new Promise((done) => setTimeout(() => done(create(tab)), 25_000));`;
  await writeFile(background, `${slow}\n${await readFile(background, 'utf8')}`);
  const launched = await launch({ browser: 'firefox', extensionDir: folder });
  expect(await launched.extension.reports()).toEqual([]);
  await launched.close();
  await rm(folder, { recursive: true });
}, 300_000);
