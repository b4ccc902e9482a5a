import { deleteDB, openDB } from 'idb';
import { IdbStore } from '../../extension/store/idb-store';
import { StoredEngine } from '../../transactions/stored-engine';
import type { Registration } from '../../src/model/incoming-registration';
import { chromiumLimits } from '../../src/model/limits';
import { moment, type Origin } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { seededRandomSource } from '../../analysis/random/sources';
import { conditionsWith } from '../conditions';

/** What one source takes, each in milliseconds. */
export interface RegistrationTimes {
  /** From its header until it is stored. */
  readonly source: readonly number[];
  /** Of a put of its row alone. */
  readonly row: readonly number[];
  /** Of a put of one row with as many bytes and keys as all that a source writes. */
  readonly floor: readonly number[];
}

const SOURCES = 401;
const WARM_UP = 100;

const adtech = 'https://adtech.example' as Origin;
const news = 'https://news.example' as Origin;
const conditions = conditionsWith('off');

/** Registers a source again and again for one of so many destinations of one ad tech on one site. */
async function measureRegistered(destinations: number): Promise<RegistrationTimes> {
  const name = `registered ${performance.now()}`;
  const store = await IdbStore.open(name);
  const random = (stream: number): RandomSource => seededRandomSource('bench', stream);
  const engine = new StoredEngine({ store, limits: roomy, random });
  const register = async (index: number): Promise<void> => {
    const { needs, registerIn, completed } = engine.prepare(toShop(index, index % destinations), conditions);
    await store.writeSoon(async (tx) => (await store.hasRoom(tx, news, 'sources')) && registerIn(tx), needs);
    completed();
  };
  for (let index = 0; index < destinations + WARM_UP; index++) await register(index);
  const written = await writtenBy(() => register(0));
  const bare = await openDB(`${name} bare`, 1, {
    upgrade: (database) => {
      const table = database.createObjectStore('rows', { keyPath: 'id' });
      table.createIndex('keys', 'keys', { multiEntry: true });
    },
  });
  const put = (id: number, rows: readonly Written[]): Promise<number> =>
    timed(async () => {
      const transaction = bare.transaction('rows', 'readwrite', { durability: 'relaxed' });
      const keys = rows.flatMap((row, place) => keysOf(row).map((key) => `${id} ${place} ${key}`));
      void transaction.store.put({ id, rows, keys });
      await transaction.done;
    });
  const source = written.filter(({ table }) => table === 'sources');
  const times = { source: [] as number[], row: [] as number[], floor: [] as number[] };
  for (let index = 0; index < SOURCES; index++) {
    times.source.push(await timed(() => register(WARM_UP + index)));
    times.row.push(await put(2 * index, source));
    times.floor.push(await put(2 * index + 1, written));
  }
  await store.close();
  bare.close();
  await Promise.all([deleteDB(name), deleteDB(`${name} bare`)]);
  return times;
}

const roomy = {
  ...chromiumLimits,
  maxDestinationsPerReportingSite: 5000,
  maxDestinationsPerReportingSiteAndDay: 5000,
  maxDestinationsPerRateLimitWindow: 5000,
  maxDestinationsPerRateLimitWindowAndReportingSite: 5000,
};

const toShop = (index: number, shop: number): Registration => ({
  occasion: {
    time: moment(1_800_000_000_000 + index),
    contextOrigin: news,
    reportingOrigin: adtech,
    via: 'header',
  },
  register: { kind: 'source', sourceType: 'event' },
  header: JSON.stringify({
    source_event_id: String(index),
    destination: `https://shop${shop}.example`,
    filter_data: { campaign: [String(index)] },
  }),
  fenced: false,
  reportHeaderErrors: false,
});

interface Written {
  readonly table: string;
  readonly value: unknown;
}

const keysOf = ({ value }: Written): readonly (string | number)[] => [
  'id',
  ...Object.values(
    (value as { readonly keys?: Readonly<Record<string, readonly (string | number)[]>> }).keys ?? {},
  ).flat(),
];

/** What some work puts into databases. */
async function writtenBy(work: () => Promise<unknown>): Promise<readonly Written[]> {
  const written: Written[] = [];
  const { prototype } = IDBObjectStore;
  const original = Object.getOwnPropertyDescriptor(prototype, 'put');
  const put = original?.value as (...given: unknown[]) => IDBRequest<IDBValidKey>;
  prototype.put = function (this: IDBObjectStore, ...given: unknown[]) {
    written.push({ table: this.name, value: given[0] });
    return put.apply(this, given);
  };
  await work();
  prototype.put = put;
  return written;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

Object.assign(globalThis, { measureRegistered });
