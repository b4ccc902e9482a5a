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

const halfText = (real, [file, text, ...more]) => real(file, text.slice(0, text.length / 2), ...more);
const halfBytes = (real, [descriptor, bytes]) => real(descriptor, bytes, 0, Math.floor(bytes.length / 2));

for (const name of [
  'closeSync',
  'fsyncSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
  'truncateSync',
])
  around(fs, name);
for (const name of ['appendFileSync', 'writeFileSync']) around(fs, name, halfText);
around(fs, 'writeSync', halfBytes);
// The lock's, which are not awaited inside of each other.
for (const name of ['link', 'rename', 'rm', 'writeFile']) around(fs.promises, name);
syncBuiltinESMExports();

process.on('exit', () => {
  if (at === 0) process.stderr.write(`\nchanges ${JSON.stringify(changes)}\n`);
});
