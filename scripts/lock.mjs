import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './console.mjs';

const lock = path.join(root, '.data', 'set-up.lock');

/** Runs `work` while no other process on this machine does. Takes over a lock whose owner has died. */
export async function withLock(work) {
  await acquire();
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function acquire() {
  mkdirSync(path.dirname(lock), { recursive: true });
  const claim = `${process.pid} ${randomUUID()}`;
  for (let told = false; !claimed(lock, claim); told = true) {
    if (!told) say('waiting for another process that is setting up the same folder');
    await sleep(300);
  }
}

/** Writes the claim if the file is missing, or if the process that wrote it has died. */
function claimed(file, claim) {
  if (place(file, claim, linkSync)) return true;
  const found = textOf(file);
  if (found === null || isAlive(Number.parseInt(found))) return false;
  // Of several processes that find the same dead claim, only the one that holds this file may replace it.
  const succession = `${file}.${found}`;
  if (!claimed(succession, claim)) return false;
  try {
    // Another process may have held the succession already and replaced the claim.
    return textOf(file) === found && place(file, claim, renameSync);
  } finally {
    rmSync(succession, { force: true });
  }
}

/** Makes the whole text appear at once; false where `move` finds another file there. */
function place(file, text, move) {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    move(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
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
