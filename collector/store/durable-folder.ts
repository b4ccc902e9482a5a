import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The part of Emscripten's file systems that its NODEFS lacks: without it fsync succeeds and does nothing. */
interface SyncableFileSystem {
  readonly stream_ops: { fsync?: (stream: { readonly nfd?: number }) => number };
}

/** WASI's EIO: PostgreSQL then stops, as it must when it cannot know what reached the disk. */
const INPUT_OUTPUT_ERROR = 29;

/**
 * A folder of the disk for PGlite in which an fsync of PostgreSQL is one: of the log before a commit is answered, of
 * tables and folders at a checkpoint. A commit so survives what it survives in PostgreSQL itself, loss of power included.
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

  /** What a database is made of in the beginning is written without a sync. */
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
