import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../formats/settings/settings';
import { HoldingServer } from '../e2e/helpers/holding-server';
import { allAttacks, besiege } from '../e2e/helpers/siege/besiege';
import { clickUntilClosed } from '../e2e/helpers/siege/clicks';
import { LateServer } from '../e2e/helpers/siege/late-server';
import { starryRule } from '../e2e/helpers/siege/odd-documents';
import { browsers, World } from '../e2e/helpers/world';
import { memoryOfBackground, sizeOfDatabases } from './helpers/footprint';
import { seeAd, seeImage, watchSources, type AdTimes } from './helpers/honest-ads';
import { writeEmptyExtension } from '../../bench/empty-extension';
import { makeReports, REPORTS, watchReports } from './helpers/honest-reports';
import { unwatched, withOther, type Visited } from '../e2e/helpers/visited';

/** In ms. `COINTOSS_SIEGE_MINUTES` makes it shorter. */
const DURATION = Number(process.env['COINTOSS_SIEGE_MINUTES'] ?? 10) * 60_000;
const PAUSE = 15_000;
/** How many honest reports fall due during the siege, at equal distances. */
const HONEST_REPORTS = 4;
/** How many reports fall due just before these, each at a server of its own, which hangs. */
const HANGING_REPORTS = 50;
/** In ms: by how much Cointoss may delay an ad, and how long after its time a report has arrived. */
const SOON = 1000;
const ON_TIME = 5000;

// It ends what hangs.
jest.setTimeout(DURATION + 15 * 60_000);

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? NaN;

/** For people: "m ms (median), k ms at most". */
const summary = (times: readonly number[]): string =>
  `${median(times).toFixed()} ms (median), ${Math.max(...times).toFixed()} ms at most`;

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed()} MB`;

const say = (lines: readonly string[]): void => void process.stderr.write(`${lines.join('\n  ')}\n`);

/**
 * What Cointoss adds: from when the server had the request of the plain image beside the ad until the ad was recorded. The browser itself
 * takes as long for the image as it would for the ad.
 */
const added = ({ plain, recorded }: AdTimes): number => recorded - plain;

/** What each part of the time until an ad is recorded took. */
function linesOf(ads: readonly AdTimes[]): readonly string[] {
  const of = (time: (ad: AdTimes) => number): string => summary(ads.map(time));
  const isWithin = ads.filter(({ recorded }) => recorded < SOON).length;
  return [
    `an ad is recorded after ${of(({ recorded }) => recorded)}, within a second of its page ${isWithin} of ${ads.length} times:`,
    `  the server has the request of a plain image after ${of(({ plain }) => plain)}, and it is loaded after ${of(({ loaded }) => loaded)}`,
    `  the server has the ad's request after ${of(({ asked }) => asked)}; its response is seen after ${of(({ seen }) => seen)}`,
    `  from the request until it is recorded ${of(({ asked, recorded }) => recorded - asked)}`,
    `  Cointoss adds ${of(added)}`,
  ];
}

describe.each(browsers)('ten minutes of siege by three pages (%s)', (name) => {
  const world = new World(name);
  let profile = '';
  let hanging: HoldingServer;
  let late: LateServer;

  beforeAll(async () => {
    profile = await mkdtemp(path.join(tmpdir(), 'cointoss-siege-'));
    [hanging, late] = await Promise.all([HoldingServer.start(), LateServer.start()]);
  });

  afterAll(async () => {
    await world.stop();
    await Promise.all([hanging.close(), late.close()]);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }, 60_000);

  const attack = async (visited: Visited): Promise<void> => {
    const siege = { hanging: hanging.origin, late: late.origin, adServer: 'adtech', messages: 3 };
    const sites = ['besieger', 'assailant', 'invader'];
    const pages = await Promise.all(sites.map((site) => besiege(visited, site, siege, allAttacks)));
    for (const page of pages) void clickUntilClosed(page);
  };

  /** Visits again and again until the end, and between two visits looks at the memory: garbage comes and goes within seconds. */
  const endure = async (profile: string, visit: (index: number) => Promise<void>): Promise<number> => {
    const memory: number[] = [];
    const end = Date.now() + DURATION;
    for (let index = 0; Date.now() < end; index++) {
      await visit(index);
      for (const pauseEnds = Date.now() + PAUSE; Date.now() < pauseEnds;) {
        memory.push((await memoryOfBackground(profile)) ?? 0);
        await sleep(1000);
      }
    }
    return Math.max(...memory);
  };

  it('costs this much with an extension that sees the same, and does and stores nothing', async () => {
    const extensionDir = await mkdtemp(path.join(tmpdir(), 'cointoss-empty-'));
    const userDataDir = await mkdtemp(path.join(tmpdir(), 'cointoss-siege-'));
    await writeEmptyExtension(extensionDir, name);
    const images: Awaited<ReturnType<typeof seeImage>>[] = [];
    const most = await withOther({ browser: name, extensionDir, userDataDir }, async (visited) => {
      await attack(visited);
      return endure(userDataDir, async (visit) => {
        images.push(await seeImage(visited, `publisher-${visit}`));
      });
    });
    await Promise.all(
      [extensionDir, userDataDir].map((folder) =>
        rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      ),
    );
    say([
      `${name} with an empty extension, under the same attack, ${images.length} times:`,
      `the server has the request of a plain image after ${summary(images.map(({ plain }) => plain))}, and it is loaded after ${summary(images.map(({ loaded }) => loaded))}`,
      `${inMegabytes(most)} of memory at most`,
    ]);
    expect(images.length).toBeGreaterThan(0);
  });

  it('delays no ad of another page by more than a second, nor a report, and fills neither memory nor disk', async () => {
    await world.start({ userDataDir: profile, puppeteer: unwatched });
    const { sites, extension } = world;
    const rules = [starryRule(sites.origin('adtech'), sites.origin('shop'))] as Settings['rules'];
    await extension.settings({ rules });
    const silentServers = Array.from({ length: HANGING_REPORTS }, (_, index) =>
      hanging.origin.replace('holding', `holding-${index}`),
    );
    await makeReports(world, HONEST_REPORTS, DURATION, silentServers);
    // Before others' reports wait as well.
    const reports = await watchReports(world);
    await watchSources(world);
    // The browser's own share, which an extension that does nothing has as well.
    const idle = (await memoryOfBackground(profile)) ?? 0;
    await attack(world);
    const ads: AdTimes[] = [];
    const most = await endure(profile, async (visit) => {
      ads.push(await seeAd(world, `publisher-${visit}`, visit));
    });
    const delays = await reports();
    const hungReports = new Set(
      hanging.requests.filter(({ path }) => path === REPORTS).map(({ body }) => body),
    );
    const disk = await sizeOfDatabases(profile);
    say([
      `${name}, ${ads.length} visits:`,
      ...linesOf(ads),
      `a report is late by ${summary(delays)}, where ${hungReports.size} of ${HANGING_REPORTS} others hung`,
      `${inMegabytes(idle)} of memory before, ${inMegabytes(most)} at most, ${inMegabytes(disk)} on disk`,
    ]);
    expect(Math.max(...ads.map(added))).toBeLessThan(SOON);
    expect(hungReports.size).toBeGreaterThan(0);
    expect(delays).toHaveLength(HONEST_REPORTS);
    expect(Math.max(...delays)).toBeLessThan(ON_TIME);
    expect(most).toBeLessThan(200e6);
    expect(disk).toBeGreaterThan(0);
    expect(disk).toBeLessThan(100e6);
  });
});
