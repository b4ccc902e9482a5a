import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './console.mjs';
import { lockFile } from './lock.mjs';

/**
 * Runs `work` while nobody else sets up this part of the folder, its `python` packages, or the machine's `programs`. Takes over from a
 * process that has died.
 */
export async function withLock(work, part = 'set-up') {
  const unlock = await acquire(path.join(root, '.data', `${part}.lock`));
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function acquire(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let told = false; ; told = true) {
    const unlock = await lockFile(file);
    if (unlock !== null) return unlock;
    if (!told) say('waiting for another process that is setting up the same folder');
    await sleep(300);
  }
}
