import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';

const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-apt-'));
const calls = path.join(folder, 'calls');

beforeAll(() => {
  // Takes the place of the real one, which would change this machine.
  writeFileSync(path.join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> '${calls}'\n`, { mode: 0o755 });
});
beforeEach(() => rmSync(calls, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

interface Setting {
  readonly terminal: boolean;
  readonly answer?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly before?: string;
}

/** Installs a package as a set-up step does. With a terminal, `script` makes one and types the answer. */
async function install({ terminal, answer = '', environment = {}, before = '' }: Setting): Promise<{
  code: number | null;
  said: string;
  installed: boolean;
}> {
  const program = path.join(folder, 'install.mjs');
  const apt = path.join(root, 'scripts/apt.mjs');
  const console = path.join(root, 'scripts/console.mjs');
  writeFileSync(
    program,
    `import { aptInstall, installWithoutAsking } from '${apt}';
     import { exitWith } from '${console}';
     ${before}
     void exitWith(() => aptInstall('chromium'));`,
  );
  const [command, args] = terminal
    ? ['script', ['-qec', `'${process.execPath}' '${program}'`, '/dev/null']]
    : [process.execPath, [program]];
  const env = {
    ...process.env,
    CI: undefined,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    ...environment,
  };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  let hasAnswered = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (hasAnswered || !said.includes('[y/N]')) return;
      hasAnswered = true;
      child.stdin.write(answer);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  const installed = existsSync(calls) && readFileSync(calls, 'utf8').includes('install -y');
  return { code, said, installed };
}

const theQuestion = 'apt-get would install chromium, as root. Go on? [y/N]';

// `script` is part of every Debian, where apt-get is.
const onDebian = existsSync('/usr/bin/script') && existsSync('/usr/bin/apt-get') ? describe : describe.skip;

onDebian('apt-get at a terminal', () => {
  test('is run when the person says yes', async () => {
    const { code, said, installed } = await install({ terminal: true, answer: 'y\n' });
    expect(said).toContain(theQuestion);
    expect({ code, installed }).toEqual({ code: 0, installed: true });
  });

  test.each(['n\n', '\n'])(
    'is not run when the answer is %j, and the command to run is named',
    async (answer) => {
      const { code, said, installed } = await install({ terminal: true, answer });
      expect(said).toContain(theQuestion);
      expect(said).toContain('run "apt-get install chromium" yourself, or answer with yes');
      expect({ code, installed }).toEqual({ code: 1, installed: false });
    },
  );

  test.each<[string, Partial<Setting>]>([
    ['with --yes', { before: 'installWithoutAsking();' }],
    ['in CI', { environment: { CI: 'true' } }],
  ])('is run without a question %s', async (_name, setting) => {
    const { code, said, installed } = await install({ terminal: true, ...setting });
    expect(said).not.toContain('[y/N]');
    expect({ code, installed }).toEqual({ code: 0, installed: true });
  });
});

test('where nobody can be asked, it is run, and says so', async () => {
  const { code, said, installed } = await install({ terminal: false });
  expect(said).not.toContain('[y/N]');
  expect(said).toContain('installing chromium with apt-get');
  expect({ code, installed }).toEqual({ code: 0, installed: true });
});
