import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './console.mjs';
import { visible } from './visible.mjs';

/** How many of each are listed. */
const LISTED = 10;
/** How many lines of a first error. */
const ERROR_LINES = 12;
/** In ms. Another run may be under way, but none as long. */
const LONGEST_RUN = 86_400_000;
/** What earlier runs in this folder found flaky. */
const history = path.join(root, '.data/flaky-tests.json');

/**
 * Prints the tests that took longest, and those that failed first and passed when they were tried again, each with its first error: of this
 * run, and the last ones of earlier runs in this folder. A retry keeps a run green, but must not hide that it was needed, nor why.
 * @param files of Jest's results, as JSON
 * @returns how many of this run passed only when they were tried again
 */
export function listSlowAndFlaky(files) {
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, title: `${path.relative(root, name)}: ${test.fullName}` })),
  );
  const slowest = tests
    .filter(({ duration }) => duration > 0)
    .sort((a, b) => b.duration - a.duration)
    .slice(0, LISTED);
  print(
    'The slowest tests',
    slowest.map(({ duration, title }) => `${(duration / 1000).toFixed(1)} s  ${title}`),
  );
  const day = new Date().toISOString().slice(0, 10);
  const flaky = tests
    .filter(({ status, firstError }) => status === 'passed' && firstError !== undefined)
    .map(({ title, firstError }) => ({ title: `${day}  ${title}`, error: linesOf(firstError) }));
  const all = [...flaky, ...earlierFlaky()].slice(0, LISTED);
  // Another run may be reading or writing it.
  const written = `${history}.${randomUUID()}`;
  writeFileSync(written, JSON.stringify(all));
  renameSync(written, history);
  print(
    `Tests that passed only when they were tried again: ${flaky.length} in this run`,
    all.flatMap(({ title, error }) => [title, ...error.map((line) => `  ${line}`)]),
  );
  return flaky.length;
}

/** Its message, without the calls that led there. */
function linesOf(error) {
  const lines = stripVTControlCharacters(error).split('\n');
  const calls = lines.findIndex((line) => /^\s+at /.test(line));
  return lines
    .slice(0, calls === -1 ? undefined : calls)
    .filter((line) => line.trim() !== '')
    .slice(0, ERROR_LINES);
}

/** None before the first run. */
function earlierFlaky() {
  try {
    // A list of titles alone is from before errors were kept.
    return JSON.parse(readFileSync(history, 'utf8')).filter(({ error }) => error !== undefined);
  } catch {
    return [];
  }
}

/** Removes the results of runs that were killed. @param folder the one with all of them */
export function removeLeftResults(folder) {
  for (const name of readdirSync(folder).filter((file) => /^jest-.*\.json$/.test(file))) {
    const file = path.join(folder, name);
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - written > LONGEST_RUN) rmSync(file, { force: true });
  }
}

function print(heading, lines) {
  console.log([`\n${heading}`, ...lines.map((line) => `  ${visible(line)}`)].join('\n'));
}
