import { rm } from 'node:fs/promises';
import { postgresqlPrograms, startCluster, type Cluster } from '../../../scripts/postgresql-cluster';
import { emptyStore } from './empty-store';
import { isLong } from './is-long';

/** Makes stores for collectors. */
interface Stores {
  /** An empty store, as a value for `--store`. */
  fresh(): Promise<string>;
  /** Null for stores that are not on a PostgreSQL server. */
  readonly cluster: Cluster | null;
  remove(): Promise<void>;
}

function pgliteStores(): Promise<Stores> {
  const made: string[] = [];
  return Promise.resolve({
    async fresh() {
      const store = await emptyStore();
      made.push(store);
      return store;
    },
    cluster: null,
    remove: async () => {
      await Promise.all(made.map((store) => rm(store, { recursive: true, force: true })));
    },
  });
}

async function postgresqlStores(programs: string): Promise<Stores> {
  const cluster = await startCluster(programs);
  return { fresh: () => cluster.freshDatabase(), cluster, remove: () => cluster.remove() };
}

/** Without PostgreSQL, skips its half of the tests with a warning. In CI it fails instead. */
function programsOrNull(): string | null {
  try {
    return postgresqlPrograms();
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    process.stderr.write('PostgreSQL is not installed, so the collector is tested with PGlite only.\n');
    return null;
  }
}

type Define = (stores: () => Stores) => void;

/** Declares tests for each kind of store; hooks and tests may call `stores`. */
export const describeStores = (define: Define): void => describeKinds(define, true);

/**
 * Declares tests of what a collector makes of its rows. PGlite is PostgreSQL, too, but takes three times as long: where there is a server,
 * it is left to `npm run soak`, and to the tests in a browser.
 */
export const describeRows = (define: Define): void => describeKinds(define, isLong);

function describeKinds(define: Define, pgliteBesideServer: boolean): void {
  const programs = programsOrNull();
  if (programs === null || pgliteBesideServer) describeKind('PGlite', pgliteStores, define);
  if (programs !== null) describeKind('PostgreSQL', () => postgresqlStores(programs), define);
}

function describeKind(kind: 'PGlite' | 'PostgreSQL', open: () => Promise<Stores>, define: Define): void {
  describe(kind, () => {
    let opened: Stores | null = null;
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened?.remove());
    define(() => {
      if (opened === null) throw new Error('the stores are not open yet');
      return opened;
    });
  });
}
