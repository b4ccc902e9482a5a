import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createCollector } from '../../collector/server';
import { truthOfSession, type TrueCount, type Truth } from '../../collector/store/true-counts';
import { root } from '../../node/root';
import type { Settings } from '../../formats/settings/settings';
import { launch, type BrowserName, type Extension, type Launched } from '../kit';
import { demoSettings, startDemoSites, type DemoPorts, type Origins, type ArrivedReport } from './sites';
import { arrivedReports } from './arrived-reports';

export interface Collector {
  readonly origin: string;
  /** Every report received so far, oldest first, each as one line of JSON. */
  reportLines(): Promise<readonly string[]>;
}

export interface World extends Launched {
  readonly origins: Origins;
  readonly collector: Collector;
}

export interface WorldOptions {
  readonly browser: BrowserName;
  readonly headless: boolean;
  /** If not null, the noise comes from this seed, so that a run can be repeated. */
  readonly seed: string | null;
}

/** The search for a free port begins here and goes up. */
const ports = { publisher: 8080, shop: 8081, adtech: 8082, collector: 8090 };

/** Starts collector, sites and browser with an empty store and a fresh profile. */
export async function startWorld({ browser, headless, seed }: WorldOptions): Promise<World> {
  const started: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of started.splice(0).reverse()) await stop();
  };
  try {
    let running: Extension | null = null;
    // The pages ask again and again, also while the browser closes.
    const ask = async <T>(question: (extension: Extension) => Promise<T>, otherwise: T): Promise<T> => {
      try {
        return running === null ? otherwise : await question(running);
      } catch (error) {
        if (running === null) return otherwise;
        throw error;
      }
    };
    const truth = (): Promise<readonly TrueCount[]> =>
      ask(
        async (extension) =>
          truthOfSession(await extension.exportScenario(), (await extension.overview()).now),
        [],
      );
    const collector = await startCollector(started, truth);
    const now = (): Promise<number> => ask(async (extension) => (await extension.overview()).now, Date.now());
    const arrived = (): Promise<readonly ArrivedReport[]> => ask(arrivedReports, []);
    const sites = await startSites(collector.origin, { now, arrived });
    started.push(() => sites.close());
    const settings: Partial<Settings> = {
      ...demoSettings(sites.origins, collector.origin),
      debug: { enabled: true, noise: true, delay: true, seed, debugReports: false, privateNetworks: false },
    };
    const launched = await launch({ browser, headless, settings });
    running = launched.extension;
    started.push(() => {
      running = null;
      return launched.close();
    });
    return { ...launched, origins: sites.origins, collector, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startCollector(started: (() => Promise<void> | void)[], truth: Truth): Promise<Collector> {
  const app = await createCollector({ store: temporaryFolder(), debugReports: true, rehearsal: true, truth });
  started.push(() => app.close());
  const port = await freePort(ports.collector);
  await app.listen({ host: '127.0.0.1', port });
  return {
    origin: `http://collector.localhost:${port}`,
    async reportLines() {
      const response = await fetch(`http://127.0.0.1:${port}/reports`);
      return (await response.text()).split('\n').filter((line) => line !== '');
    },
  };
}

async function startSites(
  collectorOrigin: string,
  known: Pick<DemoPorts, 'now' | 'arrived'>,
): ReturnType<typeof startDemoSites> {
  const publisherPort = await freePort(ports.publisher);
  const shopPort = await freePort(Math.max(ports.shop, publisherPort + 1));
  const adtechPort = await freePort(Math.max(ports.adtech, shopPort + 1));
  return startDemoSites({ publisherPort, shopPort, adtechPort, collectorOrigin, ...known });
}

/** A folder that is removed when this process ends, however it ends. */
function temporaryFolder(): string {
  const data = path.join(root, '.data');
  mkdirSync(data, { recursive: true });
  const folder = mkdtempSync(path.join(data, 'demo-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The first free port on loopback, from `first` up. */
async function freePort(first: number): Promise<number> {
  for (let port = first; port <= 65_535; port++) if (await isFree(port)) return port;
  throw new Error(`no port is free from ${first} on`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
