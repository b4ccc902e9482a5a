import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** Files that are in memory, on Linux. */
const MEMORY = '/dev/shm';
const PREFIX = 'cointoss-tests-';
/** In bytes: what the temporary files of a whole run need, with room to spare. */
const ROOM = 3 * 2 ** 30;
/** In bytes: with the browsers. */
const FREE = 2 * ROOM;
/** In ms. Another run may be under way, but none as long. */
const LONGEST_RUN = 86_400_000;

/**
 * Runs tests with their temporary files in memory, where there is room. Stores, ledgers and profiles of browsers make each small write durable,
 * so on a disk tests mostly wait for it. A test that kills a process finds in memory what it finds on a disk: only a power cut differs.
 * @template Result
 * @param {(jest: readonly string[]) => Promise<Result>} work gets options of jest, whose cache stays where it was
 * @param {string} memory where such files are
 */
export async function withFilesInMemory(work, memory = MEMORY) {
  if (!hasRoom(memory)) return work([]);
  removeLeft(memory);
  const folder = mkdtempSync(path.join(memory, PREFIX));
  // Databases and proxies have users of their own.
  chmodSync(folder, 0o1777);
  const { TMPDIR: before } = process.env;
  const cache = path.join(tmpdir(), `cointoss-jest-${userInfo().uid}`);
  process.env.TMPDIR = folder;
  try {
    return await work(['--cacheDirectory', cache]);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Containers often have a small folder, or one in which no program may be run. */
function hasRoom(memory) {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] = (mounts.find((line) => line.split(' ')[1] === memory) ?? '').split(' ');
    const { bavail, bsize } = statfsSync(memory);
    return (
      type === 'tmpfs' && !/\b(noexec|ro)\b/.test(options) && bavail * bsize >= ROOM && freemem() >= FREE
    );
  } catch {
    // Another system.
    return false;
  }
}

/** Removes what runs left that were killed. */
function removeLeft(memory) {
  for (const name of readdirSync(memory).filter((one) => one.startsWith(PREFIX))) {
    const folder = path.join(memory, name);
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - made > LONGEST_RUN) rmSync(folder, { recursive: true, force: true });
  }
}
