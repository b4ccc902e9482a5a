import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { clearInterval, setInterval } from 'node:timers';

const BEAT_MILLISECONDS = 5_000;
/** If an owner cannot be looked up and has not renewed the file for this long, it is gone. */
export const STALE_MILLISECONDS = 20_000;

/**
 * Claims a file by writing into it which process this is, and renews its time. Takes over the claim of a process that is gone. For a
 * process of another machine or container, only the file's time can show that it is gone.
 * @returns releases the file; null when a running process holds it.
 */
export async function lockFile(file) {
  // The number alone is ambiguous after a reboot and between containers. The random id makes each text unique.
  const owner = { pid: process.pid, place: await placeOfNumbers(), started: await startOf(process.pid) };
  const text = JSON.stringify({ ...owner, claim: randomUUID() });
  if (!(await claim(file, text, owner)) || (await textOf(file)) !== text) return null;
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined); // the next one may succeed
  }, BEAT_MILLISECONDS).unref();
  return async () => {
    clearInterval(beat);
    if ((await textOf(file)) === text) await rm(file, { force: true });
  };
}

/** Writes the claim if the file is missing, or if the process that wrote it is gone. */
async function claim(file, text, self) {
  for (;;) {
    if (await write(file, text, link)) return true;
    const found = await textOf(file);
    if (found === null) continue;
    if (await isHeld(file, found, self)) return false;
    // Of several processes that find the same dead claim, only the one that holds this file may replace it.
    const succession = `${file}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
    if (!(await claim(succession, text, self))) return false;
    try {
      // Another process may have held the succession already and replaced the claim.
      if ((await textOf(file)) === found) return await write(file, text, rename);
    } finally {
      await rm(succession, { force: true });
    }
  }
}

/** Makes the whole text appear at once; false where `move` finds another file there. */
async function write(file, text, move) {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await move(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function isHeld(file, text, self) {
  const owner = ownerIn(text);
  if (owner !== null && owner.place === self.place) {
    if (owner.started !== null) return (await startOf(owner.pid)) === owner.started;
    if (!isAlive(owner.pid)) return false;
  }
  const time = await ifThere(stat(file));
  return time !== null && Math.abs(Date.now() - time.mtimeMs) < STALE_MILLISECONDS;
}

/** Null when the file is missing. */
const textOf = (file) => ifThere(readFile(file, 'utf8'));

async function ifThere(looking) {
  try {
    return await looking;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Null when the file was not written completely. */
function ownerIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The boot and the namespace that process numbers belong to; null where the system does not tell. */
async function placeOfNumbers() {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** The start time in the system's ticks; null where the system does not tell. See proc(5): field 2 of `stat` can contain spaces. */
async function startOf(pid) {
  try {
    const stats = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stats.slice(stats.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
