import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

/* Files as editors, spreadsheets and data frames write them, and what a command says of each. */

const { out, err, pathOf, file } = useCommands();

function bytes(name: string, content: Uint8Array | string): string {
  writeFileSync(pathOf(name), content);
  return pathOf(name);
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const header = '{"destination":"https://shop.example","filter_data":{"city":["München"]}}';

describe('a file that is not UTF-8', () => {
  test.each<[string, string, Uint8Array, readonly string[], RegExp]>([
    [
      'a header in Latin-1',
      'a.json',
      latin1(`\n${header}`),
      ['validate', '--source', 'FILE'],
      /line 2: must be UTF-8/,
    ],
    [
      'a header cut within a letter',
      'a.json',
      Buffer.from('{}ü').subarray(0, 3),
      ['validate', '--source', 'FILE'],
      /line 1: must be UTF-8/,
    ],
    [
      'JSON in Latin-1',
      'a.json',
      latin1(header),
      ['states', 'FILE', '--source-type', 'event'],
      /line 1: must be UTF-8/,
    ],
    [
      'compressed JSON',
      'a.json',
      gzipSync(header),
      ['states', 'FILE', '--source-type', 'event'],
      /is compressed with gzip; unpack it first/,
    ],
    [
      'CSV in Latin-1',
      'a.csv',
      latin1('a,b\n1,2\nü,2\n'),
      ['estimate', '--reports', 'FILE', '--sources', 'FILE'],
      /line 3: must be UTF-8/,
    ],
    [
      'NDJSON in Latin-1',
      'a.ndjson',
      latin1('\n{"user":"ü"}\n'),
      ['simulate', '--input', 'FILE', '--output', '-'],
      /line 2: must be UTF-8/,
    ],
    [
      'a log that Zstandard compressed, cut short',
      'log',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]),
      ['simulate', '--input', 'FILE', '--output', '-'],
      /log: cannot be read: /m,
    ],
    [
      'a log that bzip2 compressed, cut short',
      'log.bz2',
      Buffer.from('BZh91AY&SY'),
      ['simulate', '--input', 'FILE', '--output', '-'],
      /log\.bz2: is damaged bzip2: ends too early$/m,
    ],
    [
      'a log that xz compressed, cut short',
      'log.csv',
      Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
      ['simulate', '--input', 'FILE', '--output', '-'],
      /log\.csv: is damaged xz: ends too early$/m,
    ],
    [
      'a ZIP archive, cut short',
      'log.csv',
      Buffer.from([0x50, 0x4b, 3, 4, 0x14, 0]),
      ['estimate', '--reports', 'FILE', '--sources', 'FILE'],
      /log\.csv: is a damaged ZIP archive: ends too early$/m,
    ],
    [
      'a ZIP archive of two files',
      'log.zip',
      zipSync({ 'a.csv': Buffer.from('a\n'), 'b.csv': Buffer.from('a\n') }),
      ['estimate', '--reports', 'FILE', '--sources', 'FILE'],
      /log\.zip: is a ZIP archive of several files; unpack it first \(unzip\)$/m,
    ],
    [
      'a list without its end',
      'log.json',
      Buffer.from('[{"user":"a"},\n{"a":'),
      ['reach', '--sources', 'FILE'],
      /log\.json: line 2: must be a JSON list, which has no end$/m,
    ],
    [
      'a list with a comma too many',
      'log.json',
      Buffer.from('[{"user":"a"},\n]'),
      ['reach', '--sources', 'FILE'],
      /log\.json: line 2: must be JSON/m,
    ],
    [
      'a list that something follows',
      'log.json',
      Buffer.from('[]\n{"user":"a"}'),
      ['reach', '--sources', 'FILE'],
      /log\.json: line 2: must be one JSON list, goes on after its end$/m,
    ],
    [
      'Avro that ends too soon',
      'reports.json',
      Buffer.from('Obj\u0001\u0004'),
      ['estimate', '--reports', 'FILE', '--sources', 'FILE'],
      /reports\.json: cannot be read: it is cut off$/m,
    ],
    [
      'compressed Avro',
      'reports.gz',
      gzipSync('Obj\u0001\u0004'),
      ['estimate', '--reports', 'FILE', '--sources', 'FILE'],
      /reports\.gz: .*is Avro; give it as a file, not compressed$/m,
    ],
    [
      'compressed Parquet',
      'log.gz',
      gzipSync('PAR1\u0015'),
      ['simulate', '--input', 'FILE', '--output', '-'],
      /log\.gz: what is in it is Parquet; give it as a file, not compressed$/m,
    ],
  ])('%s is named, and none of its bytes shown', async (_what, name, content, call, message) => {
    const path = bytes(name, content);
    expect(await main(call.map((word) => word.replace('FILE', path)))).toBe(2);
    expect(out).toEqual([]);
    expect(err.join('')).toMatch(message);
    expect(err.join('').replaceAll(path, '')).not.toMatch(/[^\0-\x7f]|u00|ufffd/);
  });

  test.each([
    ['a\n"x"y\n', 'line 2: must be CSV: a cell goes on after its closing quote'],
    ['a\nx"y\u001b[31m\n', 'line 2: must be CSV: a quote is within a cell that does not begin with one'],
    ['a\n"x\u009b\n', 'line 2: must be CSV: a quoted cell has no end'],
  ])('the mistake of %j is told without its text', async (content, message) => {
    const name = bytes('a.csv', content);
    expect(await main(['estimate', '--reports', name, '--sources', name])).toBe(2);
    expect(err.join('')).toBe(`cointoss: ${name}: ${message}\n`);
  });
});

describe('a byte order mark', () => {
  const source = {
    registration_request: { context_origin: 'https://a.example' },
    responses: [{ url: 'https://ads.example/x', response: {} }],
  };

  const logged = `${JSON.stringify({ user: 'u', timestamp: '1', ...source })}\n`;

  test('of UTF-16 is that of UTF-8, as PowerShell writes JSON', async () => {
    const said = [];
    for (const content of [header, Buffer.from(`\ufeff${header}`, 'utf16le')])
      said.push([await main(['states', bytes('a.json', content), '--source-type', 'event']), out.splice(0)]);
    expect(said[0]?.[0]).toBe(0);
    expect(said[1]).toEqual(said[0]);
  });

  test.each<[string, string, readonly string[]]>([
    ['a scenario', '{"input":{"registrations":[]}}', ['replay', 'FILE']],
    ['a configuration', '{}', ['states', 'FILE', '--source-type', 'event']],
    ['settings', '{}', ['simulate', '--settings', 'FILE', '--input', 'LOG', '--output', '-']],
    ['a log', logged, ['simulate', '--input', 'FILE', '--output', '-']],
  ])('changes nothing of %s', async (_what, content, call) => {
    const said = [];
    for (const mark of ['', '\ufeff']) {
      const files = new Map([
        ['FILE', bytes('a', mark + content)],
        ['LOG', bytes('log', logged)],
      ]);
      const code = await main(call.map((word) => files.get(word) ?? word));
      said.push([code, out.splice(0).join(''), err.splice(0).join('')]);
    }
    expect(said[0]?.[0]).toBe(0);
    expect(said[1]).toEqual(said[0]);
  });

  test('of a header is refused and named', async () => {
    const name = bytes('header', `\ufeff${header}`);
    expect(await main(['validate', '--source', name])).toBe(1);
    expect(JSON.parse(out.join(''))).toMatchObject({ value: null });
    expect(err.join('')).toBe(
      `cointoss: ${name}: begins with a byte order mark, with which no header may begin\n`,
    );
  });
});

test('JSON with a long blank is refused before it takes 32 times its memory', async () => {
  const name = bytes('a.json', `{${' \t'.repeat(1e6)}x}`);
  expect(await main(['states', name, '--source-type', 'event'])).toBe(2);
  expect(err.join('')).toBe(`cointoss: ${name}: must be JSON: more than 1048576 blanks in a row\n`);
});

describe('a map whose event no row makes', () => {
  const map = {
    user: 'uid',
    events: [
      {
        when: { click: '1', shown: ['1', 'yes'] },
        time: 'time',
        event: {
          registration_request: { context_origin: 'https://a.example' },
          responses: [{ url: 'https://ads.example/x', response: {} }],
        },
      },
      {
        when: { click: '0' },
        time: 'time',
        event: {
          registration_request: { context_origin: 'https://a.example' },
          responses: [{ url: 'https://ads.example/x', response: {} }],
        },
      },
    ],
  };
  const simulated = async (expected: number, ...rows: readonly string[]): Promise<string> => {
    const input = file('log.csv', ['uid,time,click,shown', ...rows, ''].join('\n'));
    const code = await main([
      'simulate',
      '--map',
      file('map.json', map),
      '--unsorted',
      '--input',
      input,
      '--output',
      '-',
      '--threads',
      '1',
    ]);
    expect(code).toBe(expected);
    return err.join('');
  };

  test.each<[string, readonly string[], readonly string[]]>([
    ['rows make both', ['u,1,1,1', 'u,2,0,1'], []],
    ['flags are floats', ['u,1,1.0,1.00', 'u,2,0.0,1'], []],
    ['flags are words', ['u,1,True,True', 'u,2,False,1'], []],
    [
      'another decimal',
      ['u,1,1.5,1', 'u,1,0,1'],
      ['events[0]: no row makes it: column "click" must be "1", was "1.5" or "0"'],
    ],
    [
      'each condition is met, but never all',
      ['u,1,1,no', 'u,2,0,yes'],
      ['events[0]: no row makes it: no row meets all its conditions at once'],
    ],
    ['there is no row', [], []],
  ])('is named where %s', async (_what, rows, messages) => {
    const said = (await simulated(messages.length === 0 ? 0 : 2, ...rows))
      .split('\n')
      .filter((line) => line.includes('no row'));
    expect(said.filter((line) => line.includes('makes it'))).toEqual(
      messages.map((message) => `cointoss: ${pathOf('map.json')}: ${message}`),
    );
  });
});

describe('reports that fit no source', () => {
  const source = {
    source_event_id: '14129308857638348649',
    reporting_origin: 'https://ads.example',
    destination: 'https://shop.example',
    source_type: 'event',
    time: '2026-01-10T00:00:00Z',
    registration: { max_event_level_reports: 3 },
  };
  const report = (id: string): object => ({
    report_time: '1770595200000',
    report_url: 'https://ads.example/.well-known/attribution-reporting/report-event-attribution',
    payload: {
      attribution_destination: 'https://shop.example',
      // 10/(9 + e^14): so many outputs have three reports with two trigger data and one window.
      randomized_trigger_rate: 0.0000083,
      report_id: `d1742dbe-3651-406e-87e0-c654bcf031${id}`,
      scheduled_report_time: '1770595200',
      source_event_id: source.source_event_id,
      source_type: 'event',
      trigger_data: '1',
    },
  });
  const reports = ['01', '02', '03'].map(report);

  async function estimated(
    sources: readonly object[],
    expected: number,
  ): Promise<{ readonly intervals: unknown[]; readonly estimates: unknown[]; readonly said: string }> {
    expect(
      await main([
        'estimate',
        '--reports',
        file('reports.ndjson', reports),
        '--sources',
        file('sources.ndjson', sources),
      ]),
    ).toBe(expected);
    const intervals = [...out.join('').matchAll(/"interval":(\[[^\]]*\])/g)].map(
      ([, text = '']) => JSON.parse(text) as unknown,
    );
    expect(intervals.length).toBeGreaterThan(2);
    const estimates = [
      ...out
        .splice(0)
        .join('')
        .matchAll(/"(?:estimate|unbiased)":([^,]*),/g),
    ].map(([, text = '']) => JSON.parse(text) as unknown);
    return { intervals, estimates, said: err.splice(0).join('') };
  }

  test.each([
    [
      'ids went through floating-point numbers',
      { source_event_id: '14129308857638348800' },
      /3 of 3 reports belong to no source/,
    ],
    ['times are wrong', { time: '2020-01-10T00:00:00Z' }, /3 of 3 reports do not fit their source/],
  ])('because %s are told, and no interval claims 0', async (_what, mistake, message) => {
    const { intervals, estimates, said } = await estimated([{ ...source, ...mistake }], 2);
    expect(said).toMatch(message);
    expect(said).toMatch(/no report could be used/);
    expect(new Set(intervals.map((interval) => JSON.stringify(interval)))).toEqual(new Set(['[null,null]']));
    expect(new Set(estimates)).toEqual(new Set([null]));
    const files = ['--reports', pathOf('reports.ndjson'), '--sources', pathOf('sources.ndjson')];
    expect(await main(['estimate', ...files, '--table'])).toBe(2);
    const shown = out.splice(0).find((line) => line.trim().startsWith('conversions '));
    expect(shown?.trim()).toMatch(/^conversions +0 +none +none /);
    expect(await main(['estimate', ...files, '--output', pathOf('rows.ndjson')])).toBe(2);
    const rows = readFileSync(pathOf('rows.ndjson'), 'utf8').trim().split('\n');
    const problems = rows.map((row) => (JSON.parse(row) as { problem: unknown }).problem);
    expect(new Set(problems)).toEqual(new Set(['unjoined']));
  });

  test('and others that do have intervals', async () => {
    const { intervals, estimates, said } = await estimated([source], 0);
    expect(said).toBe('');
    expect(intervals).not.toContainEqual([null, null]);
    expect(estimates).not.toContain(null);
  });

  test('groups that differ only in how their names are written are named', async () => {
    const names = [
      '300',
      '300.0',
      'Shoes',
      'shoes ',
      '',
      'nan',
      '301',
      ...['', ' ', '  '].map((end) => `SHOES${end}`),
    ];
    const rows = names.map((campaign, index) => ({ ...source, source_event_id: String(index), campaign }));
    const files = ['--reports', file('reports.ndjson', reports), '--sources'];
    const log = file('sources.ndjson', [...rows, source]);
    expect(await main(['estimate', ...files, log, '--group-by', 'campaign'])).toBe(0);
    const said = err.splice(0).join('');
    for (const alike of ['"300", "300.0"', '"SHOES", "SHOES ", "SHOES  " and 2 more', '"", "nan"'])
      expect(said).toContain(
        `--group-by campaign: One group or several? Their names differ only in how they are written: ${alike}.`,
      );
    expect(said).not.toContain('"301"');
    expect(
      await main([
        'estimate',
        ...files,
        file('right.ndjson', [source, { ...source, source_event_id: '1', campaign: '300' }]),
        '--group-by',
        'campaign',
      ]),
    ).toBe(0);
    expect(err.join('')).toBe('');
  });

  test.each([1_768_003_200, '1768003200'])(
    'because their times are in seconds are refused: %p',
    async (time) => {
      const name = file('sources.ndjson', [{ ...source, time }]);
      expect(await main(['estimate', '--reports', file('reports.ndjson', reports), '--sources', name])).toBe(
        2,
      );
      expect(err.join('')).toMatch(
        /time: must be milliseconds since 1970 \(a number of 10 digits looks like seconds: add 000\)/,
      );
    },
  );
});
