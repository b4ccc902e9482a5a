import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';

const BEAT_MILLISECONDS = 5_000;
/** If an owner cannot be looked up and has not renewed the file for this long, it is gone. */
const STALE_MILLISECONDS = 20_000;

/** A process. The id alone is ambiguous after a reboot and between containers. */
interface Owner {
  readonly pid: number;
  /** The boot and the namespace that the process id belongs to; null where the system does not tell. */
  readonly place: string | null;
  /** The start time in the system's ticks; null where the system does not tell. */
  readonly started: string | null;
}

/**
 * Claims a folder with a file that names this process, and renews the file's time. Takes over the claim of a process that is gone. For a
 * process of another machine or container, only the file's time can show that it is gone.
 * @returns releases the folder.
 * @throws Error when a running process holds it.
 */
export async function lockFolder(file: string): Promise<() => Promise<void>> {
  const self: Owner = {
    pid: process.pid,
    place: await placeOfNumbers(),
    started: await startOf(process.pid),
  };
  // The claim's random id makes each text unique.
  const text = JSON.stringify({ ...self, claim: randomUUID() });
  if (!(await claim(file, text, self)) || (await textOf(file)) !== text)
    throw new Error(
      `another collector uses the store, or did until ${STALE_MILLISECONDS / 1000} seconds ago (${file} has its process number)`,
    );
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
async function claim(file: string, text: string, self: Owner): Promise<boolean> {
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

/** Makes the whole text appear at once; false where `place` finds another file there. */
async function write(file: string, text: string, place: typeof link): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text);
    await place(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function isHeld(file: string, text: string, self: Owner): Promise<boolean> {
  const owner = ownerIn(text);
  if (owner !== null && owner.place === self.place) {
    if (owner.started !== null) return (await startOf(owner.pid)) === owner.started;
    if (!isAlive(owner.pid)) return false;
  }
  const time = await ifThere(stat(file));
  return time !== null && Math.abs(Date.now() - time.mtimeMs) < STALE_MILLISECONDS;
}

/** Null when the file is missing. */
const textOf = (file: string): Promise<string | null> => ifThere(readFile(file, 'utf8'));

async function ifThere<T>(looking: Promise<T>): Promise<T | null> {
  try {
    return await looking;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Null when the file was not written completely. */
function ownerIn(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return null;
  }
}

async function placeOfNumbers(): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** proc(5): field 22 of `stat`. Field 2, in parentheses, can contain spaces. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stats = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stats.slice(stats.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
