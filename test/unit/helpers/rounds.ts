import 'fake-indexeddb/auto';
import { IdbStore } from '../../../extension/store/idb-store';
import { Engine } from '../../../src/engine';
import type { Registration } from '../../../src/model/incoming-registration';
import { chromiumLimits } from '../../../src/model/limits';
import { after, milliseconds, type Moment, type Origin, type Site } from '../../../src/model/units';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { conditions, sourceRegistration, START, triggerRegistration } from './engine';

/* How often a registration asks the database, and waits for its answers. */

/** More destinations than the limits allow are not of one ad tech on one site. */
export const limits = {
  ...chromiumLimits,
  maxDestinationsPerReportingSite: 5000,
  maxDestinationsPerReportingSiteAndDay: 5000,
  maxDestinationsPerRateLimitWindow: 5000,
  maxDestinationsPerRateLimitWindowAndReportingSite: 5000,
  maxSourcesPerOrigin: 5000,
};

const asking = ['get', 'getAll', 'getAllKeys', 'count', 'openCursor', 'openKeyCursor'] as const;

/** Counts reads; those that are asked before any of them is answered are one round. @returns the counts, and how to stop */
function countReads(): { readonly counts: { requests: number; rounds: number }; readonly stop: () => void } {
  const counts = { requests: 0, rounds: 0 };
  let isAsking = false;
  const note = (request: IDBRequest): void => {
    counts.requests += 1;
    if (!isAsking) counts.rounds += 1;
    isAsking = true;
    request.addEventListener('success', () => (isAsking = false));
  };
  const spies = [IDBObjectStore.prototype, IDBIndex.prototype].flatMap((prototype) =>
    asking.map((name) => {
      const original = (prototype as IDBObjectStore)[name] as (...given: unknown[]) => IDBRequest;
      return jest.spyOn(prototype as IDBObjectStore, name as 'get').mockImplementation(function (
        this: IDBObjectStore,
        ...given: unknown[]
      ) {
        const request = original.apply(this, given);
        note(request);
        return request;
      });
    }),
  );
  return { counts, stop: () => spies.forEach((spy) => spy.mockRestore()) };
}

let opened = 0;

export const newDatabase = (): Promise<IdbStore> => IdbStore.open(`rounds-${++opened}`);

/** A database in which an ad tech has sources for so many destinations on one site. */
export async function databaseWith(destinations: number): Promise<IdbStore> {
  const store = await newDatabase();
  await register(store, source(0, 'https://shop0.example'));
  await store.write(async (tx) => {
    const [party] = await tx.table('partyUse').latest(1);
    const [claimed] = [...(party?.destinations.values() ?? [])];
    if (party === undefined || claimed === undefined) throw new Error('nothing was claimed');
    const more = Array.from({ length: destinations }, (_, index) => `https://shop${index}.example` as Site);
    tx.table('partyUse').put({ ...party, destinations: new Map(more.map((site) => [site, claimed])) });
  });
  return store;
}

const engines = new Map<IdbStore, Engine>();

export function register(store: IdbStore, registration: Registration): Promise<unknown> {
  const engine = engines.get(store) ?? new Engine({ store, limits, random: seededRandomStreams('rounds') });
  engines.set(store, engine);
  const { needs, registerIn } = engine.prepare(registration, conditions());
  return store.writeSoon(registerIn, needs);
}

export async function reads(store: IdbStore, registrations: readonly Registration[]) {
  const { counts, stop } = countReads();
  try {
    await Promise.all(registrations.map((registration) => register(store, registration)));
  } finally {
    stop();
  }
  return counts;
}

/** Within a minute, so that no sweep falls among those that are counted. */
export const at = (index: number): Moment => after(START, milliseconds(index));

export const source = (index: number, destination: string): Registration =>
  sourceRegistration({ destination }, 'navigation', { time: at(index) });

export const trigger = (index: number, destination: string): Registration =>
  triggerRegistration(undefined, {
    time: at(index),
    contextOrigin: destination as Origin,
  });

/** How many rounds of reads some work takes. */
export async function roundsOf(work: () => Promise<unknown>): Promise<number> {
  const { counts, stop } = countReads();
  try {
    await work();
  } finally {
    stop();
  }
  return counts.rounds;
}
