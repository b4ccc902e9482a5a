import { deleteDB } from 'idb';
import { IdbStore } from '../../../extension/store/idb-store';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { after, epsilon, milliseconds, type Moment, type Origin, type Site } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import { defaultMeasurement, type BudgetSettings } from '../../../src/model/mechanisms';
import { jointly } from '../../../analysis/audit/configured';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { useOf, type DatabaseUse } from './counted-reads';
import { conditions, sourceRegistration, START, triggerRegistration } from './engine';

/* How often a registration asks the database, and waits for its answers: in Node, and in browsers, where this file runs in a page. */

/** More destinations than the limits allow are not of one ad tech on one site. */
export const limits = {
  ...chromiumLimits,
  maxDestinationsPerReportingSite: 5000,
  maxDestinationsPerReportingSiteAndDay: 5000,
  maxDestinationsPerRateLimitWindow: 5000,
  maxDestinationsPerRateLimitWindowAndReportingSite: 5000,
  maxSourcesPerOrigin: 5000,
};

let opened = 0;

const nameOf = (index: number): string => `rounds-${index}`;

export const newDatabase = (): Promise<IdbStore> => IdbStore.open(nameOf(++opened));

/** A database in which an ad tech has sources for so many destinations on one site. */
export async function databaseWith(destinations: number): Promise<IdbStore> {
  const store = await newDatabase();
  await register(store, source(0, 'https://shop0.example'));
  // All tables have had a row, so that their bytes are known.
  await register(store, trigger(0, 'https://shop0.example'));
  await store.write(async (tx) => {
    const [party] = await tx.table('partyUse').latest(1);
    const [claimed] = party?.destinations ?? [];
    if (party === undefined || claimed === undefined) throw new Error('nothing was claimed');
    const more = Array.from({ length: destinations }, (_, index) => `https://shop${index}.example` as Site);
    tx.table('partyUse').put({
      ...party,
      destinations: more.map((destination) => ({ ...claimed, destination })),
    });
  });
  return store;
}

const engines = new Map<IdbStore, StoredEngine>();

/** As the background does. */
export async function register(
  store: IdbStore,
  registration: Registration,
  budget: Partial<BudgetSettings> = {},
): Promise<void> {
  const engine =
    engines.get(store) ?? new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
  engines.set(store, engine);
  const { needs, registerIn, completed } = engine.prepare(
    registration,
    conditions({ kind: 'off' }, { budget: { ...defaultMeasurement.budget, ...budget } }),
  );
  await store.writeSoon(async (tx) => {
    await store.hasRoom(tx, siteOf(registration.occasion.contextOrigin), 'sources');
    return registerIn(tx);
  }, needs);
  completed();
}

/** Within a minute, so that no sweep falls among those that are counted. */
export const at = (index: number): Moment => after(START, milliseconds(index));

export const source = (index: number, destination: string, type: SourceType = 'navigation'): Registration =>
  sourceRegistration({ destination }, type, { time: at(index) });

export const trigger = (index: number, destination: string, fields?: JsonObject): Registration =>
  triggerRegistration(fields, { time: at(index), contextOrigin: destination as Origin });

/** How many rounds of reads some work takes. */
export const roundsOf = async (work: () => Promise<unknown>): Promise<number> => (await useOf(work)).rounds;

/** Of one ad tech on one site. */
export const DESTINATIONS = [1, 30, 90, 1000];

const NEW = 'https://new.example';

const ofPriority = (index: number, priority: string): Registration =>
  trigger(index, NEW, { event_trigger_data: [{ priority }] });

interface RoundsCase {
  readonly before?: readonly Registration[];
  /** Those that are counted. All wait at the same time. */
  readonly registrations: readonly Registration[];
  readonly budget?: Partial<BudgetSettings>;
  readonly use: DatabaseUse;
}

/** What registrations take, however many destinations there are. */
export const roundsCases = {
  'a source': {
    registrations: [source(1, NEW)],
    // The counters, the site's bytes, three documents of the site, three of the destination, and what everyone together was told.
    use: { transactions: 1, requests: 9, rounds: 1 },
  },
  'a source whose header is malformed': {
    registrations: [sourceRegistration({ destination: 1 }, 'event', { time: at(1) })],
    // The counters, the site's bytes, and how many sources the origin has.
    use: { transactions: 1, requests: 3, rounds: 1 },
  },
  'a source with a joint budget': {
    registrations: [source(1, NEW)],
    budget: { unit: 'user', epsilon: epsilon(2), cap: 2, joint: jointly(4, 2) },
    // Also what everyone was told in other periods that count in this one, its unit's account, that of erased units, three quotas, and those of erased sites.
    use: { transactions: 1, requests: 10 + 2 + 6, rounds: 1 },
  },
  'a trigger with a joint budget': {
    before: [source(1, NEW)],
    registrations: [trigger(2, NEW)],
    budget: { unit: 'user', epsilon: epsilon(2), cap: 2, joint: jointly(4, 2) },
    use: { transactions: 1, requests: 9, rounds: 2 },
  },
  'ten sources that wait': {
    registrations: Array.from({ length: 10 }, (_, index) => source(1, `https://new${index}.example`)),
    use: { transactions: 1, requests: 9 + 9 * 3, rounds: 1 },
  },
  'a trigger on a page without bytes': {
    before: [source(1, NEW)],
    registrations: [trigger(2, NEW)],
    // The counters, the candidates, the destination and its bytes; then of the candidate its reports, pair, origin, scopes and bytes.
    use: { transactions: 1, requests: 9, rounds: 2 },
  },
  'a trigger whose report takes the place of another': {
    before: [source(1, NEW, 'event'), trigger(2, NEW), ofPriority(3, '1')],
    registrations: [ofPriority(4, '2')],
    // Then the report that is replaced. The candidates are those of the conversion before.
    use: { transactions: 1, requests: 9, rounds: 3 },
  },
} as const satisfies Readonly<Record<string, RoundsCase>>;

export type RoundsName = keyof typeof roundsCases;

export const roundsNames = Object.keys(roundsCases) as readonly RoundsName[];

/** What the registrations of a case take beside so many destinations of one ad tech on one site. */
export async function countRounds(name: RoundsName, destinations: number): Promise<DatabaseUse> {
  const { before = [], registrations, budget }: RoundsCase = roundsCases[name];
  const store = await databaseWith(destinations);
  for (const registration of before) await register(store, registration, budget);
  const use = await useOf(() => Promise.all(registrations.map((one) => register(store, one, budget))));
  await store.close();
  // A page may do this again.
  await deleteDB(nameOf(opened));
  return use;
}
