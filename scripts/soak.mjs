/** The long form of the fault and fuzz tests: `npm run soak`, or `npm run soak -- NAME...` for the files whose path contains a name. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureBuild } from './build.mjs';
import { CallError, elapsed, exitWith, root, SetupError } from './console.mjs';
import { ensureOracles } from './oracles.mjs';
import { ensurePackages, runScript } from './packages.mjs';
import { browsers, jest, postgresql, programs } from './jest.mjs';

async function main() {
  const start = Date.now();
  const names = process.argv.slice(2);
  const chosen = filesOf(names);
  await ensurePackages();
  await browsers();
  await postgresql(chosen.some(needsServer));
  await programs();
  await ensureBuild();
  // Only this test needs several gigabytes.
  if (chosen.includes('test/soak/learn-oracles.test.ts')) await ensureOracles('training');
  if (chosen.some(needsSite) && (await runScript('site')) !== 0)
    throw new SetupError('the build of the site failed; its messages are above.');
  process.env.COINTOSS_LONG = '1';
  const runs = [];
  for (const project of ['soak', 'unit', 'e2e']) {
    const paths = chosen.filter((file) => projectOf(file) === project);
    // One at a time, because each measures what a loaded machine would change. What a file left open has failed it; the others must end.
    if (paths.length > 0)
      runs.push(
        await jest([project], '--runInBand', '--forceExit', '--verbose', '--runTestsByPath', ...paths),
      );
  }
  console.log('');
  for (const { name, startTime, endTime, status } of runs.flatMap(({ files = [] }) => files))
    console.log(
      `${path.basename(name, '.test.ts')}: ${status}, ${((endTime - startTime) / 1000).toFixed(1)} s`,
    );
  console.log(`Took ${elapsed(start)}.`);
  return runs.find(({ code }) => code !== 0)?.code ?? 0;
}

/** Those whose path contains one of the names; all if there are none. */
function filesOf(names) {
  const all = [
    ...testsIn('test/soak'),
    ...['test/unit', 'test/e2e', 'test/journeys'].flatMap(testsIn).filter(hasLongForm),
  ];
  for (const name of names)
    if (!all.some((file) => file.includes(name))) {
      const known = all.map((file) => path.basename(file, '.test.ts')).join(', ');
      throw new CallError(`soak: there is no test ${name}; there are ${known}`);
    }
  return names.length === 0 ? all : all.filter((file) => names.some((name) => file.includes(name)));
}

const testsIn = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);

const projectOf = (file) => /^test\/(soak|unit)\//.exec(file)?.[1] ?? 'e2e';

const textOf = (file) => readFileSync(path.join(root, file), 'utf8');

/** Whether it asks which run this is: `npm test` then has less of it, such as one browser of two, or one database. */
const hasLongForm = (file) =>
  /\b(browsersOfRun|describeRows|isLong|itInSoak|describeInSoak)\b/.test(textOf(file));

/** Whether it tests a collector on each kind of store. */
const needsServer = (file) => /\bdescribe(Stores|Crashes|Rows)\b/.test(textOf(file));

/** Whether it opens the static site, which the extension's build does not make. */
const needsSite = (file) => /\bStaticSite\b/.test(textOf(file));

void exitWith(main);
