/** The long form of the fault and fuzz tests: `npm run soak`, or `npm run soak -- NAME...` for the files whose path contains a name. */
import path from 'node:path';
import { ensureBuild } from './build.mjs';
import { elapsed, exitWith } from './console.mjs';
import { ensureOracles } from './oracles.mjs';
import { ensurePackages } from './packages.mjs';
import { browsers, jest, postgresql, programs } from './jest.mjs';

async function main() {
  const start = Date.now();
  await ensurePackages();
  for (const ensure of [browsers, postgresql, programs]) await ensure();
  await ensureBuild();
  const names = process.argv.slice(2);
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

void exitWith(main);
