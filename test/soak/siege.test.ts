import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../scenarios/kit';
import { source } from '../e2e/helpers/registrations';
import { HoldingServer } from '../e2e/helpers/holding-server';
import { besiege } from '../e2e/helpers/siege';
import { browsers, World } from '../e2e/helpers/world';

/** In ms. */
const DURATION = 10 * 60_000;
const PAUSE = 15_000;

jest.setTimeout(DURATION + 5 * 60_000);

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? NaN;

async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const inside = path.join(folder, entry.name);
    // A file may be gone by now.
    return entry.isDirectory() ? sizeOfFolder(inside) : (await stat(inside).catch(() => ({ size: 0 }))).size;
  });
  return (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
}

/** The bytes of the databases of all extensions in a profile; there is only this one. */
async function sizeOfDatabases(profile: string): Promise<number> {
  const entries = await readdir(profile, { recursive: true, withFileTypes: true });
  const folders = entries.filter(
    (entry) => entry.isDirectory() && /^(chrome-extension_|moz-extension\+)/.test(entry.name),
  );
  const sizes = await Promise.all(
    folders.map(({ parentPath, name }) => sizeOfFolder(path.join(parentPath, name))),
  );
  return sizes.reduce((a, b) => a + b, 0);
}

/** The private bytes of the browser's process for the extension. Null where there is no /proc. */
async function memoryOfBackground(profile: string): Promise<number | null> {
  for (const id of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const of = (file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
    const isExtension =
      (await of('cmdline')).includes('--extension-process') || (await of('comm')).trim() === 'WebExtensions';
    if (!isExtension || !(await belongsTo(Number(id), profile))) continue;
    const kibibytes = [...(await of('smaps_rollup')).matchAll(/^Private_\w+:\s+(\d+)/gm)].map(([, size]) =>
      Number(size),
    );
    return 1024 * kibibytes.reduce((a, b) => a + b, 0);
  }
  return null;
}

/** Whether a process or one above it was started with this profile. */
async function belongsTo(id: number, profile: string): Promise<boolean> {
  if (id <= 1) return false;
  if ((await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(profile)) return true;
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
  return belongsTo(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), profile);
}

/** Leaves nothing in the extension's process but the background: the page that asks it shows nothing. */
async function emptyOwnPage({ extension }: World): Promise<void> {
  const page = await extension.page();
  await page.evaluate(() => {
    location.replace('devtools.html');
  });
  const isThere = (): Promise<boolean> => page.evaluate(() => location.pathname.endsWith('/devtools.html'));
  // It cannot be asked while it loads.
  await waitFor('the empty page', () => isThere().catch(() => false));
}

describe.each(browsers)('ten minutes of siege by three pages (%s)', (name) => {
  const world = new World(name);
  let profile = '';

  beforeAll(async () => {
    profile = await mkdtemp(path.join(tmpdir(), 'cointoss-siege-'));
    await world.start({ userDataDir: profile });
  }, 300_000);

  afterAll(async () => {
    await world.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }, 60_000);

  it('delays no ad of another page by more than a second, and fills neither memory nor disk', async () => {
    await emptyOwnPage(world);
    const hanging = await HoldingServer.start();
    const siege = { hanging: hanging.origin, adServer: 'adtech', messages: 3 };
    await Promise.all(['besieger', 'assailant', 'invader'].map((site) => besiege(world, site, siege)));
    const delays: number[] = [];
    const memory: number[] = [];
    const end = Date.now() + DURATION;
    for (let visit = 0; Date.now() < end; visit++) {
      const site = `publisher-${visit}`;
      const ad = world.sites.serve('adtech', `/${visit}`, {
        headers: source(visit, world.sites.origin('shop')),
      });
      const page = await world.open(site, `<img attributionsrc="${ad}">`);
      const start = performance.now();
      const isRecorded = async (): Promise<boolean> =>
        (await world.extension.overview(`http://${site}.localhost`)).here.sources === 1;
      await waitFor(`the ad on ${site} to be recorded`, isRecorded, { timeout: 60_000 });
      delays.push(performance.now() - start);
      memory.push((await memoryOfBackground(profile)) ?? 0);
      await page.close();
      await sleep(PAUSE);
    }
    const disk = await sizeOfDatabases(profile);
    await hanging.close();
    process.stderr.write(
      `${name}: ${delays.length} ads, recorded after ${median(delays).toFixed()} ms (median), ${Math.max(...delays).toFixed()} ms at most; ` +
        `${(Math.max(...memory) / 1e6).toFixed()} MB of memory at most, ${(disk / 1e6).toFixed()} MB on disk\n`,
    );
    expect(median(delays)).toBeLessThan(1000);
    expect(Math.max(...memory)).toBeLessThan(200e6);
    expect(disk).toBeGreaterThan(0);
    expect(disk).toBeLessThan(100e6);
  });
});
