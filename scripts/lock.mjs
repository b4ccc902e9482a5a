import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './console.mjs';

const lock = path.join(root, '.data', 'setup.lock');
const owner = path.join(lock, 'pid');

/** Runs `work` while no other process on this machine does; a lock whose owner died is taken over. */
export async function withLock(work) {
  await acquire();
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

async function acquire() {
  mkdirSync(path.dirname(lock), { recursive: true });
  for (let told = false; !tryAcquire(); told = true) {
    if (isAbandoned()) {
      removeAbandoned();
      continue;
    }
    if (!told) say('waiting for another process that is setting up the same folder');
    await sleep(300);
  }
}

/** `mkdir` either makes the folder or fails: that is what makes it a lock. */
function tryAcquire() {
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(owner, String(process.pid));
  return true;
}

function isAbandoned() {
  try {
    const pid = Number(readFileSync(owner, 'utf8'));
    if (pid > 0) return !isAlive(pid);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  // Its owner has not written its number yet, unless it died in between.
  const made = statSync(lock, { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs > 10_000;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renaming first lets only one of several waiting processes remove it. */
function removeAbandoned() {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}
