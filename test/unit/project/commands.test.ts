import { commandGroups } from '../../../cli/commands';
import { main } from '../../../cli/main';
import { version } from '../../../package.json';
import { useCommands } from '../helpers/command';

const { out, err, pathOf, file } = useCommands();

const statesOfAnEvent = (): string[] => ['states', file('s.json', '{}'), '--source-type', 'event'];

const printed = (): unknown => JSON.parse(out.join(''));

/** A default navigation source, and a trigger an hour later. */
const scenario = (source: object = {}): object => ({
  input: {
    registrations: [
      {
        timestamp: '0',
        registration_request: {
          context_origin: 'https://news.example',
          'Attribution-Reporting-Eligible': 'navigation-source',
        },
        responses: [
          {
            url: 'https://ads.example/s',
            debug_permission: true,
            response: {
              'Attribution-Reporting-Register-Source': {
                destination: 'https://shop.example',
                debug_reporting: true,
                ...source,
              },
            },
          },
        ],
      },
      {
        timestamp: '3600000',
        registration_request: { context_origin: 'https://shop.example' },
        responses: [
          {
            url: 'https://ads.example/t',
            response: {
              'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{ trigger_data: '5' }] },
            },
          },
        ],
      },
    ],
  },
});

test.each([
  ['cointoss', []],
  ['cointoss sample', ['sample']],
])('%s alone says what there is', async (name, argv) => {
  expect(await main(argv)).toBe(2);
  expect(out).toEqual([]);
  expect(err.join('')).toMatch(new RegExp(`^Usage: ${name} .*\n[^]*\nCommands:\n( .*\n)+`));
});

test.each([
  [['states', '--help'], 'states [options] <file>', '--decode <state>'],
  [['help', 'states'], 'states [options] <file>', '--decode <state>'],
  [['help', 'sample', 'rr'], 'sample rr [options]', '--states <k>'],
])('%j shows the options of the command', async (argv, usage, option) => {
  expect(await main(argv)).toBe(0);
  expect(out.join('')).toMatch(`Usage: cointoss ${usage}\n`);
  expect(out.join('')).toContain(option);
});

const examples = Object.values(commandGroups).flatMap((commands) =>
  Object.values(commands).flatMap((command) => command.examples),
);

test.each(examples)('the example "%s" has options of its command', async (example) => {
  const [words = ''] = example.split(/ --| - /, 1);
  const nested = words.split(' ').filter((word) => /^[a-z0-9]+$/.test(word));
  // What is no command within is an argument.
  expect(await main([...nested, '--help'])).toBe(0);
  const [help = ''] = out.join('').split('\nExamples:');
  expect(help).not.toBe('');
  expect(example.match(/--[a-z-]+/g)?.filter((option) => !help.includes(`${option} `)) ?? []).toEqual([]);
});

test('the version is that of the package', async () => {
  expect(await main(['--version'])).toBe(0);
  expect(out).toEqual([`${version}\n`]);
  expect(err).toEqual([]);
});

describe('states', () => {
  // The exact digits are those of the specification's formulas at ε = 14, as other implementations print them.
  test.each([
    ['navigation', '2925', 0.0024263221679834087, 11.461727965384876],
    ['event', '3', 0.000002494582008677539, 1.584926511508231],
  ])('of a default %s source', async (type, states, rate, bits) => {
    expect(await main(['states', file('s.json', '{}'), '--source-type', type])).toBe(0);
    expect(printed()).toEqual({
      states,
      randomized_trigger_rate: rate,
      channel_capacity_bits: bits,
      epsilon: 14,
    });
  });

  test('decodes a state to reports, and encodes them back', async () => {
    const source = file('s.json', { trigger_specs: [{ trigger_data: [0], summary_buckets: [5, 9] }] });
    expect(await main(['states', source, '--source-type', 'navigation', '--decode', '4'])).toBe(0);
    const reports = file('reports.json', out.splice(0).join(''));
    expect(await main(['states', source, '--source-type', 'navigation', '--encode', reports])).toBe(0);
    expect(printed()).toEqual({ state: '4' });
  });
});

test('states says which fields of a source it does not know', async () => {
  const source = file('s.json', { epsilon: 3 });
  expect(await main(['states', source, '--source-type', 'event'])).toBe(0);
  expect(printed()).toMatchObject({ states: '3', epsilon: 14 });
  expect(err).toEqual([`cointoss: ${source}: epsilon: is not a known field\n`]);
});

describe('validate', () => {
  test('gives the registration with every default filled in', async () => {
    const header = file('s.json', { destination: 'https://shop.example' });
    expect(await main(['validate', header, '--source', '--source-type', 'event'])).toBe(0);
    expect(printed()).toMatchObject({
      errors: [],
      warnings: [],
      value: { expiry: 2_592_000, max_event_level_reports: 1, trigger_data: [0, 1], event_level_epsilon: 14 },
    });
  });

  test('exits 1 with every error', async () => {
    const header = file('t.json', { event_trigger_data: [{ priority: 1, trigger_data: 0 }] });
    expect(await main(['validate', header, '--trigger'])).toBe(1);
    const { errors, value } = printed() as { errors: { path: string }[]; value: unknown };
    expect(errors.map(({ path }) => path).sort()).toEqual([
      'event_trigger_data[0].priority',
      'event_trigger_data[0].trigger_data',
    ]);
    expect(value).toBeNull();
  });
});

describe('replay', () => {
  test('prints a line for each file, with its reports in the order of time', async () => {
    const files = [file('a.json', scenario()), file('b.json', scenario({ event_report_window: '86400' }))];
    expect(await main(['replay', ...files])).toBe(0);
    const lines = out.map((line) => JSON.parse(line) as { file: string; reports: { report_time: string }[] });
    expect(lines.map((line) => line.file)).toEqual(files);
    expect(lines.map(({ reports }) => reports.map(({ report_time: time }) => time))).toEqual([
      ['0', '172800000'],
      ['0', '86400000'],
    ]);
  });

  test('says where reports are not those that the file states, and exits 1', async () => {
    const stated = file('a.json', { ...scenario(), output: { reports: [] } });
    expect(await main(['replay', stated])).toBe(1);
    expect(out).toHaveLength(1);
    expect(err.join('')).toMatch(/a\.json: output\.reports: expected no report, got \{.*\n$/);
    const { reports } = printed() as { reports: readonly object[] };
    expect(await main(['replay', file('b.json', { ...scenario(), output: { reports } })])).toBe(0);
    expect(await main(['replay', '--noise', stated])).toBe(0);
  });

  test('says where histograms of W3C Attribution are not those that the file states, and where credit cannot be', async () => {
    const at = { site: 'shop.example', options: { histogramSize: 2 } };
    const calls = [
      { timestamp: '1000', call: 'saveImpression', site: 'news.example', options: { histogramIndex: 1 } },
      { timestamp: '2000', call: 'measureConversion', ...at },
    ];
    const input = { registrations: [], w3c: calls };
    const stated = (bucket: string): object => ({
      input,
      output: { reports: [], histograms: [{ time: '2000', site: at.site, histogram: { [bucket]: 1 } }] },
    });
    expect(await main(['replay', file('a.json', stated('1'))])).toBe(0);
    expect(printed()).toMatchObject({
      reports: [],
      histograms: [{ time: '2000', site: 'shop.example', caller: 'shop.example', histogram: { 1: 1 } }],
    });
    expect(await main(['replay', file('b.json', stated('0'))])).toBe(1);
    expect(err.join('')).toMatch(/b\.json: output\.histograms: expected \{.*"0":1.*, got \{.*"1":1/);
    const w3c = calls.map((call) => (call.timestamp === '1000' ? call : { ...call, credit: [2] }));
    expect(await main(['replay', file('c.json', { input: { ...input, w3c } })])).toBe(1);
    expect(err.join('')).toContain(
      'c.json: input.w3c[1].credit: must be 1 whole number with the sum 1, one for each impression that matches, was [2]; impressions may be missing; Cointoss draws it instead',
    );
  });

  test('says which fields it does not know, and goes on', async () => {
    const misspelt = file('a.json', {
      ...scenario(),
      ouput: { reports: [] },
      api_config: { max_sources: '3' },
      cointoss: { settings: { paussed: true } },
    });
    const spelt = file('b.json', scenario());
    expect(await main(['replay', misspelt, spelt])).toBe(0);
    expect(out).toHaveLength(2);
    expect(err).toEqual(
      ['api_config.max_sources', 'cointoss.settings.paussed', 'ouput'].map(
        (field) => `cointoss: ${misspelt}: ${field}: is not a known field\n`,
      ),
    );
  });

  test('takes its limits from default_config.json beside the file', async () => {
    file('default_config.json', { max_event_level_channel_capacity_navigation: '11' });
    expect(await main(['replay', file('a.json', scenario())])).toBe(0);
    // The default source has 11.46 bits, so that it is refused, and the debug report quotes the limit.
    expect(printed()).toMatchObject({
      reports: [{ payload: [{ type: 'source-channel-capacity-limit', body: { limit: 11 } }] }],
    });
  });
});

test.each([
  ['a file that is not there', (): string[] => ['replay', pathOf('none')], /none: cannot be read/],
  [
    'a file that is no JSON',
    (): string[] => ['replay', file('x.json', '{"a":\n 1,}')],
    /x\.json: must be JSON: line 2, column 4: a name in double quotes is missing$/m,
  ],
  [
    'a time that is no time',
    (): string[] => [
      'replay',
      file('x.json', { input: { registrations: [{ timestamp: 'soon', navigation: true }] } }),
    ],
    /x\.json: input\.registrations\[0\]\.timestamp: must be .*"soon"/,
  ],
  [
    'a source without a type',
    (): string[] => ['states', file('s.json', '{}')],
    /^cointoss: required option '--source-type <type>'/,
  ],
  [
    'a command that is none',
    (): string[] => ['stats'],
    /^cointoss: unknown command 'stats' \(Did you mean states\?\)\n/,
  ],
  [
    'a command that resembles none',
    (): string[] => ['frobnicate'],
    /^cointoss: unknown command 'frobnicate' \(--help lists them\)\n/,
  ],
  [
    'a mechanism that is none',
    (): string[] => ['sample', 'gamma', '--n', '3'],
    /^cointoss: unknown command 'gamma' \(--help lists them\)\n/,
  ],
  [
    'a misspelt option that must be given',
    (): string[] => ['simulate', '--inptu', 'log.ndjson', '--output', 'reports.ndjson'],
    /^cointoss: unknown option '--inptu' \(Did you mean --input\?\)\n/,
  ],
  [
    'a misspelt option of a command within a command',
    (): string[] => ['learn', 'data', '--input', 'log.csv', '--mpa', 'map.json', '--output', 'x'],
    /^cointoss: unknown option '--mpa' \(Did you mean --map\?\)\n/,
  ],
  [
    'nobody to find the shard of',
    (): string[] => ['shard', '--of', '4'],
    /^cointoss: shard: must have users/,
  ],
  [
    'settings to audit that are not there',
    (): string[] => ['audit', '--settings', pathOf('none')],
    /none: cannot be read/,
  ],
  [
    'a browser that is none',
    (): string[] => ['replay', '--browser', 'safari', file('x.json', '{}')],
    /argument 'safari' is invalid\. Allowed choices are chrome, firefox\./,
  ],
  [
    'a file as the store',
    (): string[] => ['collect', '--port', '0', '--store', file('store', '')],
    /^cointoss: collect: --store .*store: the store must be a folder or postgres:\/\/…, is a file\n/,
  ],
  [
    'a state to decode and one to encode',
    (): string[] => [...statesOfAnEvent(), '--decode', '1', '--encode', 'f'],
    /^cointoss: option '--decode <state>' cannot be used with option '--encode <file>'/,
  ],
  [
    'an ε that decides nothing',
    (): string[] => [...statesOfAnEvent(), '--decode', '1', '--epsilon', '1'],
    /^cointoss: option '--epsilon <epsilon>' cannot be used with option '--decode <state>'/,
  ],
  [
    'a trigger with the type of a source',
    (): string[] => ['validate', file('t.json', '{}'), '--trigger', '--source-type', 'event'],
    /^cointoss: option '--source-type <type>' cannot be used with option '--trigger'/,
  ],
  [
    'a state beyond the last',
    (): string[] => ['states', file('s.json', '{}'), '--source-type', 'event', '--decode', '3'],
    /--decode: state must be from 0 to 2, was 3/,
  ],
  [
    'neither --source nor --trigger',
    (): string[] => ['validate', file('s.json', '{}')],
    /--source and --trigger/,
  ],
])('%s is answered with exit code 2 and one line', async (_what, argv, message) => {
  expect(await main(argv())).toBe(2);
  expect(out).toEqual([]);
  expect(err.join('')).toMatch(message);
  expect(err.join('').match(/\n/g)).toHaveLength(1);
});
