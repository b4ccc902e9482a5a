import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../node/root';
import { execFileSync } from 'node:child_process';

interface Test {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
  readonly firstError?: string;
}
interface File {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly Test[];
}

const script = pathToFileURL(path.join(root, 'scripts/second-try.mjs')).href;

/** The module is not compiled for tests. */
function call(name: string, ...args: readonly (readonly File[])[]): unknown {
  const program = `
    const script = await import(${JSON.stringify(script)});
    console.log(JSON.stringify(script[${JSON.stringify(name)}](...JSON.parse(process.argv[1]))));`;
  const printed = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', program, JSON.stringify(args)],
    { encoding: 'utf8' },
  );
  return JSON.parse(printed);
}

const passed = (fullName: string): Test => ({ fullName, status: 'passed', failureMessages: [] });
const failed = (fullName: string, error: string): Test => ({
  fullName,
  status: 'failed',
  failureMessages: [error],
});

function file(name: string, ...assertionResults: readonly Test[]): File {
  const isFailed =
    assertionResults.length === 0 || assertionResults.some(({ status }) => status === 'failed');
  return { name, status: isFailed ? 'failed' : 'passed', message: `${name} is red`, assertionResults };
}

const browser = '/a/test/e2e/b.test.ts';
const node = '/a/test/unit/u.test.ts';

test('files in browsers that failed are run again, unless they are many', () => {
  const red = file(browser, failed('one', 'no'));
  const others = [file(node, failed('u', 'no')), file('/a/test/e2e/green.test.ts', passed('x'))];
  expect(call('filesToRunAgain', [red, ...others])).toEqual([browser]);
  const journeys = ['/a/test/journeys/j.test.ts', 'C:\\a\\scenarios\\examples\\jest.test.js'];
  expect(
    call(
      'filesToRunAgain',
      journeys.map((name) => file(name)),
    ),
  ).toEqual(journeys);
  const many = Array.from({ length: 6 }, (_, index) => file(`/a/test/e2e/${index}.test.ts`));
  expect(call('filesToRunAgain', many)).toEqual([]);
});

test('the second try counts, and what the first failed of is named', () => {
  const first = [file(node, passed('u')), file(browser, failed('one', 'first'), passed('two'))];
  const again = [file(browser, passed('one'), failed('two', 'then'))];
  const merged = call('withSecondTries', first, again) as readonly File[];
  expect(merged).toEqual([
    first[0],
    { ...again[0], assertionResults: [{ ...passed('one'), firstError: 'first' }, failed('two', 'then')] },
  ]);
  expect(call('countTests', merged)).toEqual({ passed: 2, failed: 1, skipped: 0 });
});

test('a file that could not run fails, and is named by its message if it can in the second try', () => {
  const broken = [file(browser)];
  expect(call('countTests', broken)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  const merged = call('withSecondTries', broken, [
    file(browser, passed('one'), passed('two')),
  ]) as readonly File[];
  expect(merged[0]?.assertionResults).toEqual([
    { ...passed('one'), firstError: `${browser} is red` },
    passed('two'),
  ]);
  const skipped = { ...passed('zero'), status: 'pending' };
  const after = call('withSecondTries', broken, [file(browser, skipped, passed('one'))]) as readonly File[];
  expect(after[0]?.assertionResults).toEqual([
    skipped,
    { ...passed('one'), firstError: `${browser} is red` },
  ]);
  expect(call('withSecondTries', broken, broken)).toEqual(broken);
  expect(call('withSecondTries', broken, [])).toEqual(broken);
});
