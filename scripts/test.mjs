import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { elapsed, exitWith, root, run, say } from './console.mjs';
import { runScript } from './packages.mjs';
import { ensurePostgresql } from './postgresql.mjs';
import { ensureBrowser, ensurePackages } from './setup.mjs';
import { ensureXvfb } from './xvfb.mjs';

/** In the order they run; each resolves to an exit code and, where it counts tests, how many. */
const stages = [
  { name: 'lint', title: 'Lint, format and types', run: () => scripts('lint', 'check-format', 'types') },
  { name: 'build', title: 'Build', run: () => scripts('build') },
  { name: 'web-ext', title: 'Lint of the Firefox extension', run: webExtLint },
  { name: 'unit', title: 'Unit and conformance tests', run: () => jest('unit', '--maxWorkers=100%') },
  { name: 'e2e', title: 'End to end, in Chrome and Firefox', run: () => jest('e2e', '--maxWorkers=2') },
  {
    name: 'browser-replay',
    title: 'Every scenario in Chrome and Firefox',
    run: () => jest('e2e', 'test/e2e/browser-replay.test.ts'),
    env: { COINTOSS_REPLAY: 'all' },
    // It takes minutes, and `e2e` replays some of them.
    onlyAlone: true,
  },
];

/** All at once. */
async function scripts(...names) {
  const codes = await Promise.all(names.map((name) => runScript(name)));
  return { code: codes.find((code) => code !== 0) ?? 0 };
}

async function webExtLint() {
  const webExt = path.join(root, 'node_modules/web-ext/bin/web-ext.js');
  const args = [
    webExt,
    'lint',
    '--source-dir',
    'dist/firefox',
    '--no-config-discovery',
    '--warnings-as-errors',
  ];
  return { code: await run(process.execPath, args) };
}

async function jest(project, ...options) {
  const results = path.join(root, '.data', `jest-${project}.json`);
  mkdirSync(path.dirname(results), { recursive: true });
  rmSync(results, { force: true });
  const program = path.join(root, 'node_modules/jest/bin/jest.js');
  // Something that a test left open must not keep the whole run from ending; plain `npx jest` says what it was.
  const args = [
    program,
    '--selectProjects',
    project,
    '--forceExit',
    '--json',
    '--outputFile',
    results,
    ...options,
  ];
  // With --json jest also prints the results on stdout, which --outputFile does not stop.
  const code = await run(process.execPath, args, { stdio: ['inherit', 'ignore', 'inherit'] });
  return { code, counts: readCounts(results) };
}

/** A test file that could not be run counts as one failed test. */
function readCounts(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // jest did not get as far as writing it
  }
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

/** Runs stages up to the first that fails. Resolves to what became of each. */
async function runStages(chosen) {
  const outcomes = [];
  for (const stage of chosen) {
    console.log(`\n=== ${stage.title} (${stage.name}) ===`);
    const start = Date.now();
    Object.assign(process.env, stage.env);
    const { code, counts } = await stage.run();
    outcomes.push({ stage, code, counts });
    console.log(
      `=== ${stage.name}: ${code === 0 ? 'passed' : `failed, exit code ${code}`} (${elapsed(start)}) ===`,
    );
    if (code !== 0) break;
  }
  return outcomes;
}

function summary(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { code, counts } of outcomes) {
    // A stage without counts fails as a whole, so that a failed run never ends in "0 failed".
    total.failed += code === 0 ? 0 : Math.max(1, counts?.failed ?? 0);
    total.passed += counts?.passed ?? 0;
    total.skipped += counts?.skipped ?? 0;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  return `${total.passed} passed, ${total.failed} failed${skipped}`;
}

/** The stages that `--only NAME` asks for, or all; null if the arguments are not understood. */
function chooseStages(args) {
  if (args.length === 0) return stages.filter(({ onlyAlone }) => !onlyAlone);
  const chosen = stages.filter(({ name }) => name === args[1]);
  return args.length === 2 && args[0] === '--only' && chosen.length === 1 ? chosen : null;
}

async function main() {
  const chosen = chooseStages(process.argv.slice(2));
  if (chosen === null) {
    process.stderr.write(`usage: npm test -- [--only ${stages.map(({ name }) => name).join('|')}]\n`);
    return 2;
  }
  const start = Date.now();
  await ensurePackages();
  if (chosen.some(({ name }) => name === 'e2e' || name === 'browser-replay')) {
    process.env.CHROME_PATH = await ensureBrowser('chrome');
    process.env.FIREFOX_PATH = await ensureBrowser('firefox');
  }
  if (process.env.CI === 'true' && chosen.some(({ name }) => name === 'unit'))
    say(`PostgreSQL for the collector's tests is in ${await ensurePostgresql()}`);
  if (process.env.CI === 'true' && chosen.some(({ name }) => name === 'e2e')) await ensureXvfb();
  const outcomes = await runStages(chosen);
  const skippedStages = chosen.slice(outcomes.length).map(({ name }) => name);
  console.log(
    `\nTook ${elapsed(start)}.${skippedStages.length > 0 ? ` Not run: ${skippedStages.join(', ')}.` : ''}`,
  );
  console.log(summary(outcomes));
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0;
}

void exitWith(main);
