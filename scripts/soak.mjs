/** The long form of the fault and fuzz tests: `npm run soak`, or `npm run soak -- NAME...` for the files whose path contains a name. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ensureBuild } from './build.mjs';
import { CallError, elapsed, exitWith, root } from './console.mjs';
import { ensureOracles } from './oracles.mjs';
import { ensurePackages } from './packages.mjs';
import { browsers, jest, postgresql, programs } from './jest.mjs';

async function main() {
  const start = Date.now();
  const names = process.argv.slice(2);
  requireTests(names);
  await ensurePackages();
  for (const ensure of [browsers, postgresql, programs]) await ensure();
  await ensureBuild();
  // Only this test needs several gigabytes.
  if (names.length === 0 || names.some((name) => 'test/soak/learn-oracles.test.ts'.includes(name)))
    await ensureOracles('training');
  // One at a time, because each measures what a loaded machine would change.
  const { code, files = [] } = await jest(['soak'], '--runInBand', '--verbose', ...names);
  console.log('');
  for (const { name, startTime, endTime, status } of files)
    console.log(
      `${path.basename(name, '.test.ts')}: ${status}, ${((endTime - startTime) / 1000).toFixed(1)} s`,
    );
  console.log(`Took ${elapsed(start)}.`);
  return code;
}

function requireTests(names) {
  const files = readdirSync(path.join(root, 'test/soak')).filter((name) => name.endsWith('.test.ts'));
  for (const name of names)
    if (!files.some((file) => `test/soak/${file}`.includes(name))) {
      const known = files.map((file) => path.basename(file, '.test.ts')).join(', ');
      throw new CallError(`soak: there is no test ${name}; there are ${known}`);
    }
}

void exitWith(main);
