import { parentPort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { Scalar } from './database';
import { DurableFolder } from './durable-folder';

export type PgliteRequest =
  | { readonly kind: 'open'; readonly folder: string | null }
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly Scalar[] | null }
  | { readonly kind: 'close' };

/** `code` is the SQLSTATE; null when the failure was outside PostgreSQL. */
export type PgliteAnswer =
  | { readonly rows: readonly unknown[] }
  | { readonly message: string; readonly code: string | null };

/**
 * PGlite starts PostgreSQL with -F, which means `fsync = off`. Emscripten's fdatasync does nothing, so the log must use fsync, which
 * `DurableFolder` carries out.
 */
const durably = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'synchronous_commit=on'],
];

/** WASI's ENOSPC. */
const NO_SPACE = 51;

let database: PGlite | null = null;

async function open(folder: string | null): Promise<PGlite> {
  if (folder === null) return PGlite.create('memory://');
  const fs = new DurableFolder(folder);
  const opened = await PGlite.create({ fs, startParams: durably });
  fs.syncNew();
  return opened;
}

async function carryOut(request: PgliteRequest): Promise<readonly unknown[]> {
  switch (request.kind) {
    case 'open':
      database = await open(request.folder);
      return [];
    case 'query': {
      if (database === null) throw new Error('the store is not open');
      const { sql, parameters } = request;
      if (parameters === null) return (await database.exec(sql)).at(-1)?.rows ?? [];
      return (await database.query(sql, [...parameters])).rows;
    }
    case 'close':
      await database?.close();
      return [];
  }
}

async function answer(request: PgliteRequest): Promise<PgliteAnswer> {
  try {
    return { rows: await carryOut(request) };
  } catch (error) {
    const { message, code, errno } = error as Failure;
    return { message: message ?? fileFailure(errno), code: typeof code === 'string' ? code : null };
  }
}

/** Emscripten's errors of files have a number and no message. */
interface Failure {
  readonly message?: string;
  readonly code?: unknown;
  readonly errno?: unknown;
}

const fileFailure = (errno: unknown): string =>
  errno === NO_SPACE ? 'the disk is full' : `the files of the store fail (WASI errno ${String(errno)})`;

parentPort?.on('message', (request: PgliteRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});
