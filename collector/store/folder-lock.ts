import { readFile, rm, writeFile } from 'node:fs/promises';

/** Files that this process holds: its own number in one that it does not hold was written by a process of the past. */
const held = new Set<string>();

/**
 * Claims a folder for this process by a file with its number; that of a process which is gone is taken over.
 * @returns gives the folder back.
 * @throws Error when a running process has it.
 */
export async function lockFolder(file: string): Promise<() => Promise<void>> {
  if (held.has(file) || !((await claim(file)) || (await takeOver(file))))
    throw new Error(`another collector uses the store (its process number is in ${file})`);
  held.add(file);
  return async () => {
    held.delete(file);
    await rm(file, { force: true });
  };
}

async function claim(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function takeOver(file: string): Promise<boolean> {
  const owner = Number(await readFile(file, 'utf8'));
  if (owner !== process.pid && isAlive(owner)) return false;
  await rm(file, { force: true });
  return claim(file);
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
