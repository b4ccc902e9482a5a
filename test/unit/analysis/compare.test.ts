import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { compareExperiment } from '../../../analysis/experiment/compare-example';
import { parseExperiment, type Experiment } from '../../../analysis/experiment/experiment';
import { reportHtml } from '../../../analysis/experiment/report-html';
import type { RunResult } from '../../../analysis/experiment/result';
import { rowsOf } from '../../../analysis/experiment/summary';
import { budget } from '../../../analysis/experiment/tasks/budget';
import { model } from '../../../analysis/experiment/tasks/model';
import { ranking } from '../../../analysis/experiment/tasks/ranking';
import { rates } from '../../../analysis/experiment/tasks/rates';
import { rateOf, type Task, type TaskGroup, type TaskOptions } from '../../../analysis/experiment/tasks/task';
import { metricsOf } from '../../../analysis/learn/metrics';
import { main } from '../../../cli/main';
import { root } from '../../../node/root';
import type { JsonObject } from '../../../src/model/json';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

const { out, err, pathOf, file } = useCommands();

const group = (sources: number, truth: number, estimate: number): TaskGroup => ({
  ...{ name: '', variance: 0 },
  ...{ sources, truth, estimate },
});
const unknown = (sources: number, truth: number, estimate: number): TaskGroup => ({
  ...group(sources, truth, estimate),
  variance: null,
});

const options: TaskOptions = { confidence: 0.95, holdout: null, mostValue: null };

const numbersOf = ({ numbers }: Task, groups: readonly TaskGroup[]): readonly number[] =>
  Object.values(numbers).map((numberOf) => numberOf({ groups, cells: [], sums: [], ...options }));

/** Two or more groups with conversions and others, and any estimates. */
const someGroups = fc
  .array(
    fc
      .record({
        sources: fc.integer({ min: 2, max: 40 }),
        share: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      })
      .chain(({ sources, share }) =>
        fc
          .double({ min: -20, max: 60, noNaN: true })
          .map((estimate) => group(sources, Math.max(1, Math.floor(share * sources)), estimate)),
      ),
    { minLength: 2, maxLength: 8 },
  )
  .map((groups) => groups.map((one) => ({ ...one, truth: Math.min(one.truth, one.sources - 1) })));

describe('the task', () => {
  test('rates measures what the lab measures, source by source', () => {
    fc.assert(
      fc.property(someGroups, (groups) => {
        const measured = (conversionsOf: (of: TaskGroup) => number): ReturnType<typeof metricsOf> => {
          const all = groups.flatMap((one) => {
            const rate = rateOf(conversionsOf(one), one);
            return Array.from({ length: one.sources }, (_, source) => ({
              output: Math.log(rate / (1 - rate)),
              label: source < one.truth ? 1 : 0,
            }));
          });
          return metricsOf(
            'cross-entropy',
            Float32Array.from(all, ({ output }) => output),
            Float32Array.from(all, ({ label }) => label),
            1,
          );
        };
        const expected = measured(({ estimate }) => estimate);
        const least = measured(({ truth }) => truth).logLoss ?? NaN;
        const [excess, auc, calibration] = numbersOf(rates, groups);
        expect(excess).toBeCloseTo((100 * ((expected.logLoss ?? NaN) - least)) / least, 2);
        expect(auc).toBeCloseTo(expected.auc ?? NaN, 6);
        expect(calibration).toBeCloseTo(expected.calibration, 4);
      }),
      { numRuns: isLong ? 100 : 30, seed: 1 },
    );
  });

  test('ranking counts the swaps that sorting needs', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 8 }),
        (estimates) => {
          // True rates ascend, so sorting the estimates by insertion swaps each wrong pair once.
          const groups = estimates.map((estimate, index) => group(100, 10 * index, estimate));
          const sorted = [...estimates];
          let swaps = 0;
          for (let end = 1; end < sorted.length; end++)
            for (let at = end; at > 0 && (sorted[at - 1] ?? 0) > (sorted[at] ?? 0); at--, swaps++)
              [sorted[at - 1], sorted[at]] = [sorted[at] ?? 0, sorted[at - 1] ?? 0];
          const pairs = (estimates.length * (estimates.length - 1)) / 2;
          expect(numbersOf(ranking, groups)[0]).toBeCloseTo((100 * swaps) / pairs, 9);
        },
      ),
      { numRuns: isLong ? 100 : 50, seed: 2 },
    );
  });

  test.each<[string, Task, readonly TaskGroup[], readonly number[]]>([
    ['equal estimates', ranking, [group(9, 1, 4), group(9, 3, 4), group(9, 7, 4)], [50, 400 / 9]],
    ['the truth', ranking, [group(9, 1, 1), group(9, 3, 3)], [0, 0]],
    ['the truth', budget, [group(9, 1, 1), group(9, 3, 3), group(99, 60, 60)], [0, 0, 0]],
    // The mean rate is 13.5/33; with the estimates it is 15.5/33, above the second's 13.5/33.
    [
      'one decision that flips',
      budget,
      [group(10, 1, 2), group(10, 5, 4), group(10, 6, 8)],
      [100 / 3, 50, 0],
    ],
    // Only the second is raised, although the first ought to be.
    ['both decisions that flip', budget, [group(10, 6, 2), group(10, 1, 8)], [100, 100, 100]],
    // No rate is below 0 or above 1, so neither is above the other.
    ['estimates out of range', budget, [group(10, 2, -50), group(10, 8, 500)], [0, 0, 0]],
    ['the truth', rates, [group(10, 2, 2), group(10, 8, 8)], [0, 0.8, 1]],
    // As label proportions of one bag: all have the same rate, so their sizes would order them.
    [
      'unknown groups',
      ranking,
      [unknown(9, 1, 2), unknown(99, 33, 22), unknown(999, 666, 222)],
      [50, 100 * (1 - (0.15 + 0.335 + 0.6665) / 3 / 0.6665)],
    ],
    ['one unknown group', ranking, [group(9, 2, 2), group(9, 1, 1), unknown(9, 7, 9)], [100 / 3, 200 / 3]],
    ['unknown groups', budget, [unknown(9, 1, 2), unknown(99, 88, 22)], [50, 50, 50]],
    ['one unknown group', budget, [group(10, 6, 6), group(10, 2, 2), unknown(10, 1, 0)], [50 / 3, 0, 25]],
    [
      'unknown groups',
      rates,
      [unknown(9, 1, 2), unknown(99, 53, 52)],
      [
        100 *
          ((-108 * Math.log(0.5)) /
            -(Math.log(0.15) + 8 * Math.log(0.85) + 53 * Math.log(0.535) + 46 * Math.log(0.465)) -
            1),
        0.5,
        1,
      ],
    ],
  ])('gives for %s: %#', (_, task, groups, expected) => {
    numbersOf(task, groups).forEach((found, index) => expect(found).toBeCloseTo(expected[index] ?? NaN, 9));
  });
});

/** Two columns; the level of the second comes first. */
const twoColumns: readonly RunResult['groups'][number][] = [
  { level: 1, group: ['b'], estimate: 1 },
  { level: 1, group: ['c'], estimate: 9 },
  { level: 2, group: ['x'], estimate: 9 },
  { level: 2, group: ['y'], estimate: 1 },
].map(({ estimate, ...of }) => ({
  ...{ ...of, quantity: 'conversions', observed: estimate, estimate },
  ...{ low: estimate, high: estimate, variance: 0 },
}));

test('tasks are by the first level of one column, whichever order the columns have', () => {
  const given = {
    grid: { api: [{ kind: 'summary' }] },
    measure: { levels: [['type', 'arm'], ['arm'], ['type']], tasks: ['ranking'] },
  };
  const experiment = parseExperiment(given).value as Experiment;
  const run: RunResult = {
    // By arm the first has fewer conversions, by type more.
    sources: [
      { group: ['x', 'b'], count: 50, conversions: 2 },
      { group: ['y', 'c'], count: 50, conversions: 8 },
    ],
    groups: twoColumns,
    counts: [],
    delays: [],
    spent: { units: 0, mean: 0, most: 0 },
  };
  const [found] = rowsOf(
    experiment,
    [{ values: [null], truth: run, credit: [run], noisy: [run, run] }],
    [],
  ).filter(({ measure }) => measure === 'task');
  expect(found).toMatchObject({ level: 'arm', value: { mean: 0 } });
});

test('what a log without conversions does not decide is left out of the table and the report', () => {
  const experiment = parseExperiment(compareExperiment).value as Experiment;
  const run: RunResult = {
    sources: [
      { group: ['a'], count: 3, conversions: 0 },
      { group: ['b'], count: 5, conversions: 0 },
    ],
    groups: [],
    counts: [],
    delays: [],
    spent: { units: 0, mean: 0, most: 0 },
  };
  const values = experiment.grid.map((axis) => axis.values[0] ?? null);
  const rows = rowsOf(experiment, [{ values, truth: run, credit: [run], noisy: [run, run] }], []);
  const found = rows.filter(({ measure }) => measure === 'task');
  expect(found.map(({ what }) => what)).toEqual([
    ...[ranking, budget].flatMap(({ numbers }) => Object.keys(numbers)),
    'log loss above the least, %',
  ]);
  const report = reportHtml(experiment, rows, [], { users: 1, events: 8, runs: 3 });
  expect(report).not.toMatch(/NaN|Infinity/);
  expect(report).toContain('<th scope="col">calibration</th>');
});

describe('cointoss compare', () => {
  const small: JsonObject = {
    ...compareExperiment,
    repetitions: 2,
    data: { users: 40, demo: true },
    measure: {
      levels: [['campaign'], ['source_type']],
      tasks: ['ranking', 'budget', 'rates', 'model'],
    },
    grid: {
      ...(compareExperiment['grid'] as JsonObject),
      'settings.budget.epsilon': [14],
      api: [
        { kind: 'event-level' },
        { kind: 'w3c', conversions: 2 },
        { kind: 'label-sums' },
        { kind: 'proportions', size: 4 },
        { kind: 'attribution-sets', size: 4 },
        {
          kind: 'mixed',
          browsers: [
            { share: 0.4, api: { kind: 'event-level' } },
            { share: 0.5, api: { kind: 'summary' } },
          ],
        },
      ],
    },
  };

  test('does each task with what each API releases', () => {
    const output = pathOf('compared');
    const words = ['compare', file('small.json', small), '--output', output, '--threads', '1'];
    // Jest cannot load what writes Parquet, which is a module.
    const { status } = spawnSync(process.execPath, ['cli/cointoss.mjs', ...words], { cwd: root });
    expect(status).toBe(0);
    const rows = readFileSync(path.join(output, 'results.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ measure }) => measure === 'task');
    expect(rows.map(({ cell, quantity, what }) => [cell, quantity, what])).toEqual(
      [0, 1, 2, 3, 4, 5].flatMap((cell) =>
        Object.entries({ ranking, budget, rates, model }).flatMap(([name, { numbers }]) =>
          Object.keys(numbers).map((what) => [cell, name, what]),
        ),
      ),
    );
    const valueOf = (cell: number, wanted: string): number =>
      Number(rows.find((row) => row['cell'] === cell && row['what'] === wanted)?.['value']);
    // What the browser adds up has less noise than reports that each have some.
    const loss = 'log loss above the least, %';
    expect(valueOf(1, loss)).toBeLessThan(valueOf(0, loss));
    expect(valueOf(1, 'AUC')).toBeGreaterThan(0.5);
    const report = readFileSync(path.join(output, 'report.html'), 'utf8');
    for (const { title } of [ranking, budget, rates, model]) expect(report).toContain(`<h2>${title}</h2>`);
  });

  test('refuses a lift test by a column without both arms', () => {
    const given = {
      repetitions: 2,
      data: { users: 40, liftTest: { lift: 0.5, rate: 0.3 } },
      settings: { budget: { epsilon: 4, cap: 2, unit: 'user-advertiser', period: 7 } },
      grid: { api: [{ kind: 'summary' }] },
      measure: { levels: [['source_type'], ['arm']], tasks: ['lift'] },
    };
    const words = ['compare', file('lift.json', given), '--output', pathOf('lift'), '--threads', '1'];
    const { status, stderr } = spawnSync(process.execPath, ['cli/cointoss.mjs', ...words], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toContain('because measure.tasks has lift; "source_type" is never "exposed"');
    expect(status).toBe(2);
  });

  test('prints the comparison that it makes by itself', async () => {
    expect(await main(['compare', '--example'])).toBe(0);
    const { $schema, ...printed } = JSON.parse(out.join('')) as JsonObject;
    expect($schema).toMatch(/experiment\.schema\.json$/);
    expect(printed).toEqual(compareExperiment);
  });

  test('takes the option that it names if a setting had no effect', async () => {
    const words = ['compare', file('bad.json', { ...small, measure: {} }), '--allow-no-effect'];
    expect(await main(words)).toBe(2);
    expect(err.join('')).toContain('measure.tasks: must have at least one task');
  });

  test.each<[string, JsonObject, string]>([
    ['without tasks', { ...small, measure: {} }, 'measure.tasks: must have at least one task'],
    [
      'without an API',
      { ...small, grid: {} },
      'must have an api, and a level of one column in measure.levels',
    ],
    ['without a column', { ...small, measure: { levels: [[]], tasks: ['budget'] } }, 'a level of one column'],
    [
      'without a level for a column of the model',
      { ...small, measure: { levels: [['campaign'], ['campaign', 'source_type']], tasks: ['model'] } },
      'must have the level ["source_type"] in measure.levels, because measure.tasks has model',
    ],
    [
      'with more than all people',
      {
        ...small,
        grid: {
          api: [
            {
              kind: 'mixed',
              browsers: [0.7, 0.5].map((share) => ({ share, api: { kind: 'event-level' } })),
            },
          ],
        },
      },
      'must have shares of at most 1 together in api.browsers, had 1.2',
    ],
    [
      'with successive sets of some people',
      {
        ...small,
        grid: {
          api: [
            {
              kind: 'mixed',
              browsers: [{ share: 0.5, api: { kind: 'attribution-sets', size: 2, order: 'successive' } }],
            },
          ],
        },
      },
      'must have no successive attribution sets in api.browsers',
    ],
    [
      'with a lift, but without the share that is held out',
      { ...small, measure: { levels: [['campaign']], tasks: ['lift'] } },
      'must have measure.holdout, or data.liftTest',
    ],
    [
      'with a lift and a mix of browsers',
      {
        ...small,
        measure: { levels: [['campaign']], tasks: ['lift'], holdout: 0.5 },
        grid: { api: [{ kind: 'mixed', browsers: [{ share: 1, api: { kind: 'event-level' } }] }] },
      },
      'must have another api than "mixed", because measure.tasks has lift',
    ],
    [
      'with an unknown task',
      { ...small, measure: { tasks: ['rank'] } },
      'measure.tasks[0]: must be "ranking" or',
    ],
  ])('refuses an experiment %s', async (_, experiment, message) => {
    expect(await main(['compare', file('bad.json', experiment), '--output', pathOf('none')])).toBe(2);
    expect(err.join('')).toContain(message);
  });
});
