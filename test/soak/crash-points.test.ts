import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { Found } from '../unit/helpers/crash/workload';

const DEATHS = 1_000_000;
/** Each says what was found so far. */
const PARTS = 40;

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'cointoss-deaths-'))));
afterAll(() => rm(folder, { recursive: true }));

/** Outside of Jest, which follows each promise, and so takes twice as long. */
async function compile(): Promise<string> {
  const outfile = path.join(folder, 'deaths.cjs');
  await build({
    entryPoints: [path.join(__dirname, 'helpers/deaths.ts')],
    outfile,
    ...{ bundle: true, platform: 'node', mainFields: ['module', 'main'], sourcemap: 'inline' },
    alias: { 'webextension-polyfill': path.join(__dirname, '../unit/helpers/webextension.ts') },
  });
  return outfile;
}

/** Runs the program until its end. @param take called with what each seed found */
async function run(program: string, args: readonly string[], take: (found: Found) => void): Promise<void> {
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) take(JSON.parse(line) as Found);
  expect(await ended).toEqual([0, null]);
}

test(
  'a background that dies at any of a million points loses, doubles and half does nothing',
  async () => {
    const program = await compile();
    const all = { deaths: 0, registered: 0, taken: 0 };
    const wrong: string[] = [];
    const take = (found: Found): void => {
      all.deaths += found.deaths;
      all.registered += found.registered;
      all.taken += found.taken;
      wrong.push(...found.wrong);
      process.stderr.write(
        `${all.deaths} deaths, ${all.registered} registrations, ${all.taken} reports taken, ${wrong.length} wrong\n`,
      );
    };
    const processes = availableParallelism();
    const seeds = Array.from({ length: PARTS }, (_, part) => `soak ${part}`);
    const shares = Array.from({ length: processes }, (_, process) =>
      seeds.filter((_seed, part) => part % processes === process),
    );
    await Promise.all(shares.map((share) => run(program, [String(DEATHS / PARTS), ...share], take)));
    expect(wrong).toEqual([]);
    expect(all.deaths).toBe(DEATHS);
  },
  4 * 3_600_000,
);
