import { createServer } from 'node:net';
import { createCollector } from '../../collector/server';
import { IN_MEMORY } from '../../collector/store/pglite';
import { truthOfSession, type TrueCount, type Truth } from '../../collector/store/true-counts';
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
    const now = (): Promise<number> => ask(async (extension) => (await extension.overview()).now, Date.now());
    const arrived = (): Promise<readonly ArrivedReport[]> => ask(arrivedReports, []);
    // Each takes seconds, and neither needs the other before the first page.
    const [served, launching] = await Promise.allSettled([
      serveCollector(truth),
      launch({ browser, headless }),
    ]);
    if (served.status === 'fulfilled') started.push(served.value.close);
    if (launching.status === 'fulfilled')
      started.push(() => {
        running = null;
        return launching.value.close();
      });
    if (served.status === 'rejected') throw served.reason;
    if (launching.status === 'rejected') throw launching.reason;
    const launched = launching.value;
    running = launched.extension;
    const collector = collectorAt(served.value.port);
    const sites = await onFreePorts(() => startSites(collector.origin, { now, arrived }));
    // The last to close: the browser's pages ask them until it is closed.
    started.unshift(() => sites.close());
    await launched.extension.settings({
      ...demoSettings(sites.origins, collector.origin),
      debug: { enabled: true, noise: true, delay: true, seed, debugReports: false, privateNetworks: false },
    });
    return { ...launched, origins: sites.origins, collector, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns its port, and what ends it. */
async function serveCollector(
  truth: Truth,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const app = await createCollector({ store: IN_MEMORY, debugReports: true, rehearsal: true, truth });
  const close = async (): Promise<void> => {
    await app.close();
  };
  try {
    const port = await onFreePorts(async () => {
      const free = await freePort(ports.collector);
      await app.listen({ host: '127.0.0.1', port: free });
      return free;
    });
    return { port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const collectorAt = (port: number): Collector => ({
  origin: `http://collector.localhost:${port}`,
  async reportLines() {
    const response = await fetch(`http://127.0.0.1:${port}/reports`);
    return (await response.text()).split('\n').filter((line) => line !== '');
  },
});

async function startSites(
  collectorOrigin: string,
  known: Pick<DemoPorts, 'now' | 'arrived'>,
): ReturnType<typeof startDemoSites> {
  const publisherPort = await freePort(ports.publisher);
  const shopPort = await freePort(Math.max(ports.shop, publisherPort + 1));
  const adtechPort = await freePort(Math.max(ports.adtech, shopPort + 1));
  return startDemoSites({ publisherPort, shopPort, adtechPort, collectorOrigin, ...known });
}

/** Tries again if somebody takes a port after it was found to be free. */
async function onFreePorts<T>(listen: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await listen();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
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
