import { lockFile } from '../../../scripts/lock.mjs';

let held: readonly ((() => Promise<void>) | null)[] = [];

/** Gives back what it holds, claims the files it is sent, all at once, and answers which of them it got. */
async function claim(files: readonly string[]): Promise<void> {
  await Promise.all(held.map(async (unlock) => unlock?.()));
  held = await Promise.all(files.map(lockFile));
  process.send?.(held.map((unlock) => unlock !== null));
}

process.on('message', (files: readonly string[]) => void claim(files));
