import { readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';

const BEAT_MILLISECONDS = 5_000;
/** Without a sign of life for so long an owner that cannot be looked up is gone. */
const STALE_MILLISECONDS = 20_000;

/** A process. Its number alone may be another's after a restart of the machine, and every container has its own numbers. */
interface Owner {
  readonly pid: number;
  /** Where the number is of this process: the boot and its namespace; null where the system does not tell. */
  readonly place: string | null;
  /** When it started, in the system's ticks; null where the system does not tell. */
  readonly started: string | null;
}

/**
 * Claims a folder for this process by a file that names it and whose time it renews; that of a process which is gone is taken
 * over. Whether a process of another machine or container is gone only the file's time tells.
 * @returns gives the folder back.
 * @throws Error when a running process has it.
 */
export async function lockFolder(file: string): Promise<() => Promise<void>> {
  const self: Owner = {
    pid: process.pid,
    place: await placeOfNumbers(),
    started: await startOf(process.pid),
  };
  if (!((await claim(file, self)) || (await takeOver(file, self))))
    throw new Error(
      `another collector uses the store, or did until ${STALE_MILLISECONDS / 1000} seconds ago (${file} has its process number)`,
    );
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined); // the next one may succeed
  }, BEAT_MILLISECONDS).unref();
  return async () => {
    clearInterval(beat);
    await rm(file, { force: true });
  };
}

async function claim(file: string, self: Owner): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(self), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function takeOver(file: string, self: Owner): Promise<boolean> {
  if (await isHeld(file, self)) return false;
  await rm(file, { force: true });
  return claim(file, self);
}

async function isHeld(file: string, self: Owner): Promise<boolean> {
  const owner = ownerIn(await readFile(file, 'utf8'));
  if (owner !== null && owner.place === self.place) {
    if (owner.started !== null) return (await startOf(owner.pid)) === owner.started;
    if (!isAlive(owner.pid)) return false;
  }
  const { mtimeMs } = await stat(file);
  return Math.abs(Date.now() - mtimeMs) < STALE_MILLISECONDS;
}

/** Null when it was not written to its end. */
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

/** proc(5): field 22 of `stat`. The second, in parentheses, may have spaces in it. */
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
