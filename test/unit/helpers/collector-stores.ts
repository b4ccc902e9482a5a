import { rm } from 'node:fs/promises';
import { postgresqlPrograms, startCluster, type Cluster } from '../../../scripts/postgresql-cluster';
import { emptyStore } from './empty-store';
import { isLong } from './is-long';
import { dropDatabase, freshDatabase } from './shared-server';

/** Makes stores for collectors. */
interface Stores {
  /** An empty store, as a value for `--store`. */
  fresh(): Promise<string>;
  /** Whether they are on a PostgreSQL server. */
  readonly areOnServer: boolean;
  /** The server, if it may crash: null where others use it, too, or where there is none. */
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
    areOnServer: false,
    cluster: null,
    remove: async () => {
      await Promise.all(made.map((store) => rm(store, { recursive: true, force: true })));
    },
  });
}

async function serverOfOwn(programs: string): Promise<Stores> {
  const cluster = await startCluster(programs);
  return { fresh: () => cluster.freshDatabase(), areOnServer: true, cluster, remove: () => cluster.remove() };
}

/** On the server of databases.mjs. */
function sharedServer(databases: string): Promise<Stores> {
  const made: string[] = [];
  return Promise.resolve({
    async fresh() {
      const url = await freshDatabase(databases);
      made.push(url);
      return url;
    },
    areOnServer: true,
    cluster: null,
    remove: async () => {
      for (const url of made) await dropDatabase(url);
    },
  });
}

/** Without PostgreSQL, skips its half of the tests with a warning. In CI and in `npm run soak` it fails instead. */
function programsOrNull(): string | null {
  try {
    return postgresqlPrograms();
  } catch (error) {
    if (process.env['CI'] === 'true' || isLong) throw error;
    process.stderr.write('PostgreSQL is not installed, so the collector is tested with PGlite only.\n');
    return null;
  }
}

/** The server that a test may crash. */
export function serverOf({ cluster }: Stores): Cluster {
  if (cluster === null) throw new Error('there is no server for this test alone');
  return cluster;
}

type Kind = 'PGlite' | 'PostgreSQL';
type Define = (stores: () => Stores, kind: Kind) => void;

/** Declares tests for each kind of store; hooks and tests may call `stores`. */
export const describeStores = (define: Define): void =>
  describeKinds(define, { pglite: true, server: sharedServerOrOwn });

/** As `describeStores`, with a server that may crash. Declare what only a server can do for that kind only: nothing passes without a word. */
export const describeCrashes = (define: Define): void =>
  describeKinds(define, { pglite: true, server: serverOfOwn });

/**
 * Declares tests of what a collector makes of its rows. PGlite is PostgreSQL, too, but takes three times as long: where there is a server,
 * it is left to `npm run soak`.
 */
export const describeRows = (define: Define): void =>
  describeKinds(define, { pglite: isLong, server: sharedServerOrOwn });

const sharedServerOrOwn = (programs: string): Promise<Stores> => {
  const databases = process.env['COINTOSS_DATABASES'];
  return databases === undefined ? serverOfOwn(programs) : sharedServer(databases);
};

/** Declares tests of what only a server can do. Where there is none, they are left out, and count as skipped. */
export function describeServer(define: (stores: () => Stores) => void): void {
  const programs = programsOrNull();
  const declare = programs === null ? describe.skip : describe;
  describeKind('PostgreSQL', () => sharedServerOrOwn(programs ?? ''), define, declare);
}

interface Kinds {
  /** Also where there is a server. */
  readonly pglite: boolean;
  readonly server: (programs: string) => Promise<Stores>;
}

function describeKinds(define: Define, { pglite, server }: Kinds): void {
  const programs = programsOrNull();
  if (programs === null || pglite) describeKind('PGlite', pgliteStores, define);
  if (programs !== null) describeKind('PostgreSQL', () => server(programs), define);
}

function describeKind(kind: Kind, open: () => Promise<Stores>, define: Define, declare = describe): void {
  declare(kind, () => {
    let opened: Stores | null = null;
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened?.remove());
    define(() => {
      if (opened === null) throw new Error('the stores are not open yet');
      return opened;
    }, kind);
  });
}
