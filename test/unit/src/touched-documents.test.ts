import 'fake-indexeddb/auto';
import { seededRandomStreams } from '../../../analysis/random/sources';
import type { Registration } from '../../../src/model/incoming-registration';
import { StoredEngine } from '../../../transactions/stored-engine';
import { conditions } from '../helpers/engine';
import { databaseWith, limits, newDatabase, register, source, trigger } from '../helpers/rounds';

const NEW = 'https://new.example';

/** The tables that some work reads rows of by id or key, and those that it writes. */
async function touchedBy(work: () => Promise<void>): Promise<Record<'read' | 'written', readonly string[]>> {
  const { prototype } = IDBObjectStore;
  const spies = {
    read: [jest.spyOn(prototype, 'get'), jest.spyOn(prototype, 'index')],
    written: [jest.spyOn(prototype, 'put'), jest.spyOn(prototype, 'delete')],
  };
  await work();
  const namesOf = (which: readonly jest.SpyInstance[]): readonly string[] =>
    [
      ...new Set(which.flatMap(({ mock }) => mock.contexts.map((table) => (table as IDBObjectStore).name))),
    ].sort();
  const found = { read: namesOf(spies.read), written: namesOf(spies.written) };
  jest.restoreAllMocks();
  return found;
}

/* As docs/engine.md tells. `meta` has the counters and the bytes of sites. */

test('a source touches the documents of its site and of its destination', async () => {
  const store = await databaseWith(1);
  const documents = ['candidateUse', 'originUse', 'pairUse', 'partyUse', 'siteUse', 'accounts', 'meta'];
  expect(await touchedBy(() => register(store, source(1, NEW)))).toEqual({
    read: [...documents, 'destinationUse'].sort(),
    written: [...documents, 'log', 'sources', 'spends'].sort(),
  });
});

test('a trigger touches its candidates, their documents and those of its destination', async () => {
  const store = await databaseWith(1);
  await register(store, source(1, NEW));
  const documents = ['sourceReports', 'sources', 'meta'];
  const unchanged = ['candidateUse', 'destinationUse', 'originUse', 'pairUse'];
  expect(await touchedBy(() => register(store, trigger(2, NEW)))).toEqual({
    read: [...documents, ...unchanged].sort(),
    written: [...documents, 'log', 'reports'].sort(),
  });
});

const ofCredited = ['log', 'meta', 'reports', 'sourceReports', 'sources'];

test.each([
  ['private' as const, ofCredited],
  ['specification' as const, [...ofCredited, 'candidateUse', 'destinationUse', 'originUse', 'pairUse']],
])('with %s limits, a trigger that one of two sources gets writes %j', async (counting, written) => {
  const store = await newDatabase();
  const engine = new StoredEngine({ store, limits, random: seededRandomStreams('touched') });
  const registerAt = (registration: Registration): Promise<unknown> =>
    engine.register(registration, conditions({ kind: 'off' }, { limits: counting }));
  await registerAt(source(0, NEW));
  await registerAt(source(1, NEW));
  expect((await touchedBy(async () => void (await registerAt(trigger(2, NEW))))).written).toEqual(
    [...written].sort(),
  );
});
