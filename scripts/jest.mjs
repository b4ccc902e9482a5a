import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, run, say } from './console.mjs';
import { ensureOracles } from './oracles.mjs';
import { ensurePostgresql } from './postgresql.mjs';
import { ensureProgram, findProgram } from './programs.mjs';
import { countTests, filesToRunAgain, withSecondTries } from './second-try.mjs';
import { ensureBrowser } from './setup.mjs';
import { listSlowAndFlaky, removeLeftResults } from './slow-and-flaky.mjs';

/** Finds or installs what tests need, and sets the environment that names it. */
export async function browsers() {
  process.env.CHROME_PATH = await ensureBrowser('chrome');
  process.env.FIREFOX_PATH = await ensureBrowser('firefox');
}

/** @param isNeeded whether tests fail without it, and do not leave out what needs a server */
export async function postgresql(isNeeded = process.env.CI === 'true') {
  if (isNeeded) say(`PostgreSQL for the collector's tests is in ${await ensurePostgresql()}`);
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
  return listed(await runJest(projects, options));
}

/**
 * As `jest`, where test files in browsers that failed are run once more when all others have ended: on a busy machine a browser sometimes
 * loads a page twice or takes the focus away.
 * @param workers how many files run at once, the first time
 */
export async function jestWithSecondTry(projects, workers, ...options) {
  const first = await runJest(projects, [`--maxWorkers=${workers}`, ...options]);
  const again = filesToRunAgain(first.files ?? []);
  if (again.length === 0) return listed(first);
  console.log(`\nOnce more, in new browsers: ${again.map((name) => path.relative(root, name)).join(', ')}`);
  const second = await runJest(['e2e'], ['--maxWorkers=1', ...options, '--runTestsByPath', ...again]);
  const files = withSecondTries(first.files, second.files ?? []);
  return listed({ code: countTests(files).failed === 0 ? second.code : first.code, files });
}

function listed({ code, files }) {
  if (files === undefined) return { code: code || 1 };
  const flaky = listSlowAndFlaky(files);
  return { code, files, counts: { ...countTests(files), flaky } };
}

/** `files` are missing if jest ended without a word, whatever its code says: another program may have ended it. */
async function runJest(projects, options) {
  // Another run may be under way.
  const folder = path.join(root, '.data');
  const results = path.join(folder, `jest-${projects.join('-')}-${randomUUID()}.json`);
  mkdirSync(folder, { recursive: true });
  removeLeftResults(folder);
  const program = path.join(root, 'node_modules/jest/bin/jest.js');
  const args = [program, '--selectProjects', ...projects, '--json', '--outputFile', results, ...options];
  // With --json jest also prints the results on stdout, even with --outputFile.
  const code = await run(process.execPath, args, { stdio: ['inherit', 'ignore', 'inherit'] });
  try {
    return { code, files: JSON.parse(readFileSync(results, 'utf8')).testResults };
  } catch {
    return { code };
  } finally {
    rmSync(results, { force: true });
  }
}
