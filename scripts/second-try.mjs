/** Above so many, it is not by chance that they fail. */
const MOST_FILES = 5;

/**
 * The test files in browsers to run a second time. A whole file, because a test leaves behind what its second try would count: requests at a
 * server, a browser's cache, a folder, a browser that was killed.
 * @param files of Jest's results, as JSON
 * @returns none if too many failed
 */
export function filesToRunAgain(files) {
  const failed = files.filter(({ name, status }) => status === 'failed' && isInBrowser(name));
  return failed.length <= MOST_FILES ? failed.map(({ name }) => name) : [];
}

const isInBrowser = (name) => /[\\/](test[\\/](e2e|journeys)|scenarios[\\/]examples)[\\/]/.test(name);

/** The results with those of second runs in their place. A test that failed only in the first has the error as its `firstError`. */
export function withSecondTries(files, again) {
  return files.map((file) => {
    const second = again.find(({ name }) => name === file.name);
    return second === undefined ? file : { ...second, assertionResults: comparedTests(file, second) };
  });
}

function comparedTests(first, second) {
  const errors = new Map(
    first.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, failureMessages[0]]),
  );
  const tests = second.assertionResults.map((test) => ({ ...test, firstError: errors.get(test.fullName) }));
  if (errors.size > 0 || second.status !== 'passed') return tests;
  // The file could not run, or left something open.
  const one = tests.findIndex(({ status }) => status === 'passed');
  return tests.map((test, index) => (index === one ? { ...test, firstError: first.message } : test));
}

/** How many tests came to which end. A file that could not run, or left something open, counts as one failed test. */
export function countTests(files) {
  const all = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...ends) => all.filter(({ status }) => ends.includes(status)).length;
  const broken = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: count('passed'),
    failed: count('failed') + broken.length,
    skipped: count('pending', 'skipped', 'todo', 'disabled'),
  };
}
