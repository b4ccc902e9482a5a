import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../node/files';
import { folderProblem } from '../../node/owner-only';
import { lockFile, STALE_MILLISECONDS } from '../../scripts/lock.mjs';
import {
  inTransaction,
  isTimeout,
  limited,
  QUESTION_MILLISECONDS,
  QuestionStopped,
  unlessStopped,
  type Database,
  type Parameter,
  type Transactions,
} from './database';
import { PgliteConnection } from './pglite-connection';

export const IN_MEMORY = 'memory://';

/**
 * PostgreSQL embedded in a worker thread. Only one process at a time may use a folder.
 * @param store a folder, or `memory://`.
 */
export async function openPglite(
  store: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  if (store === IN_MEMORY) return open(null, () => Promise.resolve(), prepare);
  if (statSync(store, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error('the store must be a folder or postgres://…, is a file');
  makeFolder(store, 'owner');
  const problem = folderProblem(store);
  if (problem !== null) throw new Error(problem);
  return open(store, await lockFolder(store), prepare);
}

/** Removes the folder of a store with all that is in it. @throws Error when a collector uses it. */
export async function removeFolder(folder: string): Promise<void> {
  const unlock = await lockFolder(folder);
  await rm(folder, { recursive: true });
  await unlock();
}

/** Resolves to a function that releases it. */
async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = join(folder, 'collector.lock');
  const unlock = await lockFile(lock);
  if (unlock !== null) return unlock;
  throw new Error(
    `another collector uses the store, or did until ${STALE_MILLISECONDS / 1000} seconds ago (${lock} has its process number)`,
  );
}

async function open(
  folder: string | null,
  unlock: () => Promise<void>,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const connection = new PgliteConnection(folder);
  const database = databaseOf(connection, async () => {
    await connection.close();
    await unlock();
  });
  try {
    await prepare(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** PGlite has one connection, so other queries wait until the running transaction ends. */
function databaseOf(connection: PgliteConnection, close: () => Promise<void>): Database {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const inTurns = (around: typeof inTurn): Transactions => ({
    query: <Row>(sql: string, parameters?: readonly Parameter[]) =>
      around(() => connection.query<Row>(sql, parameters)),
    transaction: (work) => around(() => inTransaction(connection, work)),
  });
  return {
    ...inTurns(inTurn),
    asking: (stop) =>
      inTurns((work) =>
        unlessStopped(
          inTurn(() => untilStopped(connection, work, stop)),
          stop,
        ),
      ),
    close: () => inTurn(close),
  };
}

/** A statement of PGlite can only be ended with its thread, which opens a store in memory empty. One that nobody waits for ends by itself. */
async function untilStopped<T>(
  connection: PgliteConnection,
  work: () => Promise<T>,
  stop: AbortSignal,
): Promise<T> {
  if (stop.aborted) throw new QuestionStopped(stop);
  const { signal, clear } = limited(stop, QUESTION_MILLISECONDS);
  const end = (): void => {
    if (isTimeout(signal)) void connection.restart();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } catch (error) {
    throw isTimeout(signal) ? new QuestionStopped(signal) : error;
  } finally {
    signal.removeEventListener('abort', end);
    clear();
  }
}
