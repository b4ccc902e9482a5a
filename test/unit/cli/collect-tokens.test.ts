import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from '../../../cli/main';
import { newTokenKey, TokenTrial } from '../helpers/tokens';

let folder: string;
const trial = new TokenTrial();
let files: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cointoss-collect-'));
  trial.invite();
  files = await trial.files(folder);
});
afterAll(() => rm(folder, { recursive: true }));

async function collect(...args: readonly string[]): Promise<string> {
  const err: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  const code = await main(['collect', '--store', 'memory://', '--port', '0', ...args]);
  jest.restoreAllMocks();
  expect(code).toBe(2);
  return err.join('');
}

/** The options with another file for one of them. */
const withFile = (option: string, content: string): readonly string[] => {
  const file = path.join(folder, 'other');
  writeFileSync(file, content);
  chmodSync(file, 0o600);
  return files.map((value, index) => (files[index - 1] === option ? file : value));
};

test.each(['trial', 'token-keys', 'invitations'])('--tokens needs --%s', async (name) => {
  const at = files.indexOf(`--${name}`);
  const left = files.filter((_, index) => index !== at && index !== at + 1);
  expect(await collect(...left)).toContain(`collect: --tokens required: must come with --${name}`);
});

test('what tokens need is of no use without them', async () => {
  expect(await collect(...files.slice(2))).toContain(
    'collect: --trial: must come with --tokens required or --tokens optional',
  );
  expect(await collect('--tokens', 'maybe')).toMatch(/required.*optional.*off/);
});

test('the trial must be signed and have tokens, and its keys must be there', async () => {
  expect(await collect(...withFile('--trial', JSON.stringify(trial.document)))).toContain(
    'must be signed: cointoss trial --sign',
  );
  const stranger = newTokenKey().export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(await collect(...withFile('--token-keys', stranger))).toContain(
    'collect: --token-keys: the private key of period 1 of the trial is missing',
  );
  expect(await collect(...withFile('--token-keys', 'no key'))).toContain('must have private RSA keys (PEM)');
});

test('codes are not taken for their digests', async () => {
  const [code = ''] = trial.codes;
  expect(await collect(...withFile('--invitations', `\n${code}\n`))).toMatch(
    /other:2: must be a digest as cointoss trial --invitations prints it, not the code itself/,
  );
  expect(readFileSync(files.at(-1) ?? '', 'utf8')).not.toContain(code);
});
