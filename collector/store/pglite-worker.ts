import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parentPort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { root } from '../../node/root';
import type { Scalar } from './database';
import { DurableFolder } from './durable-folder';
import { readEmpty, unpack } from './empty-database';
import { makeStore } from './new-folder';

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

/** The file of an empty database for the installed version. Another version may have a PostgreSQL that cannot read the file. */
const emptyFile = (): string => {
  const description = path.join(path.dirname(require.resolve('@electric-sql/pglite')), '../package.json');
  const { version } = JSON.parse(readFileSync(description, 'utf8')) as { readonly version: string };
  return path.join(root, `dist/node/empty-pglite-${version}.tar.gz`);
};

let database: PGlite | null = null;

async function open(folder: string | null): Promise<PGlite> {
  if (folder === null) {
    const tar = emptyOrNull();
    return PGlite.create('memory://', tar === null ? {} : { loadDataDir: new Blob([tar]) });
  }
  await makeStore(folder, async (draft) => {
    const tar = emptyOrNull();
    if (tar === null) await (await openFolder(draft)).close();
    else unpack(tar, draft);
  });
  return openFolder(folder);
}

const openFolder = (folder: string): Promise<PGlite> =>
  PGlite.create({ fs: new DurableFolder(folder), startParams: durably });

/** Null when PostgreSQL has to make the database. */
function emptyOrNull(): Uint8Array<ArrayBuffer> | null {
  try {
    return readEmpty(emptyFile());
  } catch (error) {
    process.emitWarning(
      `the empty database cannot be read, so a new one is made: ${(error as Error).message}`,
    );
    return null;
  }
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
    if (errno !== undefined) return { message: fileFailure(error as Failure), code: null };
    return { message: String(message), code: typeof code === 'string' ? code : null };
  }
}

/** Errors of files have a number; Emscripten's have no message. */
interface Failure {
  readonly message?: string;
  readonly code?: unknown;
  readonly errno?: unknown;
}

const fileFailure = ({ message, code, errno }: Failure): string =>
  errno === NO_SPACE || code === 'ENOSPC'
    ? 'the disk is full'
    : (message ?? `the files of the store fail (WASI errno ${String(errno)})`);

parentPort?.on('message', (request: PgliteRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});
