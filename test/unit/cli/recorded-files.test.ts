import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

/* Files that other programs wrote: `simulate`, `replay` and `validate` read them as logs of events (docs/recorded-files.md). */

const { out, err, pathOf, file } = useCommands();

const SOURCE = 'Attribution-Reporting-Register-Source';
const TRIGGER = 'Attribution-Reporting-Register-Trigger';
const source = {
  source_event_id: '7',
  destination: 'https://shop.example',
  expiry: '864000',
  event_report_window: '864000',
};
const trigger = { event_trigger_data: [{ trigger_data: '3' }] };

const ownLine = (
  user: string,
  timestamp: string,
  [context, eligible]: readonly [string, string | null],
  [url, response]: readonly [string, object],
): object => ({
  user,
  timestamp,
  registration_request: {
    context_origin: context,
    ...(eligible === null ? {} : { 'Attribution-Reporting-Eligible': eligible }),
  },
  responses: [{ url, response }],
});

/** What `simulate` makes of an input, without what is random. */
async function simulated(...input: readonly string[]): Promise<unknown[]> {
  const output = pathOf('reports.ndjson');
  const code = await main([
    'simulate',
    '--threads',
    '1',
    '--no-noise',
    '--with-users',
    '--output',
    output,
    '--input',
    ...input,
  ]);
  expect([code, code === 0 ? '' : err.join('')]).toEqual([0, '']);
  return readFileSync(output, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { payload: { report_id: string } })
    .map((report) => ({ ...report, payload: { ...report.payload, report_id: '' } }));
}

interface Sent {
  readonly at: string;
  readonly page: string;
  readonly url: string;
  readonly sent?: Readonly<Record<string, string>>;
  readonly got?: Readonly<Record<string, string>>;
}

const headersOf = (headers: Readonly<Record<string, string>> = {}): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const entry = ({ at, page, url, sent, got }: Sent): object => ({
  pageref: page,
  startedDateTime: at,
  time: 31.4,
  request: { method: 'GET', url, httpVersion: 'http/2.0', headers: headersOf(sent), cookies: [] },
  response: {
    status: 200,
    statusText: '',
    headers: headersOf(got),
    content: { size: 1, text: 'x'.repeat(9) },
  },
});

/** A HAR file as developer tools write it: over many lines. */
const harOf = (pages: readonly (readonly [string, string])[], sent: readonly Sent[]): string =>
  JSON.stringify(
    {
      log: {
        version: '1.2',
        creator: { name: 'WebInspector', version: '537.36' },
        pages: pages.map(([id, title]) => ({ startedDateTime: sent[0]?.at, id, title, pageTimings: {} })),
        entries: sent.map(entry),
      },
    },
    null,
    2,
  );

const visit: readonly Sent[] = [
  { at: '2026-03-01T10:00:00.000Z', page: 'page_1', url: 'https://news.example/a' },
  {
    at: '2026-03-01T11:00:01.000+01:00',
    page: 'page_1',
    url: 'https://ads.example/view',
    sent: { 'attribution-reporting-eligible': 'event-source, trigger;x' },
    got: { 'attribution-reporting-register-source': JSON.stringify({ ...source, source_event_id: '1' }) },
  },
  {
    at: '2026-03-01T10:00:05.000Z',
    page: 'page_2',
    url: 'https://ads.example/click',
    sent: { 'sec-fetch-dest': 'document', referer: 'https://news.example/' },
    got: { 'attribution-reporting-register-source': JSON.stringify(source) },
  },
  {
    at: '2026-03-01T10:00:06.000Z',
    page: 'page_2',
    url: 'https://shop.example/',
    sent: { 'sec-fetch-dest': 'document' },
  },
  {
    at: '2026-03-01T10:00:07.000Z',
    page: 'page_2',
    url: 'https://ads.example/bought',
    sent: { Referer: 'https://shop.example/' },
    got: { [TRIGGER]: JSON.stringify(trigger) },
  },
];

/** The same as a log of events. */
const asLog = (): object[] => [
  ownLine(
    pathOf('visit'),
    '1772359201000',
    ['https://news.example', 'event-source, trigger;x'],
    ['https://ads.example/view', { [SOURCE]: { ...source, source_event_id: '1' } }],
  ),
  ownLine(
    pathOf('visit'),
    '1772359205000',
    ['https://news.example', 'navigation-source'],
    ['https://ads.example/click', { [SOURCE]: source }],
  ),
  ownLine(
    pathOf('visit'),
    '1772359207000',
    ['https://shop.example', null],
    ['https://ads.example/bought', { [TRIGGER]: trigger }],
  ),
];

describe('HAR', () => {
  const chrome = harOf(
    [
      ['page_1', 'https://news.example/a'],
      ['page_2', 'https://shop.example/'],
    ],
    visit,
  );
  const firefox = harOf(
    [
      ['page_1', 'News of today'],
      ['page_2', 'Shop'],
    ],
    visit,
  );

  test.each([
    ['Chrome', chrome],
    ['Firefox', firefox],
    ['one line', JSON.stringify(JSON.parse(chrome))],
    [
      'a proxy, which sorts by the end of requests,',
      harOf(
        [
          ['page_1', 'https://news.example/a'],
          ['page_2', 'https://shop.example/'],
        ],
        visit.toReversed(),
      ),
    ],
  ])('as %s writes it is a log of one user, the file', async (_name, text) => {
    const expected = await simulated(file('log.ndjson', asLog()));
    expect(expected).toHaveLength(1);
    err.length = 0;
    const found = await simulated(file('visit.har', text));
    expect(found).toEqual(expected);
    expect(err.join('')).toContain('3 requests with registration headers\n');
    expect(err.join('')).toMatch(/^2 without Attribution-Reporting-Eligible: .*navigation sources/m);
  });

  test('is read packed as well, and replayed, and split', async () => {
    const expected = await simulated(file('log.ndjson', asLog()));
    writeFileSync(pathOf('visit.har.gz'), gzipSync(chrome));
    expect(await simulated(pathOf('visit.har.gz'))).toEqual(expected);
    expect(await main(['replay', file('visit.har', chrome)])).toBe(0);
    const { reports } = JSON.parse(out.splice(0).join('')) as { reports: readonly object[] };
    expect(reports.map((report) => ({ user: pathOf('visit'), ...report }))).toMatchObject(
      expected.map((report) => ({ ...(report as object), payload: expect.anything() as unknown })),
    );
    expect(
      await main(['shard', '--of', '1', '--input', pathOf('visit.har'), '--output', pathOf('part{}')]),
    ).toBe(0);
    expect(await simulated(pathOf('part0'))).toEqual(expected);
  });

  test('is a user of its own, though another folder has a file of that name', async () => {
    for (const folder of ['a', 'b']) {
      mkdirSync(pathOf(folder));
      writeFileSync(pathOf(`${folder}/visit.har`), chrome);
    }
    const reports = await simulated(pathOf('a/visit.har'), pathOf('b/visit.har'));
    const users = reports.map((report) => (report as { user: string }).user);
    expect(users.toSorted()).toEqual([pathOf('a/visit'), pathOf('b/visit')]);
  });

  test('has all its headers validated', async () => {
    const wrong = visit.map((each) =>
      each.url.endsWith('bought') ? { ...each, got: { [TRIGGER]: '{"event_trigger_data":{}}' } } : each,
    );
    expect(await main(['validate', file('good.har', chrome)])).toBe(0);
    expect(out.splice(0)).toHaveLength(3);
    expect(await main(['validate', file('wrong.har', harOf([], wrong))])).toBe(1);
    const lines = out.map((line) => JSON.parse(line) as { header: string; url: string; errors: unknown[] });
    expect(lines.map(({ header, url, errors }) => [header, url, errors.length])).toEqual([
      [SOURCE, 'https://ads.example/view', 0],
      [SOURCE, 'https://ads.example/click', 0],
      [TRIGGER, 'https://ads.example/bought', 1],
    ]);
    expect(lines[1]).toMatchObject({ value: { source_event_id: '7', max_event_level_reports: 3 } });
  });

  test.each([
    ['an unknown page', 'https://ads.example/x', [], '{"event_trigger_data":{}}'],
    ['a page without https', 'https://ads.example/x', [['page_1', 'http://a.example/']], 'garbage'],
  ] as const)('has the headers of %s validated', async (_page, url, pages, value) => {
    const sent = {
      at: '2026-03-01T10:00:01Z',
      page: 'page_1',
      url,
      sent: { 'sec-fetch-dest': 'image' },
      got: { [TRIGGER]: value },
    };
    const text = harOf(pages, [sent]);
    const proxied = pages.length === 0 ? text.replace('"pageref": "page_1",', '') : text;
    expect(await main(['validate', file('visit.har', proxied)])).toBe(1);
    expect(out.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { url, header: TRIGGER, errors: [expect.anything()] },
    ]);
    expect(err.join('')).toBe(
      '1 requests with registration headers\n1 of them are no events, because their page is not in the file, or has no https\n',
    );
  });

  test('takes no title with a colon for the URL of a page', async () => {
    const expected = await simulated(file('log.ndjson', asLog()));
    const text = harOf(
      [
        ['page_1', 'News: today'],
        ['page_2', 'Shop.example: Shoes'],
      ],
      visit.map((each) => ({
        ...each,
        sent: { ...each.sent, ...(each.sent?.['Referer'] && { Referer: '' }) },
      })),
    );
    expect(await simulated(file('visit.har', text))).toEqual(expected);
  });

  test('leaves out requests of pages that cannot register, and counts them', async () => {
    const http = visit.map((each) => ({
      ...each,
      url: each.url.replace('https://shop', 'http://shop'),
      sent: {
        ...each.sent,
        ...(each.sent?.['Referer'] === undefined ? {} : { Referer: 'http://shop.example/' }),
      },
    }));
    expect(await simulated(file('visit.har', harOf([], http)))).toEqual([]);
    expect(err.join('')).toMatch(
      /^1 of them are no events, because their page is not in the file, or has no https$/m,
    );
  });

  test.each([
    ['{"log":{}}', 'line 1: log: must have the field "entries"'],
    ['{"log":{"entries":[{}]}}', 'line 1: log.entries[0]: must have the field "request"'],
    [
      harOf([], [{ ...(visit[0] as Sent), at: 'yesterday' }]),
      'line 1: log.entries[0].startedDateTime: must be a time',
    ],
    ['{\n  "log": {\n    "entries": [,]\n  }\n}', 'line 3: must be JSON'],
  ])('%# that is damaged is refused in one line with its place', async (text, message) => {
    for (const command of [['simulate', '--output', '-', '--input'], ['validate']]) {
      err.length = 0;
      expect(await main([...command, file('bad.har', text)])).toBe(2);
      expect(err.join('').split('\n')).toHaveLength(2);
      expect(err.join('')).toContain(`bad.har: ${message}`);
    }
  });
});

describe('the inputs of measurement-simulation', () => {
  const app = {
    source_event_id: '7',
    destination: 'android-app://com.shop',
    web_destination: 'https://shop.example',
  };
  const registered = (at: string, request: object, header: string, value: object): object => ({
    registration_request: request,
    responses: [{ url: 'https://ads.example', response: { [header]: value, Location: null } }],
    timestamp: at,
  });
  const events = {
    sources: [
      registered('800000000001', { source_type: 'navigation', registrant: 'com.publisher' }, SOURCE, app),
    ],
    triggers: [registered('800000600001', { registrant: 'com.shop' }, TRIGGER, trigger)],
    installs: [{ uri: 'android-app://com.shop', timestamp: '800000000002' }],
  };
  const expected = (): object[] => [
    ownLine(
      pathOf('users/U1'),
      '800000000001',
      ['https://com-publisher.invalid', 'navigation-source'],
      [
        'https://ads.example',
        {
          [SOURCE]: {
            source_event_id: '7',
            destination: ['https://com-shop.invalid', 'https://shop.example'],
          },
        },
      ],
    ),
    ownLine(
      pathOf('users/U1'),
      '800000600001',
      ['https://com-shop.invalid', 'trigger'],
      ['https://ads.example', { [TRIGGER]: trigger }],
    ),
  ];

  test.each([
    ['within "input"', { description: 'x', input: events }],
    ['bare, as its overview shows', events],
  ])('a file for each user, %s', async (_what, content) => {
    const wanted = await simulated(file('log.ndjson', expected()));
    expect(wanted).toHaveLength(1);
    mkdirSync(pathOf('users'));
    writeFileSync(pathOf('users/U1.json'), JSON.stringify(content, null, 2));
    writeFileSync(pathOf('users/U2.json'), JSON.stringify({ sources: [], triggers: [] }));
    err.length = 0;
    expect(await simulated(pathOf('users'))).toEqual(wanted);
    expect(err.join('')).toContain('1 installs and uninstalls left out: websites have none\n');
  });

  test('web events of such a file have the origin that it names', async () => {
    const web = {
      web_sources: [
        registered(
          '800000000001',
          { source_type: 'event', registrant: 'org.browser', source_origin: 'https://news.example' },
          SOURCE,
          source,
        ),
      ],
      web_triggers: [
        registered(
          '800000600001',
          { registrant: 'org.browser', destination_origin: 'https://shop.example' },
          TRIGGER,
          trigger,
        ),
      ],
    };
    const found = await simulated(file('U1.json', { input: web }));
    const own = [
      ownLine(
        pathOf('U1'),
        '800000000001',
        ['https://news.example', 'event-source'],
        ['https://ads.example', { [SOURCE]: source }],
      ),
      ownLine(
        pathOf('U1'),
        '800000600001',
        ['https://shop.example', 'trigger'],
        ['https://ads.example', { [TRIGGER]: trigger }],
      ),
    ];
    expect(found).toHaveLength(1);
    expect(found).toEqual(await simulated(file('log.ndjson', own)));
  });

  /** As the library's testdata of its releases 0.1 to 0.3. */
  const sourceRow = {
    user_id: 'U1',
    source_event_id: 1,
    source_type: 'EVENT',
    publisher: 'https://news.example/s1',
    web_destination: 'https://shop.example/d1',
    enrollment_id: 'https://ads.example/r1',
    timestamp: 1_642_218_050_000,
    expiry: 2_592_000,
    priority: 100,
    registrant: 'https://www.example3.com/e1',
    dedup_keys: [],
    install_attribution_window: 86_400,
    filter_data: { type: ['1', '2'] },
    aggregation_keys: [{ myId: '0xFF' }],
    api_choice: 'WEB',
  };
  const triggerRow = {
    user_id: 'U1',
    attribution_destination: 'https://shop.example/d1',
    destination_type: 'WEB',
    enrollment_id: 'https://ads.example/r1',
    timestamp: 1_642_271_444_000,
    event_trigger_data: [{ trigger_data: 1, priority: 100, deduplication_key: 1 }],
    aggregatable_values: { myId: '32768' },
    registrant: 'http://example1.com/4',
    api_choice: 'WEB',
  };

  const write = (name: string, rows: readonly object[]): void => {
    const path = pathOf(`testdata/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  };

  test('folders by date, with the platforms apart', async () => {
    write('2022/01/15/attribution_source.json', [
      sourceRow,
      { ...sourceRow, user_id: 'U2', source_event_id: 2 },
    ]);
    write('2022/01/15/trigger.json', [triggerRow, { ...triggerRow, user_id: 'U2', api_choice: 'OS' }]);
    write('2022/01/16/extension.json', [
      { user_id: 'U1', uri: 'android-app://x', timestamp: '1642348275000', action: 'install' },
    ]);
    const found = await simulated(pathOf('testdata'), '--unsorted');
    const own = [
      ownLine(
        'WEB/U1',
        '1642218050000',
        ['https://news.example', 'event-source'],
        [
          'https://ads.example/r1',
          {
            [SOURCE]: {
              source_event_id: '1',
              destination: ['https://shop.example/d1'],
              expiry: 2_592_000,
              priority: '100',
              filter_data: { type: ['1', '2'] },
              aggregation_keys: { myId: '0xFF' },
            },
          },
        ],
      ),
      ownLine(
        'WEB/U1',
        '1642271444000',
        ['https://shop.example', 'trigger'],
        [
          'https://ads.example/r1',
          {
            [TRIGGER]: {
              event_trigger_data: [{ trigger_data: '1', priority: '100', deduplication_key: '1' }],
              aggregatable_values: { myId: 32_768 },
            },
          },
        ],
      ),
    ];
    expect(found).toHaveLength(1);
    expect(found).toEqual(await simulated(file('log.ndjson', own)));
    expect(err.join('')).toContain('1 installs and uninstalls left out');
    // Without a sort, the second file of a user is refused, and the message says what to do.
    expect(await main(['simulate', '--output', '-', '--input', pathOf('testdata')])).toBe(2);
    expect(err.join('')).toContain('use --unsorted');
  });

  test('a number that has lost digits is refused', async () => {
    write('a.json', [{ ...sourceRow, source_event_id: 2 ** 60 }]);
    expect(await main(['simulate', '--output', '-', '--input', pathOf('testdata')])).toBe(2);
    expect(err.join('')).toMatch(/a\.json: line 1: source_event_id: must be a/);
  });
});
