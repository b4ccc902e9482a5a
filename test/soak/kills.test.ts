import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FrailCollector } from '../e2e/helpers/collector';
import { lostAwake, lostShare, Toil } from '../e2e/helpers/toil';
import { browsers, calm, World } from '../e2e/helpers/world';

jest.setTimeout(1_800_000);

const KILLS = 50;
const BROWSER_KILLS = 10;
/** In ms: no registration that was served so long before a kill is lost, on a machine that does nothing else. A background may have to start. */
const OLDEST_LOST = 1000;
/**
 * In ms: the same for what a background that runs was told. The write itself is on its way within the turn of the event; the rest is how far
 * apart the browser tells the background and the page that watches.
 */
const OLDEST_LOST_AWAKE = 100;

describe.each(browsers)('kills in the middle of work (%s)', (name) => {
  const world = new World(name);
  let collector: FrailCollector;
  let userDataDir: string;

  beforeEach(async () => {
    userDataDir = await mkdtemp(path.join(tmpdir(), 'cointoss-profile-'));
    collector = await FrailCollector.start();
  });

  afterEach(async () => {
    await world.stop();
    await collector.close();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  test('of the background lose and double no report', async () => {
    await world.start({ idleTimeout: 1000, settings: { ...calm, collector: collector.origin } });
    const toil = new Toil(world, collector);
    await toil.watch();
    for (let kill = 0; kill < KILLS; kill++)
      await toil.round(() => world.extension.stopWorker(), kill % 2 === 0);
    const outcome = await toil.outcome();
    process.stderr.write(
      `${name}: background killed ${KILLS} times, ${lostShare(outcome)}, ${outcome.reports} reports\n`,
    );
    expect(outcome).toMatchObject({ forgotten: [], repeated: [], missing: [], doubled: [] });
    expect(outcome.told).toBeGreaterThan(outcome.served / 2);
    expect(Math.max(0, ...lostAwake(outcome))).toBeLessThan(OLDEST_LOST_AWAKE);
    expect(Math.max(0, ...outcome.lost.map(({ served }) => served))).toBeLessThan(OLDEST_LOST);
  }, 1_800_000);

  test('of the browser process lose and double no report', async () => {
    await world.start({ userDataDir, settings: { ...calm, collector: collector.origin } });
    const toil = new Toil(world, collector);
    for (let kill = 0; kill < BROWSER_KILLS; kill++) {
      await toil.round(() => world.killBrowser());
      await world.launchBrowser({ userDataDir, settings: {} });
    }
    const outcome = await toil.outcome();
    process.stderr.write(
      `${name}: browser killed ${BROWSER_KILLS} times, ${lostShare(outcome)}, ${outcome.reports} reports\n`,
    );
    expect(outcome).toMatchObject({ repeated: [], missing: [], doubled: [] });
    expect(Math.max(0, ...outcome.lost.map(({ served }) => served))).toBeLessThan(OLDEST_LOST);
  }, 1_800_000);
});
