import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { entriesBelow } from '../../node/entries';
import { makeFolder, rename, sync } from '../../node/files';

/** It is the last file that a new store gets, so the store is complete where it is. */
const LAST = 'PG_VERSION';

export const isStore = (folder: string): boolean => existsSync(path.join(folder, LAST));

/** What PostgreSQL makes in the folder of a database. */
export const NAMES: readonly string[] = [
  ...['PG_VERSION', 'base', 'global', 'pg_commit_ts', 'pg_dynshmem', 'pg_hba.conf'],
  ...['pg_ident.conf', 'pg_logical', 'pg_multixact', 'pg_notify', 'pg_replslot', 'pg_serial'],
  ...['pg_snapshots', 'pg_stat', 'pg_stat_tmp', 'pg_subtrans', 'pg_tblspc', 'pg_twophase'],
  ...['pg_wal', 'pg_xact', 'postgresql.auto.conf', 'postgresql.conf'],
];

// Nobody else chooses these names, so what is there was made here.
/** A database that is being made. */
const DRAFT = '.pglite-draft-3f0c6c52-9d0e-4b7a-8a53-6d1f27c4e9b8';
/** A complete and durable database, whose files move into the folder of the store. */
const MADE = '.pglite-new-3f0c6c52-9d0e-4b7a-8a53-6d1f27c4e9b8';

/**
 * Makes the database of a store, if it has none, so that a run that is killed at any time leaves a folder that the next run completes. What
 * others have put into the folder stays as it is.
 * @param fill makes the files of the database in an empty folder.
 * @throws Error when the folder has something under a name that the database needs.
 */
export async function makeStore(
  folder: string,
  fill: (draft: string) => void | Promise<void>,
): Promise<void> {
  const made = path.join(folder, MADE);
  if (!isStore(folder)) {
    if (!isStore(made)) await make(folder, made, fill);
    moveAll(made, folder);
  }
  if (existsSync(made) && readdirSync(made).length === 0) rmdirSync(made);
}

async function make(
  folder: string,
  made: string,
  fill: (draft: string) => void | Promise<void>,
): Promise<void> {
  const draft = path.join(folder, DRAFT);
  const clear = (): void => rmSync(draft, { recursive: true, force: true });
  clear();
  refuseTaken(folder, NAMES);
  makeFolder(draft, 'owner');
  try {
    await fill(draft);
    for (const name of [...entriesBelow(draft), draft]) sync(name);
    // Others may have put something into the folder meanwhile.
    refuseTaken(folder, readdirSync(draft));
  } catch (error) {
    clear();
    throw error;
  }
  rename(draft, made);
}

function refuseTaken(folder: string, names: readonly string[]): void {
  const taken = names.filter((name) => existsSync(path.join(folder, name)));
  if (taken.length === 0) return;
  const list = taken.join(', ');
  throw new Error(`a new store needs a folder without ${list}; name another folder, or move ${list} away`);
}

function moveAll(made: string, folder: string): void {
  const names = readdirSync(made);
  refuseTaken(folder, names);
  for (const name of names) if (name !== LAST) rename(path.join(made, name), path.join(folder, name));
  sync(folder);
  rename(path.join(made, LAST), path.join(folder, LAST));
  sync(folder);
}
