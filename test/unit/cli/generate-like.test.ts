import { readFileSync, writeFileSync } from 'node:fs';
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
