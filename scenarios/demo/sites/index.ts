import { adtechSite } from './adtech';
import type { Demo, Origins } from './demo';
import { publisherSite } from './publisher';
import { listen, type Listener } from './server';
import { shopSite } from './shop';
import { openTour, type ArrivedReport } from './tour';
import { withTour } from './tour-bar';

export { dashboardOf } from './demo';
export { demoSettings } from './settings';
export type { Origins } from './demo';
export type { ArrivedReport } from './tour';

export interface DemoPorts {
  /** 0 takes any free port. */
  readonly publisherPort: number;
  readonly shopPort: number;
  readonly adtechPort: number;
  /** Where the pages' footers link to the reports. */
  readonly collectorOrigin?: string;
  /** Default: the device's clock. */
  readonly now?: Demo['now'];
  /** The reports that have arrived, newest first. Default: none. */
  readonly arrived?: () => Promise<readonly ArrivedReport[]>;
}

export interface DemoSites {
  readonly origins: Origins;
  /** Also closes open connections. */
  close(): Promise<void>;
}

/**
 * Starts a newspaper with ads, the advertised shop and the ad server, on loopback.
 * @throws the system's error (`EADDRINUSE`) when a port is taken; then none of the three listens.
 */
export async function startDemoSites(ports: DemoPorts): Promise<DemoSites> {
  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  const open = async (port: number): Promise<Listener> => {
    const listener = await listen(port);
    listeners.push(listener);
    return listener;
  };
  try {
    const publisher = await open(ports.publisherPort);
    const shop = await open(ports.shopPort);
    const adtech = await open(ports.adtechPort);
    const origins: Origins = {
      publisher: `http://publisher.localhost:${publisher.port}`,
      shop: `http://shop.localhost:${shop.port}`,
      adtech: `http://adtech.localhost:${adtech.port}`,
    };
    const demo: Demo = {
      origins,
      collector: ports.collectorOrigin ?? null,
      now: ports.now ?? (() => Promise.resolve(Date.now())),
      tour: openTour(ports.arrived ?? (() => Promise.resolve([]))),
    };
    publisher.serve(withTour(demo, publisherSite(demo)));
    shop.serve(withTour(demo, shopSite(demo)));
    adtech.serve(withTour(demo, adtechSite(demo)));
    return { origins, close };
  } catch (error) {
    await close();
    throw error;
  }
}
