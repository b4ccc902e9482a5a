import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from '../../../cli/main';
import { trialCommand } from '../../../cli/trial/trial';
import { invitationDigest } from '../../../collector/intake/issue-tokens';
import manifest from '../../../manifest.json';
import { jointly } from '../helpers/budgets';

const root = path.resolve(__dirname, '../../..');
const example = path.join(root, 'docs/field-trial/trial.json');
let folder: string;

beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'cointoss-trial-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the example of the documentation is a trial', async () => {
  expect(await trialCommand(example, {})).toMatchObject({
    id: 'ad-recall-2027',
    settings: { collector: 'https://collector.uni.example', deliveryProfile: 'lossless', rules: [] },
    start: '2027-01-03T23:00:00.000Z',
    end: '2027-03-31T18:00:00.000Z',
  });
});

/** ε over the whole trial depends on the periods until its end. */
const joint = (text: string): string =>
  expect.stringMatching(
    new RegExp(`^cointoss: .*trial\\.json: all event-level reports of one person.*: ${text}\\n$`),
  ) as string;

test.each<[string, Record<string, unknown>, string]>([
  ['as the example is', {}, 'ε = 4 \\(ε = 4 for all impressions in the one period of 182 days\\)'],
  [
    'by week and publisher',
    { unit: 'user-publisher', period: 7, epsilon: 12, cap: 4, joint: jointly(20, 12) },
    'ε = 260 \\(ε = 20 for all impressions in each of 13 periods of 7 days\\)',
  ],
])('the command says what all reports tell together, with a budget %s', async (_what, budget, text) => {
  const trial = JSON.parse(readFileSync(example, 'utf8')) as { settings: Record<string, unknown> };
  const own = trial.settings['budget'] as object;
  const file = path.join(folder, 'trial.json');
  writeFileSync(
    file,
    JSON.stringify({ ...trial, settings: { ...trial.settings, budget: { ...own, ...budget } } }),
  );
  expect((await run(file)).err).toMatch(new RegExp(`${text}\\n`));
});

test.each(['private', 'specification'])(
  'the command says where that does not hold: limits %s',
  async (limits) => {
    const trial = JSON.parse(readFileSync(example, 'utf8')) as { settings: Record<string, unknown> };
    const file = path.join(folder, 'trial.json');
    writeFileSync(file, JSON.stringify({ ...trial, settings: { ...trial.settings, limits } }));
    const { err } = await run(file);
    expect(/What is promised about noise does not hold once a limit is reached/.test(err)).toBe(
      limits === 'specification',
    );
  },
);

test.each<[string, number, string | null]>([
  // A period of 90 days ends on 2027-03-03.
  [
    'over two periods',
    90,
    'again on 2027-03-03T00:00:00.000Z, when a period of 90 days ends; .* a period of 102 days contains it',
  ],
  ['within one', 182, null],
])('a lift test that lies %s: the command warns of it', async (_what, period, text) => {
  const trial = JSON.parse(readFileSync(example, 'utf8')) as { settings: { budget: object } };
  const file = path.join(folder, 'trial.json');
  const settings = {
    ...trial.settings,
    budget: { ...trial.settings.budget, period },
    liftTest: { campaign: 'campaign', holdout: 0.5 },
  };
  writeFileSync(file, JSON.stringify({ ...trial, settings }));
  const { code, err } = await run(file);
  expect(code).toBe(0);
  if (text === null) expect(err).not.toContain('liftTest');
  else expect(err).toMatch(new RegExp(`settings\\.liftTest: .*${text}\\n`));
});

const notSigned = expect.stringMatching(/^cointoss: .*trial\.json: is not signed[^\n]*\n$/) as string;

test.each([
  [
    '2001-03-31T18:00:00Z',
    [notSigned, expect.stringMatching(/^cointoss: .*trial\.json: end: is in the past[^\n]*\n$/) as string],
  ],
  ['9001-03-31T18:00:00Z', [notSigned, joint('.*')]],
])('what is printed of a trial until %s is taken, and printed, again', async (end, said) => {
  const trial = JSON.parse(readFileSync(example, 'utf8')) as Record<string, unknown>;
  const file = path.join(folder, 'trial.json');
  writeFileSync(file, JSON.stringify({ ...trial, start: undefined, end }));
  const out: string[] = [];
  const err: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  expect(await main(['trial', file])).toBe(0);
  expect(err.splice(0)).toEqual(said);
  writeFileSync(file, out[0] ?? '');
  expect(await main(['trial', file])).toBe(0);
  jest.restoreAllMocks();
  expect(err).toEqual(said);
  expect(out).toHaveLength(2);
  expect(out[1]).toBe(out[0]);
});

test('a policy holds the trial as one text, for the extension that it is meant for', async () => {
  const document = JSON.parse(readFileSync(example, 'utf8')) as unknown;
  const id = 'abcdefghijklmnopabcdefghijklmnop';
  const chrome = (await trialCommand(example, { policy: 'chrome', extensionId: id })) as {
    '3rdparty': { extensions: Record<string, { trial: string }> };
  };
  expect(Object.keys(chrome['3rdparty'].extensions)).toEqual([id]);
  expect(JSON.parse(chrome['3rdparty'].extensions[id]?.trial ?? '')).toEqual(document);
  const firefox = (await trialCommand(example, { policy: 'firefox' })) as {
    policies: { '3rdparty': { Extensions: Record<string, { trial: string }> } };
  };
  const { id: gecko } = manifest.browser_specific_settings.gecko;
  expect(JSON.parse(firefox.policies['3rdparty'].Extensions[gecko]?.trial ?? '')).toEqual(document);
});

test.each(['my-trial@uni.example', '@uni.example', '{daf44bf7-a45e-4450-979c-91cf07434c3d}'])(
  'the policy for Firefox names the extension %s if told to',
  async (extensionId) => {
    const firefox = (await trialCommand(example, { policy: 'firefox', extensionId })) as {
      policies: { '3rdparty': { Extensions: Record<string, unknown> } };
    };
    expect(Object.keys(firefox.policies['3rdparty'].Extensions)).toEqual([extensionId]);
  },
);

/** Runs the command. */
async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  const code = await main(['trial', ...args]);
  jest.restoreAllMocks();
  return { code, out: out.join(''), err: err.join('') };
}

test('a field that is given twice is refused: another reader could take the other value', async () => {
  const file = path.join(folder, 'trial.json');
  const text = readFileSync(example, 'utf8').replace('"version"', '"version": 1, "version"');
  writeFileSync(file, text);
  const { code, err } = await run(file);
  expect(code).toBe(2);
  expect(err).toContain('trial.json: version: must be given once');
});

describe('a trial is signed', () => {
  const at = (name: string): string => path.join(folder, name);
  const fingerprintIn = (text: string): string | undefined =>
    /fingerprint ((?:[0-9a-f]{4} ?){8})/.exec(text)?.[1];

  test('with a new key, and says who signed it', async () => {
    const made = await run('--new-key', at('key.pem'));
    expect([made.code, made.out]).toEqual([0, '']);
    expect(statSync(at('key.pem')).mode & 0o777).toBe(0o600);
    const signing = await run(example, '--sign', at('key.pem'));
    expect(signing.code).toBe(0);
    writeFileSync(at('signed.json'), signing.out);
    const checked = await run(at('signed.json'));
    expect(checked).toMatchObject({ code: 0, err: expect.stringContaining('version 1') as string });
    const fingerprint = fingerprintIn(made.err);
    expect(fingerprint).toBeDefined();
    expect([fingerprintIn(signing.err), fingerprintIn(checked.err)]).toEqual([fingerprint, fingerprint]);
    // A change is signed anew.
    expect((await run(at('signed.json'), '--sign', at('key.pem'))).out).toBe(signing.out);
    writeFileSync(at('signed.json'), signing.out.replace('"version": 1', '"version": 2'));
    expect(await run(at('signed.json'))).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('signature.value: does not fit: the trial was changed') as string,
    });
    const again = await run(at('signed.json'), '--sign', at('key.pem'));
    expect(again.err).not.toContain('another key');
    await run('--new-key', at('other.pem'));
    expect((await run(at('signed.json'), '--sign', at('other.pem'))).err).toContain(
      'was signed with another key',
    );
  });

  test('with the policy that has it as it was signed', async () => {
    await run('--new-key', at('key.pem'));
    const { out } = await run(example, '--sign', at('key.pem'));
    writeFileSync(at('signed.json'), out);
    const policy = JSON.parse((await run(at('signed.json'), '--policy', 'firefox')).out) as object;
    expect(JSON.stringify(policy)).toContain(JSON.stringify(JSON.stringify(JSON.parse(out))).slice(1, -1));
  });

  test('and no key is ever overwritten, nor what a link leads to', async () => {
    await run('--new-key', at('key.pem'));
    const before = readFileSync(at('key.pem'), 'utf8');
    symlinkSync(at('nowhere'), at('link.pem'));
    for (const name of ['key.pem', 'link.pem'])
      expect(await run('--new-key', at(name))).toMatchObject({
        code: 2,
        err: expect.stringMatching(`${name}: cannot be made: .*EEXIST`) as string,
      });
    expect(readFileSync(at('key.pem'), 'utf8')).toBe(before);
  });

  test.each<[string, string, string]>([
    ['that is not there', '', 'none.pem: cannot be read'],
    ['that is none', 'hello', 'must have a private Ed25519 key (PEM)'],
    [
      'of another kind',
      generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'must have a private Ed25519 key (PEM)',
    ],
  ])('a key %s is refused', async (_what, content, message) => {
    const file = at(content === '' ? 'none.pem' : 'bad.pem');
    if (content !== '') writeFileSync(file, content, { mode: 0o600 });
    expect(await run(example, '--sign', file)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(message) as string,
    });
  });

  test.each([
    [[], 'trial: must have a file, or --new-key'],
    [[example, '--new-key', 'x.pem'], '--new-key: must be alone'],
    [[example, '--sign', 'x.pem', '--policy', 'firefox'], '--sign: must come without --policy'],
  ])('%j is refused', async (args, message) => {
    expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
  });
});

test.each<[string, string, readonly string[], string]>([
  [
    'no JSON',
    '{\n  "id": "x",\n}',
    [],
    'trial.json: must be JSON: line 3, column 1: a name in double quotes is missing\n',
  ],
  [
    'a comment',
    '{}\n// no\n',
    [],
    'trial.json: must be JSON: line 2, column 1: comments are not part of JSON\n',
  ],
  ['a field too many', '{"ends": 1}', [], ''],
  [
    'an id that is none',
    '',
    ['--policy', 'chrome', '--extension-id', 'cointoss@cointoss.example'],
    '--extension-id: must be 32',
  ],
  ['no id', '', ['--policy', 'chrome'], '--policy chrome: needs --extension-id, which must be 32'],
  ...['abcdefghijklmnopabcdefghijklmnop', 'a trial@uni.example', '{daf44bf7}', 'my-trial@', ''].map(
    (id): [string, string, readonly string[], string] => [
      `the id ${JSON.stringify(id)} for Firefox`,
      '',
      ['--policy', 'firefox', '--extension-id', id],
      '--extension-id: must be name@domain or {UUID}',
    ],
  ),
  [
    'an id without a policy',
    '',
    ['--extension-id', 'my-trial@uni.example'],
    '--extension-id: must come with --policy',
  ],
])('%s is exit code 2 and one line', async (_what, content, options, message) => {
  const file = content === '' ? example : path.join(folder, 'trial.json');
  if (content !== '') writeFileSync(file, content);
  const errors: string[] = [];
  const write = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => errors.push(String(text)) > 0);
  expect(await main(['trial', file, ...options])).toBe(2);
  write.mockRestore();
  const mistakes = errors.filter((line) => !line.includes('is not signed'));
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toContain(message === '' ? `cointoss: ${file}: ` : message);
});

test('the command makes keys for tokens: one for each 28 days until 60 days after the end', async () => {
  const [file, keys] = [path.join(folder, 'trial.json'), path.join(folder, 'token-keys.pem')];
  const end = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString();
  writeFileSync(
    file,
    JSON.stringify({ ...(JSON.parse(readFileSync(example, 'utf8')) as object), start: undefined, end }),
  );
  const { out } = await run(file, '--new-token-keys', keys, '--batch', '50');
  const made = JSON.parse(out) as { tokens: { batch: number; periods: object[]; until: string } };
  expect(made.tokens).toMatchObject({
    batch: 50,
    until: new Date(Date.parse(end) + 60 * 24 * 3_600_000).toISOString(),
  });
  expect(made.tokens.periods).toHaveLength(4);
  expect(readFileSync(keys, 'utf8').match(/BEGIN PRIVATE KEY/g)).toHaveLength(4);
  expect(statSync(keys).mode & 0o077).toBe(0);
  // Participants know the keys.
  expect((await run(file, '--new-token-keys', keys)).err).toMatch(/token-keys\.pem: cannot be made/);
  expect((await run(file, '--new-token-keys', path.join(folder, 'other'), '--batch', '0')).err).toMatch(
    /tokens\.batch: must be an integer from 1 to 500, was 0/,
  );
  expect(existsSync(path.join(folder, 'other'))).toBe(false);
});

test('the command makes invitation codes, and prints what the collector needs of them', async () => {
  const codes = path.join(folder, 'codes.txt');
  const { out } = await run('--invitations', '3', '--codes', codes);
  const lines = readFileSync(codes, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/);
  expect(out.trimEnd().split('\n')).toEqual(lines.map((code) => invitationDigest(code.replaceAll('-', ''))));
  expect(statSync(codes).mode & 0o077).toBe(0);
  expect((await run('--invitations', '3')).err).toMatch(/--invitations: must come with --codes/);
  expect((await run('--invitations', 'x', '--codes', 'y')).err).toMatch(
    /must be a whole number from 1 to 999999, was "x"/,
  );
});
