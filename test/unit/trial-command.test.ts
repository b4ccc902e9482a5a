import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from '../../cli/main';
import { trialCommand } from '../../cli/trial';
import manifest from '../../manifest.json';

const root = path.resolve(__dirname, '../..');
const example = path.join(root, 'docs/field-trial/trial.json');
let folder: string;

beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'cointoss-trial-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the example of the documentation is a trial', () => {
  expect(trialCommand(example, {})).toMatchObject({
    id: 'ad-recall-2027',
    settings: { collector: 'https://collector.uni.example', deliveryProfile: 'lossless', rules: [] },
    start: '2027-01-03T23:00:00.000Z',
    end: '2027-03-31T18:00:00.000Z',
  });
});

test.each([
  [
    '2001-03-31T18:00:00Z',
    [expect.stringMatching(/^cointoss: .*trial\.json: end: is in the past[^\n]*\n$/) as string],
  ],
  ['9001-03-31T18:00:00Z', []],
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

test('a policy holds the trial as one text, for the extension that it is meant for', () => {
  const document = JSON.parse(readFileSync(example, 'utf8')) as unknown;
  const id = 'abcdefghijklmnopabcdefghijklmnop';
  const chrome = trialCommand(example, { policy: 'chrome', extensionId: id }) as {
    '3rdparty': { extensions: Record<string, { trial: string }> };
  };
  expect(Object.keys(chrome['3rdparty'].extensions)).toEqual([id]);
  expect(JSON.parse(chrome['3rdparty'].extensions[id]?.trial ?? '')).toEqual(document);
  const firefox = trialCommand(example, { policy: 'firefox' }) as {
    policies: { '3rdparty': { Extensions: Record<string, { trial: string }> } };
  };
  const { id: gecko } = manifest.browser_specific_settings.gecko;
  expect(JSON.parse(firefox.policies['3rdparty'].Extensions[gecko]?.trial ?? '')).toEqual(document);
});

test.each(['my-trial@uni.example', '@uni.example', '{daf44bf7-a45e-4450-979c-91cf07434c3d}'])(
  'the policy for Firefox names the extension %s if told to',
  (extensionId) => {
    const firefox = trialCommand(example, { policy: 'firefox', extensionId }) as {
      policies: { '3rdparty': { Extensions: Record<string, unknown> } };
    };
    expect(Object.keys(firefox.policies['3rdparty'].Extensions)).toEqual([extensionId]);
  },
);

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
    '--extension-id: needs --policy',
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
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message === '' ? `cointoss: ${file}: ` : message);
});
