/* eslint-disable jest/no-export, jest/valid-title -- it declares the same tests for each kind of store */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../../collector/store/open-database';
import { postgresqlPrograms, startCluster, type Cluster } from '../../../scripts/postgresql-cluster';

/** Somewhere to open collectors' stores. */
export interface Stores {
  /** An empty store: what `--store` takes. */
  fresh(): Promise<string>;
  /** Null unless the stores are of a PostgreSQL server. */
  readonly cluster: Cluster | null;
  remove(): Promise<void>;
}

async function pgliteStores(): Promise<Stores> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-pglite-'));
  // To make a database takes seconds, to copy an empty one does not.
  const empty = path.join(folder, 'empty');
  await (
    await openDatabase(empty, async (database) => {
      await database.query('SELECT 1');
    })
  ).close();
  let stores = 0;
  return {
    async fresh() {
      const store = path.join(folder, String(++stores));
      await cp(empty, store, { recursive: true });
      return store;
    },
    cluster: null,
    remove: () => rm(folder, { recursive: true }),
  };
}

async function postgresqlStores(programs: string): Promise<Stores> {
  const cluster = await startCluster(programs);
  return { fresh: () => cluster.freshDatabase(), cluster, remove: () => cluster.remove() };
}

/** Without PostgreSQL its half of the tests is left out, aloud; not so in CI, where that would hide that nothing was tested. */
function programsOrNull(): string | null {
  try {
    return postgresqlPrograms();
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    process.stderr.write('PostgreSQL is not installed, so the collector is tested with PGlite only.\n');
    return null;
  }
}

/** Declares tests for each kind of store; `stores` may be called in hooks and tests. */
export function describeStores(define: (stores: () => Stores) => void): void {
  const programs = programsOrNull();
  describeKind('PGlite', pgliteStores, define);
  if (programs !== null) describeKind('PostgreSQL', () => postgresqlStores(programs), define);
}

function describeKind(
  name: string,
  open: () => Promise<Stores>,
  define: (stores: () => Stores) => void,
): void {
  describe(name, () => {
    let opened: Stores | null = null;
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened?.remove());
    define(() => {
      if (opened === null) throw new Error('the stores are not open yet');
      return opened;
    });
  });
}
