import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** What Emscripten's NODEFS does for the files of PostgreSQL. */
interface NodeFileSystem {
  /** NODEFS lacks `fsync`: without it fsync succeeds and does nothing. */
  readonly stream_ops: { fsync?: (stream: { readonly nfd?: number }) => number };
  readonly node_ops: {
    mknod: (parent: unknown, name: string, mode: number, device: number) => unknown;
    setattr: (node: unknown, attributes: { readonly mode?: number }) => unknown;
  };
}

/** The permissions of everybody but the owner. */
const OTHERS = 0o077;

/** WASI's EIO. PostgreSQL then stops, because it cannot know what reached the disk. */
const INPUT_OUTPUT_ERROR = 29;

/**
 * A disk folder for PGlite in which fsync works: for the log before a commit is answered, for tables and folders at a checkpoint. Commits
 * are then as durable as in PostgreSQL itself, even when power fails. Only the owner can open its files, as in PostgreSQL itself: PGlite asks
 * for files that everybody may read and write.
 */
export class DurableFolder extends NodeFS {
  override async init(...[database, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(database, options);
    const mend = (module: unknown): void => {
      const { NODEFS } = module as { readonly NODEFS: NodeFileSystem };
      addSync(NODEFS);
      closeToOthers(NODEFS);
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), mend] } };
  }
}

function addSync({ stream_ops: operations }: NodeFileSystem): void {
  operations.fsync = ({ nfd }) => {
    try {
      if (nfd !== undefined) fsyncSync(nfd);
      return 0;
    } catch {
      return INPUT_OUTPUT_ERROR;
    }
  };
}

function closeToOthers({ node_ops: operations }: NodeFileSystem): void {
  const { mknod, setattr } = operations;
  operations.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS, device);
  operations.setattr = (node, attributes) =>
    setattr(
      node,
      attributes.mode === undefined ? attributes : { ...attributes, mode: attributes.mode & ~OTHERS },
    );
}
