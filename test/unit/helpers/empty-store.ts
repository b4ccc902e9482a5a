import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createCollector, type PreparedOptions } from '../../../collector/server';
import { CollectorStore } from '../../../collector/store/store';
import { root } from '../../../node/root';
import { isLong } from './is-long';
import { dropDatabase, freshDatabase } from './shared-server';

const PGLITE = path.join(root, 'node_modules/@electric-sql/pglite');

let compiled: Promise<readonly WebAssembly.Module[]> | null = null;

/** Keeps PGlite compiled: as long as it is in memory, threads share it, and need not compile it each. */
export async function compilePglite(): Promise<void> {
  compiled ??= Promise.all(
    ['pglite', 'initdb'].map(async (name) =>
      WebAssembly.compile(await readFile(path.join(PGLITE, `dist/${name}.wasm`))),
    ),
  );
  await compiled;
}

/** A folder with an empty PGlite database that has the tables. */
export async function emptyStore(): Promise<string> {
  const store = await mkdtemp(path.join(tmpdir(), 'cointoss-pglite-'));
  await copyEmptyStore(store);
  return store;
}

/** Makes an empty store in a folder: a copy, because making a database takes seconds. */
export async function copyEmptyStore(folder: string): Promise<void> {
  await compilePglite();
  cpSync(await original(), folder, { recursive: true });
}

/** A collector on a temporary store, which is removed when it closes. */
export async function temporaryCollector(options: Options = {}): Promise<FastifyInstance> {
  const store = await temporaryStore();
  const app = await createCollector({ ...options, store: store.place });
  const close = app.close.bind(app);
  return Object.assign(app, {
    close: async () => {
      await close();
      await store.remove();
    },
  });
}

type Options = Omit<PreparedOptions, 'store'>;

interface TemporaryStore {
  /** A value for `--store`. */
  readonly place: string;
  remove(): Promise<void>;
}

/**
 * An empty store: a database of the tests' server where there is one, because to open a PGlite takes six times as much processor time.
 * `npm run soak` takes PGlite.
 */
export async function temporaryStore(): Promise<TemporaryStore> {
  const databases = process.env['COINTOSS_DATABASES'];
  const url = databases === undefined || isLong ? null : await freshDatabase(databases).catch(orNone);
  if (url !== null) return { place: url, remove: () => dropDatabase(url) };
  return pgliteStore();
}

async function pgliteStore(): Promise<TemporaryStore> {
  const place = await emptyStore();
  return { place, remove: () => rm(place, { recursive: true, force: true }) };
}

/** PostgreSQL may not be installed; in CI it is. */
function orNone(error: unknown): null {
  if (process.env['CI'] === 'true') throw error;
  return null;
}

/** What decides how an empty store looks. */
const MADE_BY = [
  path.join(PGLITE, 'package.json'),
  ...['migrations', 'durable-folder', 'empty-database', 'new-folder', 'pglite-worker'].map((name) =>
    path.join(root, `collector/store/${name}.ts`),
  ),
  path.join(root, 'scripts/empty-pglite.mjs'),
];

/** The database that is copied. Every version of PGlite and every schema makes its own. */
async function original(): Promise<string> {
  const [description = '', ...sources] = await Promise.all(MADE_BY.map((file) => readFile(file, 'utf8')));
  const { version } = JSON.parse(description) as { readonly version: string };
  const schema = createHash('sha256').update(sources.join('')).digest('hex').slice(0, 16);
  const folder = path.join(root, '.data', `pglite-${version}-${schema}`);
  if (existsSync(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  await (await CollectorStore.open(draft)).close();
  try {
    await rename(draft, folder);
  } catch {
    await rm(draft, { recursive: true }); // another test was faster
  }
  return folder;
}
