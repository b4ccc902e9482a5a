import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { main } from '../../../cli/main';
import { proposedMap } from '../../../analysis/simulation/proposed-map';
import { parseCsvMapping } from '../../../analysis/simulation/csv-mapping';
import { readJson } from '../../../cli/io/input';
import { useCommands } from '../helpers/command';
import { accepted } from '../helpers/parsing';

const { err, out, file, pathOf } = useCommands();

const USERS = 400;
/** Two campaigns, of which every second and every fifth click converts. */
const clicks = (): string => {
  const rows = Array.from({ length: USERS }, (_, user) => {
    const campaign = user % 2 === 0 ? 'shoes' : 'hats';
    const converts = campaign === 'shoes' ? user % 4 === 0 : user % 10 === 1;
    const row = (kind: string, day: string, of: string): string =>
      `u${user},2026-01-${day} 12:00:00,${kind},${of}\n`;
    return row('click', '03', campaign) + (converts ? row('purchase', '05', '') : '');
  });
  return `userId,Event Time,event,Campaign\n${rows.join('')}`;
};

test('init proposes a map, simulates the table, and draws conversions by campaign', async () => {
  const table = file('clicks.csv', clicks());
  const folder = pathOf('first');
  expect(await main(['init', table, '--output', folder])).toBe(0);
  const map = accepted(parseCsvMapping(readJson(`${folder}/map.json`)));
  expect(map).toMatchObject({ user: 'userId', unit: 'iso' });
  expect(map.events.map(({ when, time }) => [when, time])).toEqual([
    [[{ column: 'event', values: ['click'] }], 'Event Time'],
    [[{ column: 'event', values: ['purchase'] }], 'Event Time'],
  ]);
  const rows = readFileSync(`${folder}/estimates.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ configuration, quantity }) => configuration === null && quantity === 'conversions');
  const of = (campaign?: string): unknown => rows.find((row) => row['campaign'] === campaign)?.['estimate'];
  // At ε = 14, about one source in 400 is noise.
  expect(of('shoes')).toBeCloseTo(100, -1);
  expect(of('hats')).toBeCloseTo(40, -1);
  const figure = readFileSync(`${folder}/figure.svg`, 'utf8');
  expect(figure).toContain('>shoes<');
  expect(figure).toContain('>hats<');
  expect(out.join('')).toMatch(
    /the time is "Event Time", in ISO 8601 \(as in "2026-01-03 12:00:00"; without a zone/,
  );
  // What it printed runs again, if the folder is another one.
  expect(await main(['init', table, '--output', folder])).toBe(2);
  expect(err.at(-1)).toContain(`${folder}: exists already`);
});

test('the bars of the figure are the intervals of the estimates', async () => {
  const rows = clicks().replaceAll(',purchase,', ',other,');
  const all = file('skewed.csv', `${rows}u0,2026-01-05 12:00:00,purchase,\n`);
  const folder = pathOf('skewed');
  expect(await main(['init', all, '--output', folder])).toBe(0);
  const estimates = readFileSync(`${folder}/estimates.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(
      ({ configuration, quantity, campaign }) =>
        configuration === null && quantity === 'conversions' && campaign !== undefined,
    )
    .map(({ estimate, low, high }) => [Number(low), Number(estimate), Number(high)] as const)
    .sort(([, one], [, other]) => other - one);
  const marks = [
    ...readFileSync(`${folder}/figure.svg`, 'utf8').matchAll(
      /<line x1="[\d.]+" x2="[\d.]+" y1="([\d.]+)" y2="([\d.]+)"\/><circle cx="[\d.]+" cy="([\d.]+)"/g,
    ),
  ].map(([, low, high, mean]) => [Number(low), Number(mean), Number(high)] as const);
  expect(marks).toHaveLength(estimates.length);
  // Both campaigns have the axis in common: what is between two values is as wide on it as they are apart.
  const [first, last] = [estimates[0]?.[0] ?? 0, estimates[0]?.[2] ?? 0];
  const scale = ((marks[0]?.[2] ?? 0) - (marks[0]?.[0] ?? 0)) / (last - first);
  for (const [index, [low, mean, high]] of estimates.entries()) {
    const [bottom, at, top] = marks[index] ?? [0, 0, 0];
    expect(at - bottom).toBeCloseTo(scale * (mean - low), 0);
    expect(top - at).toBeCloseTo(scale * (high - mean), 0);
  }
  // One of them is at the edge of what is possible, so that its interval is one-sided.
  expect(estimates.some(([low, mean, high]) => Math.abs(mean - low - (high - mean)) > 1)).toBe(true);
});

test.each<[string, string, string]>([
  [
    'no user',
    'name,time,event\nx,1,click\n',
    'no column names the user; expected "user_id", for example; found the columns name, time, event',
  ],
  ['no time', 'user,event\nx,click\n', 'no column has the time'],
  ['no time in some rows', 'user,moment,event\nx,2026-01-03,click\nx,,purchase\n', 'no column has the time'],
  ['no conversion', 'user,time,event\nx,1,click\n', 'nothing tells conversions'],
  [
    'no conversion in the first 1,000 rows',
    `user,time,event\n${'x,1767441600,click\n'.repeat(1000)}x,1767441601,purchase\n`,
    'nothing tells conversions (in the first 1,000 rows, which alone are read);',
  ],
  [
    'one unit for all times',
    'user,time,conversion,conversion_time\nx,2026-01-03 12:00:00,1,1767441600000\ny,2026-01-03 12:00:00,0,\n',
    'the column "time" is in ISO 8601, and "conversion_time" in milliseconds; expected one unit for both',
  ],
  [
    'a unit that maps have',
    'user,time,event\nx,1767441600000000,click\nx,1767441600000001,purchase\n',
    'the column "time" has "1767441600000000"; expected times in ISO 8601',
  ],
  [
    'another date',
    'user,date,event\nx,31/01/2026,click\nx,31/01/2026,purchase\n',
    'the column "date" has "31/01/2026"',
  ],
])('init names what a table lacks: %s', async (_, rows, says) => {
  expect(await main(['init', file('table.csv', rows), '--output', pathOf('none')])).toBe(2);
  expect(err.join('')).toContain(says);
  expect(existsSync(pathOf('none'))).toBe(false);
});

test('init refuses standard input, which it would have to read twice', async () => {
  expect(await main(['init', '-', '--output', pathOf('none')])).toBe(2);
  expect(err.join('')).toMatch(/^cointoss[^\n]*: -: must be a file[^\n]*\n$/);
  expect(existsSync(pathOf('none'))).toBe(false);
});

test('init leaves nothing behind if it fails before there are results', async () => {
  const late = `user,time,event\nx,1767441600,click\nx,1767441601,purchase\n${'x,1767441602,click\n'.repeat(1000)}x,never,click\n`;
  expect(await main(['init', file('table.csv', late), '--output', pathOf('none')])).toBe(2);
  expect(err.join('')).toContain('never');
  expect(existsSync(pathOf('none'))).toBe(false);
});

describe('the proposal', () => {
  const proposed = (cells: Readonly<Record<string, string>>): ReturnType<typeof proposedMap> =>
    proposedMap({ columns: Object.keys(cells), rows: [cells], isCut: false });
  const row = { uid: '7', click: '1', conversion: '0' };

  test.each<[string, string, string]>([
    ['timestamp', '1767441600', 'seconds'],
    ['timestamp', '1767441600000', 'milliseconds'],
    ['day', '12', 'days'],
    ['hour', '12', 'hours'],
    ['timestamp', '12.5', 'seconds'],
    ['timestamp', '2026-01-03T12:00:00.5+01:00', 'iso'],
    ['date', '2026-01-03', 'iso'],
    ['Moment', '2026-01-03T12:00:00Z', 'iso'],
  ])('reads %s %s in %s', (column, cell, unit) => {
    expect(proposed({ ...row, [column]: cell }).map['unit']).toBe(unit);
  });

  test('takes columns with 0 and 1 for clicks and conversions, and the time of the conversion', () => {
    const { map } = proposed({ ...row, timestamp: '5', conversion_timestamp: '9' });
    expect(accepted(parseCsvMapping(map)).events.map(({ when, time }) => [when[0], time])).toEqual([
      [{ column: 'click', values: ['1'] }, 'timestamp'],
      [{ column: 'click', values: ['0'] }, 'timestamp'],
      [{ column: 'conversion', values: ['1'] }, 'conversion_timestamp'],
    ]);
  });
});

describe('the column that identifies a conversion', () => {
  const HEAD = 'user,time,event,order_id\n';
  /** Ads of a user, then a purchase for each id. */
  const purchases = (user: string, ids: readonly string[]): string =>
    ids.map((id, day) => `${user},2026-01-0${day + 3},purchase,${id}\n`).join('');
  const ads = (users: readonly string[]): string =>
    users.map((user) => `${user},2026-01-02,click,\n`).join('');

  test('may be empty after the rows that are read, where each conversion counts', async () => {
    const rows = `${HEAD}${ads(['a', 'b'])}${purchases('a', ['1', '2'])}${'b,2026-01-02,click,\n'.repeat(1000)}${purchases('b', ['', '', '7', '7'])}`;
    const folder = pathOf('late');
    expect([await main(['init', file('late.csv', rows), '--output', folder]), err.join('')]).toEqual([
      0,
      expect.stringContaining('2 events without the id in "once", so each counts'),
    ]);
    expect(readFileSync(`${folder}/map.json`, 'utf8')).toContain('"once": "order_id"');
    expect(err.join('')).toContain('repeated events 1\n');
  });

  test.each<[string, string, boolean]>([
    ['one value', purchases('a', ['1', '1', '1', '1']) + purchases('b', ['1']), false],
    ['one for each user', purchases('a', ['1', '1', '1', '1']) + purchases('b', ['2', '2']), true],
    ['none', purchases('a', ['', '']), false],
    ['several for a user', purchases('a', ['1', '1', '2']) + purchases('b', ['3']), true],
    ['one for each user, at one time', `a,2026-01-03,purchase,1\n`.repeat(3) + purchases('b', ['2']), true],
  ])('has %s', async (_, rows, isProposed) => {
    const folder = pathOf('ids');
    expect(await main(['init', file('ids.csv', HEAD + ads(['a', 'b']) + rows), '--output', folder])).toBe(0);
    expect(/^ *"once": "order_id"/m.test(readFileSync(`${folder}/map.json`, 'utf8'))).toBe(isProposed);
  });
});

describe('the id of conversions in a table with a row for each ad', () => {
  const DAYS = ['02', '03', '05'];
  /** Of each of 4 users, 3 ads before one order, whose cells in the columns of ids each ad repeats. */
  const touches = (columns: string, ids: (user: number) => string): string =>
    `user_id,timestamp,campaign,conversion,${columns}\n${[1, 2, 3, 4]
      .flatMap((user) => DAYS.map((day) => `u${user},2026-01-${day} 12:00:00,shoes,1,${ids(user)}\n`))
      .join('')}`;

  test('is proposed if each user has one order, which counts once', async () => {
    const table = file(
      'touches.csv',
      touches('order_id', (user) => `o${user}`),
    );
    expect(await main(['init', table, '--output', pathOf('touches')])).toBe(0);
    expect(readFileSync(pathOf('touches/map.json'), 'utf8')).toContain('"once": "order_id"');
    expect(err.join('')).toContain('repeated events 8\n');
    expect(out.join('')).toContain('a conversion counts once for each "order_id" of a user\n');
  });

  test('is not a constant, and the command says what to write if it is', async () => {
    const table = file(
      'constant.csv',
      touches('conversion_id', () => 'AW-123456789'),
    );
    expect(await main(['init', table, '--output', pathOf('constant')])).toBe(0);
    expect(readFileSync(pathOf('constant/map.json'), 'utf8')).not.toMatch(/^ *"once"/m);
    expect(out.join('')).toContain(
      '"conversion_id" does not identify conversions, as it has fewer than two values, so each row with a conversion counts (if it does, write "once": "conversion_id" for them in the map)\n',
    );
  });

  test('is the first column that differs, and the command names the others', async () => {
    const table = file(
      'several.csv',
      touches('conversion_id,order_id,transaction_id', (user) => `AW-1,o${user},t${user}`),
    );
    expect(await main(['init', table, '--output', pathOf('several')])).toBe(0);
    expect(readFileSync(pathOf('several/map.json'), 'utf8')).toMatch(/^ *"once": "order_id"/m);
    expect(out.join('')).toMatch(/"conversion_id" does not [^\n]*, as it has fewer than two values \(/);
    expect(out.join('')).toMatch(/"transaction_id" does not [^\n]*, as "order_id" does \(/);
  });
});

test('init reads a log in the format of Criteo, whose rows without a conversion have -1, and counts each conversion once', async () => {
  const log = path.join(__dirname, '../../fixtures/criteo/made-up-attribution.tsv');
  const folder = pathOf('criteo');
  expect([await main(['init', log, '--output', folder]), err.join('')]).toEqual([0, expect.any(String)]);
  const map = accepted(parseCsvMapping(readJson(`${folder}/map.json`)));
  const known = accepted(
    parseCsvMapping(readJson(path.join(__dirname, '../../../scenarios/criteo-attribution.map.json'))),
  );
  const asProposed = ({ events }: typeof map): unknown =>
    events.map(({ when, time, once }) => ({ when, time, once }));
  expect([map.user, map.unit, asProposed(map)]).toEqual([known.user, known.unit, asProposed(known)]);
  expect(out.join('')).toContain('a conversion counts once for each "conversion_id" of a user\n');
});
