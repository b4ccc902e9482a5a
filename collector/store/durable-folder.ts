import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** A method that Emscripten's NODEFS lacks: without it fsync succeeds and does nothing. */
interface SyncableFileSystem {
  readonly stream_ops: { fsync?: (stream: { readonly nfd?: number }) => number };
}

/** WASI's EIO. PostgreSQL then stops, as it must when it cannot know what reached the disk. */
const INPUT_OUTPUT_ERROR = 29;

/**
 * A disk folder for PGlite in which fsync works: for the log before a commit is answered, for tables and folders at a checkpoint. Commits
 * are then as durable as in PostgreSQL itself, even when power fails.
 */
export class DurableFolder extends NodeFS {
  readonly #isNew: boolean;

  constructor(private readonly folder: string) {
    super(folder);
    this.#isNew = !existsSync(join(folder, 'PG_VERSION'));
  }

  override async init(...[database, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(database, options);
    const addSync = (module: unknown): void => {
      (module as { readonly NODEFS: SyncableFileSystem }).NODEFS.stream_ops.fsync = ({ nfd }) => {
        try {
          if (nfd !== undefined) fsyncSync(nfd);
          return 0;
        } catch {
          return INPUT_OUTPUT_ERROR;
        }
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addSync] } };
  }

  /** Syncs the files of a new database, which PGlite writes without a sync. */
  syncNew(): void {
    if (this.#isNew) syncTree(this.folder);
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else if (entry.isFile()) sync(path);
  }
  sync(folder);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
