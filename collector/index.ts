import type { CollectorOptions } from './options';
import { createCollector as create } from './server';

/** What the package `@cointoss/collector` exports. */
export type { CollectorOptions };

/** A collector that is ready to listen. */
export interface Collector {
  /** Resolves to the address. Port 0 takes any free one. */
  listen(where: { readonly host?: string; readonly port: number }): Promise<string>;
  /** Answers the requests it has accepted, then closes its store. */
  close(): Promise<unknown>;
}

/** Opens the store. Rejects when it cannot be opened. Without a token, let nobody but this machine reach the port. */
export const createCollector = async (options: CollectorOptions): Promise<Collector> => {
  const app = await create(options);
  return {
    listen: (where) => app.listen(where),
    close: () => app.close(),
  };
};
