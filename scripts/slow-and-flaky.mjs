import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './console.mjs';
import { visible } from './visible.mjs';

/** How many of each are listed. */
const LISTED = 10;
/** What earlier runs in this folder found flaky. */
const history = path.join(root, '.data/flaky-tests.json');

/**
 * Prints the tests that took longest, and those that failed first and passed when they were tried again: of this run, and the last ones of
 * earlier runs in this folder. A retry keeps a run green, but must not hide that it was needed.
 * @param files of Jest's results, as JSON
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
    .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
    .map(({ title }) => `${day}  ${title}`);
  const all = [...flaky, ...earlierFlaky()].slice(0, LISTED);
  writeFileSync(history, JSON.stringify(all));
  print(`Tests that passed only when they were tried again: ${flaky.length} in this run`, all);
}

/** None if the list was not written to its end. */
function earlierFlaky() {
  try {
    return JSON.parse(readFileSync(history, 'utf8'));
  } catch {
    return [];
  }
}

function print(heading, lines) {
  console.log([`\n${heading}`, ...lines.map((line) => `  ${visible(line)}`)].join('\n'));
}
