import { openDB } from 'idb';
import { StoredEngine } from '../../transactions/stored-engine';
import type { Registration } from '../../src/model/incoming-registration';
import { chromiumLimits } from '../../src/model/limits';
import { moment, type Origin } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import type { StoredResponse } from '../../recording/requests';
import { IdbStore } from '../../extension/store/idb-store';
import { conditionsWith } from '../conditions';
import { seededRandomSource } from '../../analysis/random/sources';
import './registered';

/** In milliseconds. */
export interface Times {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

/** An odd number, for the median. */
const WRITES = 1001;
const WARM_UP = 100;
const CHUNK = 2000;
const NAME = 'bench';

const adtech = 'https://adtech.example' as Origin;
const news = 'https://news.example' as Origin;

const source = (index: number): string =>
  JSON.stringify({
    source_event_id: String(index),
    destination: 'https://shop.example',
    filter_data: { campaign: [String(index)] },
  });

const row = (id: number): StoredResponse => ({
  id,
  place: { kind: 'known', contextOrigin: news },
  decided: null,
  response: {
    time: moment(1_800_000_000_000 + id),
    requestId: String(id),
    kind: 'element',
    requestUrl: `${adtech}/impression?campaign=${id}`,
    reportingOrigin: adtech,
    openerTabId: null,
    requester: {
      tabId: 1,
      frameId: 0,
      documentId: 'A1B2C3D4E5F60718293A4B5C6D7E8F90',
      documentOrigin: news,
    },
    headers: { source: source(id), trigger: null, osSource: false, osTrigger: false, info: null },
    eligibility: null,
  },
});

/** Puts rows the size of sources into the table, past the store, which would count them. */
async function fillSources(until: number): Promise<void> {
  const database = await openDB(NAME);
  const before = await database.count('sources');
  for (let start = before; start < until; start += CHUNK) {
    const transaction = database.transaction('sources', 'readwrite', { durability: 'relaxed' });
    for (let id = start; id < Math.min(until, start + CHUNK); id++)
      void transaction.store.put({ id, row: row(id), keys: { id } });
    await transaction.done;
  }
  database.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function measureDurable(sources: number): Promise<Times> {
  const store = await IdbStore.open(NAME);
  await fillSources(sources);
  const bare = await openDB('bare', 1, {
    upgrade: (database) => void database.createObjectStore('rows', { keyPath: 'id' }),
  });
  const times = { ours: [] as number[], bare: [] as number[] };
  // In turns, because a machine slows down for minutes.
  for (let index = 0; index < WARM_UP + WRITES; index++) {
    const ours = await timed(() => store.inbox.put(new Map([[index, row(index)]])));
    const theirs = await timed(async () => {
      const transaction = bare.transaction('rows', 'readwrite', { durability: 'relaxed' });
      void transaction.store.put(row(index));
      await transaction.done;
    });
    if (index < WARM_UP) continue;
    times.ours.push(ours);
    times.bare.push(theirs);
  }
  await store.close();
  bare.close();
  return times;
}

/** How many sources one site registers, and for how many of them in a row the median is taken. */
const REGISTRATIONS = 2000;
const STRETCH = 200;

const conditions = conditionsWith('off');

/** The times of the sources of one site: of the first stretch, the second, and so on. */
async function measureSources(): Promise<readonly (readonly number[])[]> {
  const store = await IdbStore.open('sources');
  const random = (stream: number): RandomSource => seededRandomSource('bench', stream);
  const engine = new StoredEngine({ store, limits: chromiumLimits, random });
  const times: number[] = [];
  for (let index = 0; index < REGISTRATIONS; index++) {
    const registration: Registration = {
      occasion: {
        time: moment(1_800_000_000_000 + 100 * index),
        contextOrigin: news,
        reportingOrigin: adtech,
        via: 'header',
      },
      register: { kind: 'source', sourceType: 'event' },
      header: source(index),
      fenced: false,
      reportHeaderErrors: false,
    };
    times.push(await timed(() => engine.register(registration, conditions)));
  }
  await store.close();
  return Array.from({ length: REGISTRATIONS / STRETCH }, (_, stretch) =>
    times.slice(stretch * STRETCH, (stretch + 1) * STRETCH),
  );
}

Object.assign(globalThis, { measureDurable, measureSources });
