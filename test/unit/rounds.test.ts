import 'fake-indexeddb/auto';
import { IdbStore } from '../../extension/store/idb-store';
import { Engine } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import { chromiumLimits } from '../../src/model/limits';
import { after, milliseconds, type Moment, type Origin, type Site } from '../../src/model/units';
import { seededRandomStreams } from '../../src/privacy/random-source';
import { conditions, sourceRegistration, START, triggerRegistration } from './helpers/engine';

/* How often a registration asks the database, and waits for its answers. */

/** More destinations than the limits allow are not of one ad tech on one site. */
const limits = {
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

/** A database in which an ad tech has sources for so many destinations on one site. */
async function databaseWith(destinations: number): Promise<IdbStore> {
  const store = await IdbStore.open(`rounds-${++opened}`);
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

function register(store: IdbStore, registration: Registration): Promise<unknown> {
  const engine = engines.get(store) ?? new Engine({ store, limits, random: seededRandomStreams('rounds') });
  engines.set(store, engine);
  const needs = engine.needs(registration, conditions());
  return store.writeSoon((tx) => engine.registerIn(tx, registration, conditions()), needs);
}

async function reads(store: IdbStore, registrations: readonly Registration[]) {
  const { counts, stop } = countReads();
  try {
    await Promise.all(registrations.map((registration) => register(store, registration)));
  } finally {
    stop();
  }
  return counts;
}

/** Within a minute, so that no sweep falls among those that are counted. */
const at = (index: number): Moment => after(START, milliseconds(index));

const source = (index: number, destination: string): Registration =>
  sourceRegistration({ destination }, 'navigation', { time: at(index) });

const trigger = (index: number, destination: string): Registration =>
  triggerRegistration(undefined, {
    time: at(index),
    contextOrigin: destination as Origin,
  });

describe.each([1, 30, 90, 1000])('beside %d destinations', (destinations) => {
  test('a source takes one round of reads', async () => {
    const store = await databaseWith(destinations);
    // The last id, three documents of its site, and three of its destination.
    expect(await reads(store, [source(1, 'https://new.example')])).toEqual({ requests: 7, rounds: 1 });
  });

  test('sources that wait share a round of reads', async () => {
    const store = await databaseWith(destinations);
    const many = Array.from({ length: 10 }, (_, index) => source(1, `https://new${index}.example`));
    const { requests, rounds } = await reads(store, many);
    // The first has a transaction of its own.
    expect(rounds).toBeLessThanOrEqual(2);
    expect(requests).toBe(7 + 4 + 3 * 9);
  });

  test('a trigger takes two rounds of reads', async () => {
    const store = await databaseWith(destinations);
    await register(store, source(1, 'https://new.example'));
    // How many bytes a site has is read once, and then known.
    await register(store, trigger(2, 'https://new.example'));
    const { requests, rounds } = await reads(store, [trigger(3, 'https://new.example')]);
    expect(rounds).toBe(2);
    // The last id, the candidates, the destination; then of the candidate its reports, pair, origin and scopes, and the debug budget.
    expect(requests).toBeLessThanOrEqual(9);
  });
});
