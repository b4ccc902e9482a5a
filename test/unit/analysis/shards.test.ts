import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { configurationKey, type Mechanism } from '../../../analysis/estimate/quantities/configuration';
import { addStatistics, statistics, type Statistics } from '../../../analysis/estimate/result/statistics';
import { OutcomeCounter } from '../../../analysis/simulation/outcome-counter';
import { main } from '../../../cli/main';
import { shardOf } from '../../../cli/simulate/sharding';
import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { parse } from '../../../formats/codec/issues';
import { serializeSource } from '../../../formats/registration/serialize';
import { parseSource } from '../../../formats/registration/source';
import { accepted } from '../helpers/parsing';
import { useCommands } from '../helpers/command';
import { anySource, anySourceType } from '../helpers/registrations';

const { out, err, pathOf, file } = useCommands();

const SHARDS = 3;
const whole = { reports: 'reports', sources: 'sources', summary: 'summary' };

async function printedBy(...command: readonly string[]): Promise<string> {
  out.length = 0;
  expect([await main(command), err.join('')]).toEqual([0, expect.any(String)]);
  return out.join('');
}

const simulate = (log: string, name: string, ...more: readonly string[]): Promise<string> =>
  printedBy(
    ...['simulate', '--input', log, '--output', pathOf(`${name}-${whole.reports}`), '--seed', '1'],
    ...['--sources-output', pathOf(`${name}-${whole.sources}`), '--threads', '1'],
    ...['--summary', pathOf(`${name}-${whole.summary}`), ...more],
  );

const estimate = (name: string, ...more: readonly string[]): Promise<string> =>
  printedBy(
    ...['estimate', '--reports', pathOf(`${name}-${whole.reports}`), '--group-by', 'format'],
    ...['--sources', pathOf(`${name}-${whole.sources}`), ...more],
  );

const sortedLines = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => readFileSync(pathOf(name), 'utf8').trimEnd().split('\n')).sort();

test('the shards of a log add up to the log, to the last byte: reports, summaries and estimates', async () => {
  const log = pathOf('log.ndjson');
  await printedBy('generate', '--users', '30', '--output', log);
  await simulate(log, 'all');
  const parts = Array.from({ length: SHARDS }, (_, shard) => `part${shard}`);
  for (const [shard, part] of parts.entries()) {
    await simulate(log, part, '--shard', `${shard}/${SHARDS}`);
    await estimate(part, '--statistics-output', pathOf(`${part}-statistics`));
  }
  for (const kind of [whole.reports, whole.sources])
    expect(sortedLines(...parts.map((part) => `${part}-${kind}`))).toEqual(sortedLines(`all-${kind}`));

  const merge = (kind: string): Promise<string> =>
    printedBy('merge', ...parts.toReversed().map((part) => pathOf(`${part}-${kind}`)));
  expect(await merge(whole.summary)).toBe(readFileSync(pathOf('all-summary'), 'utf8'));
  const merged = file('statistics', await merge('statistics'));
  expect(await printedBy('estimate', '--statistics', merged, '--states')).toBe(
    await estimate('all', '--states'),
  );

  // Splitting the log first gives the same parts.
  await printedBy('shard', '--of', String(SHARDS), '--input', log, '--output', pathOf('split-{}.ndjson.gz'));
  await simulate(pathOf('split-1.ndjson.gz'), 'split');
  expect(readFileSync(pathOf('split-reports'), 'utf8')).toBe(readFileSync(pathOf('part1-reports'), 'utf8'));
});

const NAMES = ['', 'ada', 'user-000000001', 'Zoë', 'Ω', '日本', '👩‍💻', 'x'.repeat(1000)];

test('the shard of a user is the start of the SHA-256 of the name', async () => {
  expect(NAMES.map((name) => shardOf(name, 1_000_000))).toEqual([
    12_610, 250_381, 759_693, 449_944, 413_093, 685_132, 797_139, 117_252,
  ]);
  const printed = await printedBy('shard', '--of', '8', 'ada', 'Zoë');
  expect(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { user: 'ada', shard: shardOf('ada', 8) },
    { user: 'Zoë', shard: shardOf('Zoë', 8) },
  ]);
});

/** The line of docs/cluster.md. */
const PYTHON = `
import hashlib, json, sys
def shard(user, n): return int(hashlib.sha256(user.encode()).hexdigest()[:8], 16) % n
print(json.dumps([shard(user, 1000000) for user in json.load(sys.stdin)]))
`;
const python = spawnSync('python3', ['-c', PYTHON], { input: JSON.stringify(NAMES), encoding: 'utf8' });

function pythonSaysTheSame(): void {
  expect(JSON.parse(python.stdout)).toEqual(NAMES.map((name) => shardOf(name, 1_000_000)));
}

(python.status === 0 ? test : test.skip)('Python says the same', pythonSaysTheSame);

test.each([
  [
    ['simulate', '--shard', '8/8', '--seed', '1'],
    'simulate: --shard: must be i/n, with n up to 1000000 and i from 0 to n − 1, was "8/8"',
  ],
  [['simulate', '--shard', '-1/8', '--seed', '1'], 'was "-1/8"'],
  [['simulate', '--shard', '0/0', '--seed', '1'], 'was "0/0"'],
  [['simulate', '--shard', '0/8'], 'simulate: --shard: must come with --seed'],
  [['shard', '--of', '0', 'ada'], 'shard: --of'],
  [['shard', '--of', '2', '--input', 'log'], 'shard: --input and --output: must come together'],
  [['shard', '--of', '2', '--input', 'log', '--output', 'part'], 'shard: --output: must contain {}'],
])('%j is refused', async ([command = '', ...more], message) => {
  const files = command === 'simulate' ? ['--input', 'none', '--output', pathOf('none')] : [];
  expect(await main([command, ...files, ...more])).toBe(2);
  expect(err.join('')).toContain(message);
});

test('what does not fit together is not merged', async () => {
  const empty = (fields: object): string =>
    file('statistics', JSON.stringify({ ...statistics.write(NONE), ...fields }));
  const [first, second] = [empty({}), pathOf('other')];
  file('other', JSON.stringify({ ...statistics.write(NONE), group_by: ['campaign'] }));
  expect(await main(['merge', first, second])).toBe(2);
  expect(err.splice(0).join('')).toBe(
    `cointoss: ${second}: group_by: must be as in ${first}, [], was ["campaign"]\n`,
  );
  file('summary', JSON.stringify({ users: 1 }));
  expect(await main(['merge', first, pathOf('summary')])).toBe(2);
  expect(err.splice(0).join('')).toContain('must have the field "group_by"');
  expect(await main(['estimate', '--statistics', first, '--as-of', '2026-01-01T00:00:00Z'])).toBe(2);
  expect(err.splice(0).join('')).toContain('estimate: --as-of: must not come with --statistics');
});

const NONE: Statistics = {
  groupBy: [],
  asOf: null,
  skew: 60,
  sources: {
    ...{ read: 0, repeated: 0, used: 0, missing: 0, impossible: 0 },
    ...{
      ambiguous: 0,
      reused: 0,
      heartbeats: 0,
      unknown_configuration: 0,
      open: 0,
      flooded: 0,
      incomplete: 0,
    },
  },
  reports: {
    ...{ read: 0, used: 0, duplicate: 0, unknown_source: 0, unused_source: 0, late: 0, other_rate: 0 },
    inconsistent: { trigger_data: 0, window: 0, bucket: 0, too_many: 0, value: 0 },
    other_kinds: {},
  },
  configurations: [],
};

const mechanisms: readonly Mechanism[] = [
  { kind: 'rr' },
  { kind: 'unbiased', values: [0, '1/3'], prior: ['2/3', '1/3'] },
];

test('statistics are what their JSON parses as, whatever the sources', () => {
  const anyCounted = fc.record({
    source: anySourceType.chain((type) =>
      // Parsed, because a key of configurations depends on the order of fields.
      anySource(type).map((source) =>
        // Some of them are warned of.
        accepted({ ...parseSource(serializeSource(source), type, chromiumLimits), warnings: [] }),
      ),
    ),
    mechanism: fc.constantFrom(...mechanisms),
    given: fc.option(fc.constantFrom('a', 'b')),
    outputs: fc.dictionary(
      fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
      fc.integer({ min: 1, max: 9 }),
    ),
  });
  fc.assert(
    fc.property(fc.array(anyCounted, { maxLength: 4 }), (counted) => {
      const parts = counted.map(({ source, mechanism, given, outputs }): Statistics => {
        const { triggerSpecs, maxEventLevelReports, flexible, eventLevelEpsilon: epsilon } = source;
        const configuration = { shape: { triggerSpecs, maxEventLevelReports, flexible }, epsilon, mechanism };
        const groups = [{ group: ['x'], tally: new Map(Object.entries(outputs)) }];
        return { ...NONE, configurations: [{ given, configuration, groups }] };
      });
      const all = parts.reduce(addStatistics, NONE);
      const read = accepted(parse(JSON.parse(JSON.stringify(statistics.write(all))) as Json, statistics));
      const keys = ({ configurations }: Statistics): readonly string[] =>
        configurations.map(({ configuration }) => configurationKey(configuration));
      expect(keys(read)).toEqual(keys(all));
      expect(statistics.write(parts.reduceRight((sum, part) => addStatistics(part, sum), read))).toEqual(
        statistics.write(parts.reduce(addStatistics, all)),
      );
    }),
    { numRuns: 100 },
  );
});

test('tallies of parts add up to that of the whole, also with more reasons than are kept', () => {
  const anyReasons = fc.array(
    fc.nat(300).map((number) => `reason ${number}`),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(anyReasons, anyReasons, (first, second) => {
      const tally = (...reasons: readonly string[]): OutcomeCounter => {
        const made = new OutcomeCounter();
        for (const reason of reasons) made.add('warnings', reason);
        return made;
      };
      const merged = tally();
      for (const part of [second, first]) merged.addAll(tally(...part).entries());
      expect([...merged.of('warnings')]).toEqual([...tally(...first, ...second).of('warnings')]);
    }),
    {
      numRuns: 50,
      examples: [[Array.from({ length: 150 }, (_, n) => `reason ${n}`), ['reason 3', 'reason 200']]],
    },
  );
});
