import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded into a process before its program (`node --import`). Kills it before the nth change that it makes in a folder, or in the middle of
 * that change if it writes. Without a number it says on standard error which changes it made.
 */

const { folder, at = 0, within = false } = JSON.parse(process.env.COINTOSS_KILLED);

const changes = [];
/** Files in the folder that are open. */
const descriptors = new Set();
let isInside = false;

function around(owner, name, writeHalf) {
  const real = owner[name];
  owner[name] = (...given) => {
    const [file] = given;
    const counts = typeof file === 'string' ? file.startsWith(folder) : descriptors.has(file);
    // Node's own functions call each other.
    if (isInside || !counts) return real(...given);
    changes.push(name);
    isInside = true;
    try {
      if (changes.length === at) {
        if (within) writeHalf?.(real, given);
        process.kill(process.pid, 'SIGKILL');
      }
      const result = real(...given);
      if (name === 'openSync') descriptors.add(result);
      if (name === 'closeSync') descriptors.delete(file);
      return result;
    } finally {
      isInside = false;
    }
  };
}

const halfBytes = (real, [descriptor, bytes, from, length, ...position]) =>
  real(descriptor, bytes, from, Math.floor(length / 2), ...position);

for (const name of [
  'closeSync',
  'fchmodSync',
  'fsyncSync',
  'ftruncateSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
])
  around(fs, name);
around(fs, 'writeSync', halfBytes);
// The lock's, which are not awaited inside of each other.
for (const name of ['link', 'rename', 'rm', 'writeFile']) around(fs.promises, name);
syncBuiltinESMExports();

process.on('exit', () => {
  if (at === 0) process.stderr.write(`\nchanges ${JSON.stringify(changes)}\n`);
});
