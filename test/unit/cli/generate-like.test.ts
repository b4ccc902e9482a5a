import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { main } from '../../../cli/main';
import type { JsonObject } from '../../../src/model/json';
import { useCommands } from '../helpers/command';

const { err, out, pathOf } = useCommands();

const lines = (file: string): JsonObject[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);

const campaignOf = (line: JsonObject): string | undefined =>
  /"campaign":\["([^"]*)"\]/.exec(JSON.stringify(line))?.[1];

/** How many sources, or triggers, each campaign has. */
function countsOf(log: readonly JsonObject[], what: 'Source' | 'Trigger'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log) {
    if (!JSON.stringify(line).includes(`Register-${what}`)) continue;
    const campaign = campaignOf(line) ?? '';
    counts.set(campaign, (counts.get(campaign) ?? 0) + 1);
  }
  return counts;
}

async function demo(users: number): Promise<string> {
  const log = pathOf('log.ndjson');
  expect(await main(['generate', '--demo', '--users', String(users), '--output', log])).toBe(0);
  return log;
}

async function kindsOf(log: string): Promise<string> {
  const kinds = pathOf('kinds.json');
  const columns = 'campaign,source_type';
  expect(await main(['generate', '--like', log, '--columns', columns, '--output', kinds])).toBe(0);
  return kinds;
}

const synthetic = async (log: string, kinds: string, ...options: readonly string[]): Promise<number> =>
  main(['generate', '--like', log, '--kinds', kinds, '--output', pathOf('synthetic.ndjson'), ...options]);

test('a synthetic log has about the counts of the log, nothing of its people, and simulate reads it', async () => {
  const log = await demo(300);
  const kinds = await kindsOf(log);
  const document = JSON.parse(readFileSync(kinds, 'utf8')) as { kinds: JsonObject[]; days: number };
  expect(document.kinds).toHaveLength(16);
  expect(readFileSync(kinds, 'utf8')).not.toMatch(/source_event_id|user-/);
  // So much ε that noise is 0 with a probability above 1 − e^−100.
  expect(await synthetic(log, kinds, '--epsilon', '1000000', '--most-journeys', '100', '--seed', 's')).toBe(
    0,
  );
  const [real, made] = [lines(log), lines(pathOf('synthetic.ndjson'))];
  const ids = (some: readonly JsonObject[]): Set<string> =>
    new Set(some.flatMap((line) => /"source_event_id":"(\d+)"/.exec(JSON.stringify(line))?.[1] ?? []));
  const known = ids(real);
  expect([...ids(made)].filter((id) => known.has(id))).toEqual([]);
  expect(made.every((line) => /"user":"synthetic-\d{9}"/.test(JSON.stringify(line)))).toBe(true);
  // Conversions that were credited are kept; those without a source, or of a fourth conversion, are not.
  const [truth, found] = [countsOf(real, 'Trigger'), countsOf(made, 'Trigger')];
  for (const [campaign, count] of found) expect(count).toBeLessThanOrEqual(truth.get(campaign) ?? 0);
  const whole = (counts: Map<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);
  expect(whole(found)).toBeGreaterThan(0.8 * whole(truth));
  const reports = pathOf('reports.ndjson');
  const summary = pathOf('summary.json');
  expect(
    await main([
      ...[
        'simulate',
        '--input',
        pathOf('synthetic.ndjson'),
        '--output',
        reports,
        '--seed',
        '1',
        '--threads',
        '1',
      ],
      ...['--no-noise', '--summary', summary],
    ]),
  ).toBe(0);
  expect(readFileSync(summary, 'utf8')).not.toContain('invalid":{"');
  expect(lines(reports).length).toBeGreaterThan(0);
});

test('kinds have no other filter data than the columns, and no queries of addresses', async () => {
  const log = await demo(20);
  const text = readFileSync(log, 'utf8')
    .replaceAll('"filter_data":{', '"filter_data":{"member":["secret-1"],')
    .replace(/"url":"(https:[^"]*)"/g, '"url":"$1?click=secret-2#secret-3"');
  expect(text).toContain('secret-1');
  expect(text).toContain('secret-2#secret-3');
  writeFileSync(log, text);
  const kinds = readFileSync(await kindsOf(log), 'utf8');
  expect(kinds).not.toMatch(/secret|member/);
  expect(kinds).toContain('"campaign":["');
});

test('kinds have only the sites of destinations', async () => {
  const log = await demo(20);
  const text = readFileSync(log, 'utf8').replace(
    /"destination":"(https:[^"]*)"/g,
    '"destination":["$1/secret?user=123","https://www.shop.example/#secret","secret"]',
  );
  expect(text).toContain('/secret?user=123');
  writeFileSync(log, text);
  const kinds = readFileSync(await kindsOf(log), 'utf8');
  expect(kinds).not.toMatch(/secret|user=/);
  expect(kinds).toMatch(/"destination":\["https:[^"/]*\/\/[^"/]*","https:\/\/shop.example",""\]/);
});

test('each synthetic log is written to a ledger with its ε, and noise is another one each time', async () => {
  const log = await demo(50);
  const kinds = await kindsOf(log);
  const written: string[] = [];
  for (const epsilon of ['1', '1/2']) {
    expect(await synthetic(log, kinds, '--epsilon', epsilon)).toBe(0);
    written.push(readFileSync(pathOf('synthetic.ndjson'), 'utf8'));
  }
  expect(lines(`${log}.ledger`)).toEqual([
    { epsilon: '1', most_journeys: 4, seeded: false },
    { epsilon: '1/2', most_journeys: 4, seeded: false },
  ]);
  expect(err.join('')).toContain('2 synthetic logs together 1.5');
  expect(written[0]).not.toBe(written[1]);
});

test('the same seed makes the same log, and the command says that such noise can be removed', async () => {
  const log = await demo(50);
  const kinds = await kindsOf(log);
  const written: string[] = [];
  for (let run = 0; run < 2; run++) {
    expect(await synthetic(log, kinds, '--epsilon', '3', '--seed', 'x')).toBe(0);
    written.push(readFileSync(pathOf('synthetic.ndjson'), 'utf8'));
  }
  expect(written[0]).toBe(written[1]);
  expect(err.join('')).toContain('whoever knows it can remove the noise');
});

test('people with more journeys than count have no more in the counts: the noise would not hide them', async () => {
  const log = await demo(100);
  const kinds = await kindsOf(log);
  // Many of these people saw several campaigns.
  expect(await synthetic(log, kinds, '--epsilon', '1', '--most-journeys', '1')).toBe(0);
  const own = new Map<string, Set<string>>();
  for (const line of lines(pathOf('synthetic.ndjson'))) {
    const user = JSON.stringify(line['user']);
    own.set(user, new Set([...(own.get(user) ?? []), campaignOf(line) ?? '']));
  }
  own.forEach((campaigns) => expect(campaigns.size).toBe(1));
});

test('no more journeys count than there are kinds, so that no noise is wasted', async () => {
  const log = await demo(20);
  const kinds = await kindsOf(log);
  expect(await synthetic(log, kinds, '--epsilon', '1', '--most-journeys', '1000')).toBe(0);
  expect(lines(`${log}.ledger`)).toEqual([{ epsilon: '1', most_journeys: 16, seeded: false }]);
});

describe('the ledger', () => {
  const like = async (...options: readonly string[]): Promise<number> => {
    err.length = 0;
    return main(['generate', '--like', ...options]);
  };

  test('is not overwritten, and is neither the log nor the kinds', async () => {
    const log = await demo(20);
    const kinds = await kindsOf(log);
    expect(await synthetic(log, kinds, '--epsilon', '1')).toBe(0);
    const own = [log, '--kinds', kinds, '--epsilon', '1'];
    expect(await like(...own, '--output', `${log}.ledger`)).toBe(2);
    expect(err.join('')).toContain('must not be the ledger');
    expect(await like(...own, '--output', pathOf('o'), '--ledger', kinds)).toBe(2);
    expect(err.join('')).toContain('must not be the kinds');
    expect(await like(...own, '--output', pathOf('o'), '--ledger', log)).toBe(2);
    expect(err.join('')).toContain('must not be the log');
    expect(lines(`${log}.ledger`)).toHaveLength(1);
  });

  test('gets nothing when the output cannot be written', async () => {
    const log = await demo(20);
    const kinds = await kindsOf(log);
    for (const output of [pathOf('no-folder/out.ndjson'), pathOf('out.parquet')]) {
      expect(await like(log, '--kinds', kinds, '--epsilon', '1', '--output', output)).toBe(2);
      expect(existsSync(`${log}.ledger`)).toBe(false);
    }
  });

  const logInFolder = async (): Promise<Readonly<Record<'kinds' | 'folder' | 'moved', string>>> => {
    const log = await demo(20);
    const kinds = await kindsOf(log);
    const folder = pathOf('logs');
    mkdirSync(folder);
    const moved = path.join(folder, 'log.ndjson');
    renameSync(log, moved);
    return { kinds, folder, moved };
  };

  test('must be named for a folder or several files, and is no part of a folder', async () => {
    const { kinds, folder, moved } = await logInFolder();
    const rest = ['--kinds', kinds, '--epsilon', '1', '--output', pathOf('synthetic.ndjson')];
    for (const several of [[folder], [moved, moved]]) {
      expect(await like(...several, ...rest)).toBe(2);
      expect(err.join('')).toContain('--ledger: must be given for several files or a folder');
    }
    expect(await like(moved, ...rest)).toBe(0);
    expect(existsSync(`${moved}.ledger`)).toBe(true);
    expect(await like(folder, ...rest, '--ledger', pathOf('named'))).toBe(0);
    expect(lines(pathOf('named'))).toHaveLength(1);
  });

  test('is no file of a folder, also not for the next run', async () => {
    const { kinds, folder, moved } = await logInFolder();
    // A file of the log under a name that a ledger may have.
    const other = path.join(folder, 'other.ledger');
    writeFileSync(other, readFileSync(moved), { mode: 0o600 });
    const rest = ['--kinds', kinds, '--epsilon', '1', '--output', pathOf('synthetic.ndjson')];
    expect(await like(folder, other, ...rest, '--ledger', other)).toBe(2);
    expect(err.join('')).toContain('must not be the log');
    expect(
      await like(folder, '--kinds', kinds, '--epsilon', '1', '--output', moved, '--ledger', pathOf('l')),
    ).toBe(2);
    expect(err.join('')).toContain('must not be the log');
    for (const name of [moved, path.join(folder, 'spent')]) {
      expect(await like(folder, ...rest, '--ledger', name)).toBe(2);
      expect(err.join('')).toContain('--ledger: must end with ".ledger" in a folder of the log');
    }
    const kept = path.join(folder, 'people.ledger');
    for (let runs = 1; runs <= 2; runs++) {
      expect(await like(folder, ...rest, '--ledger', kept)).toBe(0);
      expect(lines(kept)).toHaveLength(runs);
      // Once, although the log is read twice; and the first run finds no ledger of its own.
      const leftOut = ['other.ledger', ...(runs > 1 ? ['people.ledger'] : [])].join(', ');
      expect(err.join('').match(/.*left out.*/g)).toEqual([
        `cointoss: ${folder}: left out, because ledgers are no data: ${leftOut}; to read one, name it`,
      ]);
    }
  });

  test('with a line that is no JSON is refused with the place', async () => {
    const log = await demo(20);
    const kinds = await kindsOf(log);
    writeFileSync(`${log}.ledger`, '{"epsilon":"1","most_journeys":4,"seeded":false}\nmy notes\n', {
      mode: 0o600,
    });
    expect(await synthetic(log, kinds, '--epsilon', '1')).toBe(2);
    expect(err.join('')).toContain('log.ndjson.ledger: line 2: must be JSON');
  });
});

test('refuses what does not fit together', async () => {
  const log = await demo(20);
  const kinds = await kindsOf(log);
  const refused = async (...options: readonly string[]): Promise<string> => {
    err.length = 0;
    expect(await main(['generate', ...options])).toBe(2);
    return err.join('');
  };
  expect(await refused()).toContain('must have --users, or --like');
  expect(await refused('--users', '3', '--epsilon', '1')).toContain('--epsilon: must come with --like');
  for (const [option, value] of [
    ['--columns', 'campaign'],
    ['--kinds', kinds],
    ['--ledger', pathOf('ledger')],
    ['--most-journeys', '3'],
  ] as const)
    expect(await refused('--users', '3', option, value)).toContain(`${option}: must come with --like`);
  for (const option of ['--holdout', '--rate'])
    for (const rest of [
      ['--columns', 'campaign'],
      ['--kinds', kinds, '--epsilon', '1'],
    ] as const)
      expect(await refused('--like', log, ...rest, option, '0.1')).toContain(
        `${option}: must not come with --like`,
      );
  for (const [option, value] of [
    ['--ledger', pathOf('ledger')],
    ['--seed', '1'],
    ['--most-journeys', '3'],
    ['--epsilon', '1'],
  ] as const)
    expect(await refused('--like', log, '--columns', 'campaign', option, value)).toContain(
      `${option}: must come with --kinds`,
    );
  expect(await refused('--like', '-', '--columns', 'campaign')).toContain('--like: must be files');
  expect(await refused('--like', log)).toContain('--columns, or with --kinds and --epsilon');
  expect(await refused('--like', log, '--kinds', kinds)).toContain('must come with --epsilon');
  expect(await refused('--like', log, '--kinds', kinds, '--epsilon', '0')).toContain('--epsilon');
  expect(await refused('--like', log, '--kinds', kinds, '--epsilon', '0.0009')).toContain(
    '--epsilon: must be at least 0.001, was 0.0009',
  );
  expect(await refused('--like', log, '--columns', 'campaign', '--output', log)).toContain(
    'must not be the log',
  );
  const twice = JSON.parse(readFileSync(kinds, 'utf8')) as { kinds: JsonObject[] };
  writeFileSync(kinds, JSON.stringify({ ...twice, kinds: [...twice.kinds, twice.kinds[0]] }));
  expect(await refused('--like', log, '--kinds', kinds, '--epsilon', '1')).toContain(
    'kinds[16]: must differ in a column from kinds[0]',
  );
  expect(out.join('')).toBe('');
});
