import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** Files that are in memory, on Linux. */
const MEMORY = '/dev/shm';
const PREFIX = 'cointoss-tests-';
/** The id of the process of a run whose folder has this name. */
const pidOf = (name) =>
  name.startsWith(PREFIX) ? /^(\d+)-/.exec(name.slice(PREFIX.length))?.[1] : undefined;
/** In bytes: what the temporary files of a whole run need, with room to spare. */
const ROOM = 3 * 2 ** 30;
/** In bytes. With less than this, writes have probably failed. */
const FULL = 2 ** 24;
/** In milliseconds. A run that began later may be one of a container that shares the memory, but not the processes. */
const OLD = 60 * 60_000;

/**
 * Runs tests with their temporary files in memory, where there is room. Stores, ledgers and profiles of browsers make each small write durable,
 * so on a disk tests mostly wait for it. A test that kills a process finds in memory what it finds on a disk: only a power cut differs.
 * @template Result
 * @param {(jest: readonly string[]) => Promise<Result>} work gets options of jest, whose cache stays where it was
 * @param {{ memory?: string, full?: number }} [where] where such files are, and with how many free bytes it is full
 */
export async function withFilesInMemory(work, { memory = MEMORY, full = FULL } = {}) {
  // First, because it may take the room.
  removeLeft(memory);
  if (!hasRoom(memory)) return work([]);
  const folder = mkdtempSync(path.join(memory, `${PREFIX}${process.pid}-`));
  // Databases and proxies have users of their own.
  chmodSync(folder, 0o1777);
  const { TMPDIR: before } = process.env;
  const cache = path.join(tmpdir(), `cointoss-jest-${userInfo().uid}`);
  process.env.TMPDIR = folder;
  let passed = false;
  try {
    const result = await work(['--cacheDirectory', cache]);
    passed = (result?.code ?? 0) === 0;
    return result;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    if (!passed) tellIfFull(memory, full);
    remove(folder);
  }
}

function tellIfFull(memory, full) {
  try {
    const free = freeBytes(memory);
    if (free < full) tell(`${memory} is full (${free} bytes are free), and the run failed: that may be why`);
  } catch {
    // The run's own error is worth more.
  }
}

const tell = (text) => process.stderr.write(`npm test: ${text}\n`);

/** Containers often have a small folder, or one in which no program may be run. */
function hasRoom(memory) {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] = (mounts.find((line) => line.split(' ')[1] === memory) ?? '').split(' ');
    // A container's limit may be far below what the machine has. With the browsers, a run takes twice the files.
    const available = process.availableMemory?.() ?? freemem();
    return (
      type === 'tmpfs' &&
      !/\b(noexec|ro)\b/.test(options) &&
      freeBytes(memory) >= ROOM &&
      available >= 2 * ROOM
    );
  } catch {
    // Another system.
    return false;
  }
}

function freeBytes(memory) {
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize;
}

/** Removes what runs left that were killed: those of this user that are old, and whose process is no more. */
function removeLeft(memory) {
  let names = [];
  try {
    names = readdirSync(memory);
  } catch {
    // Another system.
  }
  for (const name of names) {
    const pid = pidOf(name);
    const folder = path.join(memory, name);
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another run may be removing it, too.
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.uid === userInfo().uid && Date.now() - found.mtimeMs > OLD) remove(folder);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** A process that a test left may still write into the folder. The result of the run is worth more than its removal. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    tell(`${folder} stays, with what is in it (${error.code}): remove it by hand`);
  }
}
