import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createCollector, type PreparedOptions } from '../../../collector/server';
import { openDatabase } from '../../../collector/store/open-database';
import { root } from '../../../node/root';

/** A folder with an empty PGlite database: a copy, because making a database takes seconds. */
export async function emptyStore(): Promise<string> {
  const store = await mkdtemp(path.join(tmpdir(), 'cointoss-pglite-'));
  await cp(await original(), store, { recursive: true });
  return store;
}

/** A collector on an empty store, which is removed when it closes. */
export async function temporaryCollector(
  options: Omit<PreparedOptions, 'store'> = {},
): Promise<FastifyInstance> {
  const store = await emptyStore();
  const app = await createCollector({ ...options, store });
  const close = app.close.bind(app);
  return Object.assign(app, {
    close: async () => {
      await close();
      await rm(store, { recursive: true, force: true });
    },
  });
}

/** The database that is copied. Every version of PGlite makes its own. */
async function original(): Promise<string> {
  const description = await readFile(
    path.join(root, 'node_modules/@electric-sql/pglite/package.json'),
    'utf8',
  );
  const { version } = JSON.parse(description) as { readonly version: string };
  const folder = path.join(root, '.data', `pglite-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  await (
    await openDatabase(draft, async (database) => {
      await database.query('SELECT 1');
    })
  ).close();
  try {
    await rename(draft, folder);
  } catch {
    await rm(draft, { recursive: true }); // another test was faster
  }
  return folder;
}
