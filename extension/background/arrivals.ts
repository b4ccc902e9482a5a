import type { Arrival } from '../../src/model/requests';
import type { IdbStore } from '../store/idb-store';

/**
 * Responses on the disk, from when they come until they are noted with their page. Each is deleted here before what was noted can be
 * registered, and with that deleted: a later run of the background that finds it here and there notes it no second time.
 */
export class Arrivals {
  private readonly run = crypto.randomUUID();
  private count = 0;
  /** For each: resolves when it is deleted. */
  private readonly leaving = new Map<string, Promise<void>>();

  constructor(private readonly store: Pick<IdbStore, 'arrive' | 'arrivals' | 'depart'>) {}

  /** Writes a response, at once. Deletes it when `note` is done. */
  take<T>(
    arrival: Arrival,
    note: (id: string) => Promise<T>,
  ): { readonly noted: Promise<T>; readonly gone: Promise<void> } {
    const id = `${String(++this.count).padStart(9, '0')} ${this.run}`;
    const noted = this.store.arrive(id, arrival).then(() => note(id));
    return { noted, gone: this.departAfter(id, noted) };
  }

  /** Those of earlier runs, in the order in which they came. */
  async earlier(): Promise<readonly (readonly [id: string, Arrival])[]> {
    return [...(await this.store.arrivals())].filter(([id]) => !id.endsWith(this.run));
  }

  /** Deletes one when `noted` resolves. If that fails, the next run tries again, and nothing is registered before. */
  departAfter(id: string, noted: Promise<unknown>): Promise<void> {
    const gone = noted.then(() => this.store.depart(id)).then(() => void this.leaving.delete(id));
    this.leaving.set(id, gone);
    gone.catch(() => undefined);
    return gone;
  }

  /** Resolves when it is deleted. */
  async departed(id: string | undefined): Promise<void> {
    await this.leaving.get(id ?? '');
  }
}
