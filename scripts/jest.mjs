import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, run, say } from './console.mjs';
import { ensureOracles } from './oracles.mjs';
import { ensurePostgresql } from './postgresql.mjs';
import { ensureProgram, findProgram } from './programs.mjs';
import { ensureBrowser } from './setup.mjs';
import { listSlowAndFlaky } from './slow-and-flaky.mjs';

/** Finds or installs what tests need, and sets the environment that names it. */
export async function browsers() {
  process.env.CHROME_PATH = await ensureBrowser('chrome');
  process.env.FIREFOX_PATH = await ensureBrowser('firefox');
}

export async function postgresql() {
  if (process.env.CI === 'true')
    say(`PostgreSQL for the collector's tests is in ${await ensurePostgresql()}`);
}

/** Where they are missing, tests leave themselves out; in CI they do not. */
export async function programs() {
  if (process.env.CI === 'true') {
    await ensureProgram('Xvfb', 'xvfb');
    await ensureProgram('nginx', 'nginx-light');
    await ensureProgram('chromedriver', 'chromium-driver');
  }
  const driver = findProgram('chromedriver');
  if (driver !== undefined) process.env.CHROMEDRIVER_PATH ??= driver;
}

export const oracles = () => ensureOracles('accounting');

/** Runs projects of jest. Resolves to its exit code and what it found; `counts` is missing if jest stopped before it could say. */
export async function jest(projects, ...options) {
  // Another run may be under way.
  const results = path.join(root, '.data', `jest-${projects.join('-')}-${randomUUID()}.json`);
  mkdirSync(path.dirname(results), { recursive: true });
  const program = path.join(root, 'node_modules/jest/bin/jest.js');
  const args = [program, '--selectProjects', ...projects, '--json', '--outputFile', results, ...options];
  // With --json jest also prints the results on stdout, even with --outputFile.
  const code = await run(process.execPath, args, { stdio: ['inherit', 'ignore', 'inherit'] });
  const found = readResults(results);
  rmSync(results, { force: true });
  const flaky = listSlowAndFlaky(found.files ?? []);
  const counts = found.counts === undefined ? undefined : { ...found.counts, flaky };
  // One that ends without a word has not passed, whatever it says: another program may have ended it.
  return { code: counts === undefined ? code || 1 : code, ...found, counts };
}

/** A test file that could not run counts as one failed test. */
function readResults(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // jest stopped before writing it
  }
  const counts = {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
  return { counts, files: results.testResults };
}
