import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { main } from '../../../cli/main';
import { openOutput } from '../../../cli/io/output';
import { root } from '../../../node/root';
import { useCommands } from '../helpers/command';

const DAY = 24 * 3_600_000;
const trial = {
  ...(JSON.parse(fs.readFileSync(path.join(root, 'docs/field-trial/trial.json'), 'utf8')) as object),
  start: undefined,
};
const { out, err, pathOf, file } = useCommands();

const modeOf = (name: string): number => fs.statSync(pathOf(name)).mode & 0o777;

/** A file that nobody may write to, and a link to it with this name. */
function plantLink(name: string): () => string {
  const victim = file('victim', 'precious');
  fs.symlinkSync(victim, pathOf(name));
  return () => fs.readFileSync(victim, 'utf8');
}

let umask = 0;
beforeEach(() => (umask = process.umask(0o022)));
afterEach(() => process.umask(umask));

const impression = {
  user: 'a',
  timestamp: '0',
  registration_request: {
    context_origin: 'https://news.example',
    'Attribution-Reporting-Eligible': 'event-source',
  },
  responses: [
    {
      url: 'https://ads.example/s',
      response: {
        'Attribution-Reporting-Register-Source': {
          source_event_id: '1',
          destination: 'https://shop.example',
        },
      },
    },
  ],
};

/** Commands that write X, as functions of it. */
const writers: Readonly<Record<string, (x: string) => readonly string[]>> = {
  generate: (x) => ['generate', '--users', '2', '--output', x],
  simulate: (x) => ['simulate', '--input', file('log', [impression]), '--output', x, '--threads', '1'],
  'simulate to CSV': (x) => [
    'simulate',
    '--input',
    file('log', [impression]),
    '--output',
    x,
    '--threads',
    '1',
  ],
  'aggregate --new-key': (x) => ['aggregate', '--new-key', x],
  'optimize --svg': (x) =>
    `optimize --values 0,5,10,50,100 --prior 0.9,0.05,0.03,0.015,0.005 --svg ${x}`.split(' '),
};

describe.each(Object.entries(writers))('%s', (name, argv) => {
  const x = name.includes('CSV') ? 'x.csv' : 'x';

  test.each(['', '.unfinished', '.new', '.checkpoint', '.checkpoint.new'])(
    'follows no link at its output’s name + "%s"',
    async (ending) => {
      // A link in the place of the keys is followed to read them.
      if (ending === '' && name.includes('key')) return;
      const victim = plantLink(`${x}${ending}`);
      expect([await main(argv(pathOf(x))), err.join('')]).toEqual([0, expect.any(String)]);
      expect(victim()).toBe('precious');
      expect(fs.lstatSync(pathOf(x)).isFile()).toBe(true);
    },
  );

  test('writes into no file of another mode that waits under a name of its own', async () => {
    process.umask(0o022);
    for (const ending of ['.unfinished', '.new']) {
      fs.writeFileSync(pathOf(x + ending), '');
      fs.chmodSync(pathOf(x + ending), 0o666);
    }
    expect(await main(argv(pathOf(x)))).toBe(0);
    expect(modeOf(x).toString(8)).toBe(name.includes('key') ? '600' : '644');
  });

  test('leaves nothing beside its output', async () => {
    expect(await main(argv(pathOf(x)))).toBe(0);
    expect(fs.readdirSync(pathOf('')).filter((one) => one !== 'log')).toEqual([x]);
  });

  if (!name.includes('key'))
    test('keeps the mode of the file that it replaces', async () => {
      file(x, '');
      fs.chmodSync(pathOf(x), 0o600);
      expect(await main(argv(pathOf(x)))).toBe(0);
      expect(modeOf(x)).toBe(0o600);
    });
});

test('a notebook replaces a link in the place of cointoss.py', async () => {
  file('reports.csv', 'a\n');
  const victim = plantLink('cointoss.py');
  expect(await main(['notebook', pathOf('')])).toBe(0);
  expect(victim()).toBe('precious');
  expect(fs.readFileSync(pathOf('cointoss.py'), 'utf8')).toContain('import pandas');
});

test.each([0, 0o022])('a private key is for its owner alone under umask %o', async (mask) => {
  process.umask(mask);
  expect(await main(['aggregate', '--new-key', pathOf('keys.json')])).toBe(0);
  expect(modeOf('keys.json')).toBe(0o600);
});

const secrets: Readonly<Record<string, (x: string) => readonly string[]>> = {
  'trial --new-key': (x) => ['trial', '--new-key', x],
  'trial --new-token-keys': (x) => [
    'trial',
    file('trial.json', JSON.stringify({ ...trial, end: new Date(Date.now() + DAY).toISOString() })),
    '--new-token-keys',
    x,
  ],
  'trial --codes': (x) => ['trial', '--invitations', '2', '--codes', x],
};

test.each(Object.entries(secrets))('%s follows no link, and writes for the owner alone', async (_, argv) => {
  const victim = plantLink('x');
  expect([await main([...argv(pathOf('x'))]), err.join('')]).toEqual([
    2,
    expect.stringContaining('x: cannot be made'),
  ]);
  expect(victim()).toBe('precious');
  process.umask(0);
  expect(await main([...argv(pathOf('y'))])).toBe(0);
  expect(modeOf('y')).toBe(0o600);
});

describe('a file of secrets that others may read', () => {
  test.each([
    ['keys', (x: string) => ['aggregate', '--new-key', x]],
    ['token', (x: string) => ['collect', '--store', 'memory://', '--port', '0', '--token-file', x]],
  ])('is refused with the command that mends it: %s', async (name, argv) => {
    if (name === 'keys') await main(argv(pathOf("it's")));
    else file("it's", 'a token of sixteen characters');
    fs.chmodSync(pathOf("it's"), 0o644);
    expect(await main(argv(pathOf("it's")))).toBe(2);
    const message = err.join('');
    expect(message).toMatch(/must be open to its owner only, has mode 644; run: chmod go= /);
    execFileSync('sh', ['-c', message.replace(/^[^]*run: /, '')]);
    expect(modeOf("it's")).toBe(0o600);
  });
});

describe('an unfinished output', () => {
  const log = (): string =>
    file(
      'log',
      Array.from({ length: 50 }, (_, user) => ({ ...impression, user: `u${user}` })),
    );
  const argv = (): string[] => [
    'simulate',
    '--input',
    log(),
    '--output',
    pathOf('x'),
    '--threads',
    '1',
    '--resume',
  ];
  /** As a run that was stopped leaves it. */
  const checkpoint = { run: '', batches: 0, log: '', bytes: 0, sourcesBytes: 0, tally: [] };

  test.each([
    ['the checkpoint is a link', 'x.checkpoint', 'is a link'],
    ['the checkpoint has another name', 'x.checkpoint', 'has another name'],
    ['the checkpoint is a pipe', 'x.checkpoint', 'is no file'],
  ])('is not continued if %s', async (_what, name, problem) => {
    const real = file('elsewhere', checkpoint);
    if (problem === 'is a link') fs.symlinkSync(real, pathOf(name));
    else if (problem === 'is no file') execFileSync('mkfifo', [pathOf(name)]);
    else fs.linkSync(real, pathOf(name));
    expect(await main(argv())).toBe(2);
    expect(err.join('')).toContain(problem);
  });
});

describe('what is continued', () => {
  const carryOn = async (): Promise<void> => {
    const output = openOutput(pathOf('x'), { kept: 3, continuable: () => true });
    await output.append(Buffer.from('def'));
    await output.finish();
    await output.close();
  };

  test('is a file of one’s own', async () => {
    file('x.unfinished', 'abc and more');
    await carryOn();
    expect(fs.readFileSync(pathOf('x'), 'utf8')).toBe('abcdef');
  });

  test.each([
    ['a link', 'is a link', (real: string, name: string) => fs.symlinkSync(real, name)],
    ['a hard link', 'has another name', (real: string, name: string) => fs.linkSync(real, name)],
    ['a pipe', 'is no file', (_real: string, name: string) => void execFileSync('mkfifo', [name])],
    ['too short', 'must have the 3 bytes', (_real: string, name: string) => fs.writeFileSync(name, 'ab')],
  ])('is not %s', async (_what, problem, plant) => {
    const real = file('elsewhere', 'precious');
    plant(real, pathOf('x.unfinished'));
    await expect(carryOn()).rejects.toThrow(problem);
    expect(fs.readFileSync(real, 'utf8')).toBe('precious');
  });

  if (process.getuid?.() === 0)
    test('is not another user’s', async () => {
      fs.chownSync(file('x.unfinished', 'abcdef'), 65534, 65534);
      await expect(carryOn()).rejects.toThrow('belongs to user 65534');
    });
});

describe('an output that is no file', () => {
  test.each(['generate', 'optimize --svg'])('%s writes into a pipe of one’s own', async (name) => {
    execFileSync('mkfifo', [pathOf('pipe')]);
    const reader = fs.openSync(pathOf('pipe'), fs.constants.O_RDWR);
    try {
      expect(await main(writers[name]?.(pathOf('pipe')) ?? [])).toBe(0);
      expect(fs.lstatSync(pathOf('pipe')).isFIFO()).toBe(true);
      expect(fs.readSync(reader, Buffer.alloc(100))).toBeGreaterThan(10);
    } finally {
      fs.closeSync(reader);
    }
  });

  /** One of the test's own where it may make one, because root could replace that of the system. */
  const nullDevice = (): string => {
    if (process.getuid?.() !== 0) return '/dev/null';
    execFileSync('mknod', [pathOf('null'), 'c', '1', '3']);
    return pathOf('null');
  };

  test.each(['generate', 'simulate', 'optimize --svg'])('%s leaves a device what it is', async (name) => {
    const device = nullDevice();
    expect(await main(writers[name]?.(device) ?? [])).toBe(0);
    expect(fs.statSync(device).isCharacterDevice()).toBe(true);
  });

  test.each([
    [
      'a link to a pipe',
      () => {
        execFileSync('mkfifo', [pathOf('pipe')]);
        fs.symlinkSync('pipe', pathOf('x'));
      },
    ],
    ['a link to a device', () => fs.symlinkSync('/dev/null', pathOf('x'))],
    ['a folder', () => fs.mkdirSync(pathOf('x'))],
  ])('%s is refused', async (_what, plant) => {
    plant();
    for (const [name, argv] of Object.entries(writers))
      expect([name, await main(argv(pathOf(name.includes('CSV') ? 'x' : 'x')))]).toEqual([name, 2]);
    expect(
      err
        .join('')
        .split('\n')
        .filter((line) => !/^(cointoss: .*x: |$)/.test(line)),
    ).toEqual([]);
  });

  test('keys are not written into a device', async () => {
    expect(await main(['aggregate', '--new-key', nullDevice()])).toBe(2);
  });

  test('a circle of links is replaced', async () => {
    fs.symlinkSync('x', pathOf('x'));
    expect(await main(['generate', '--users', '1', '--output', pathOf('x')])).toBe(0);
    expect(fs.lstatSync(pathOf('x')).isFile()).toBe(true);
    expect(out).toEqual([]);
  });
});
