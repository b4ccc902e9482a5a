import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../../node/root';

/* Mistakes in calls of what `npm` runs. Each is told before anything is built or measured. */
test.each<[string, readonly string[], string, Readonly<Record<string, string>>?]>([
  [
    'npm start with an option that is none',
    ['scripts/start.mjs', '--onec'],
    'npm start: unknown option --onec (npm start -- --help lists them)',
  ],
  [
    'npm start with a browser that is none',
    ['scripts/start.mjs', '--browser', 'safari'],
    'npm start: --browser expects chrome or firefox, not safari',
  ],
  [
    'npm start with a path that leads nowhere',
    ['scripts/start.mjs', '--once'],
    'cointoss: $CHROME_PATH is /nowhere/chrome, which does not exist.',
    { CHROME_PATH: '/nowhere/chrome' },
  ],
  [
    'npm start with a folder as the browser',
    ['scripts/start.mjs', '--once', '--browser', 'firefox'],
    'cointoss: $FIREFOX_PATH is /, which is no program.',
    { FIREFOX_PATH: '/' },
  ],
  [
    'npm run soak with a test that is none',
    ['scripts/soak.mjs', 'nothing'],
    expect.stringMatching(/^cointoss: soak: there is no test nothing; there are .*\bfuzz\b/),
  ],
  [
    'npm run bench with a part that is none',
    ['node_modules/tsx/dist/cli.mjs', 'bench/run.ts', 'nothing'],
    expect.stringMatching(/^bench: there is no part nothing; there are .*\bstart\b/),
  ],
  [
    'npm run session with a browser that is none',
    ['node_modules/tsx/dist/cli.mjs', 'scenarios/demo/session.ts', '--browser', 'safari'],
    'session: --browser expects chrome or firefox, not safari',
  ],
  [
    'npm run package with a URL that is none',
    ['scripts/package.mjs', '--url', 'uni.example'],
    'cointoss: package: --url: must be a URL that ends in "/", was "uni.example"',
  ],
  [
    'npm run archive into a folder that is not there',
    ['scripts/archive.mjs', '/nowhere/commands.zip'],
    expect.stringMatching(/^cointoss: archive: \/nowhere\/commands\.zip: cannot be written: ENOENT/),
  ],
])('%s is answered with exit code 2 and one line', (_what, args, message, environment = {}) => {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: path.resolve(root),
    env,
    encoding: 'utf8',
  });
  expect({ status, stdout, said: stderr.trimEnd() }).toEqual({ status: 2, stdout: '', said: message });
  expect(stderr.match(/\n/g)).toHaveLength(1);
});
