import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../node/root';

/** A file, and its name in a list. */
interface Addition {
  readonly file: string;
  readonly text: string;
  readonly list: string;
  /** How the list begins. */
  readonly before: string;
  readonly entry: string;
}

const additions: readonly Addition[] = [
  {
    file: 'analysis/attack/coin.ts',
    text: `
      import { uniformBelow } from '../../src/privacy/uniform';
      import type { Attack } from './attack';
      const right = (epsilon: number | null): number => (epsilon === null ? 1 : 1 / (1 + Math.exp(-epsilon)));
      export const coin: Attack = {
        what: 'guess a coin from one answer that randomized response gave',
        attackers: ['reader'],
        exact: (epsilon) => [right(epsilon)],
        bounds: (epsilon) => [right(epsilon)],
        trial: (_, random) => ({ tables: [], right: [Number(uniformBelow(random, 2n))] }),
      };`,
    list: 'analysis/attack/attacks.ts',
    before: 'attacks: Readonly<Record<string, Attack>> = {',
    entry: 'coin',
  },
  {
    file: 'analysis/experiment/tasks/overestimates.ts',
    text: `
      import type { Task } from './task';
      export const overestimates: Task = {
        title: 'Count overestimates',
        what: 'Campaigns have more conversions by the estimate than in truth.',
        needsFeatures: false,
        measures: 'conversions',
        numbers: {
          'overestimated, %': ({ groups }) =>
            (100 * groups.filter(({ truth, estimate }) => estimate > truth).length) / groups.length,
        },
      };`,
    list: 'analysis/experiment/tasks/tasks.ts',
    before: 'export const tasks = {',
    entry: 'overestimates',
  },
  {
    file: 'analysis/experiment/designs/one-bag.ts',
    text: `
      import { constant, record } from '../../../formats/codec/record';
      import { conversionsField, type SummaryContender } from './design';
      import { Proportions } from './proportions';
      interface OneBagApi { readonly kind: 'one-bag'; readonly conversions: number }
      /** Label proportions with all sources of a reporting origin in one bag. */
      export const oneBag: SummaryContender<OneBagApi> = {
        codec: record<OneBagApi>({ kind: constant('kind', 'one-bag'), conversions: conversionsField }),
        designOf: (_, levels, sources) => new Proportions(levels, sources, Infinity),
      };`,
    list: 'analysis/experiment/designs/designs.ts',
    before: 'const contenders = {',
    entry: "'one-bag': oneBag",
  },
];

const experiment = {
  repetitions: 2,
  seed: 'additions',
  data: { users: 40, demo: true },
  settings: { budget: { unit: 'user-advertiser', period: 7, epsilon: 8, cap: 2 } },
  grid: { api: [{ kind: 'summary' }, { kind: 'one-bag' }] },
  measure: { levels: [['campaign']], tasks: ['ranking', 'overestimates'] },
};

/** These have the commands' code, and nothing that it needs not. */
const isCode = (name: string): boolean => !['node_modules', 'dist', 'docs', 'test'].includes(name);

describe('one file, and its name in a list, is all that running needs for', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-additions-'));
  const pathOf = (name: string): string => path.join(folder, name);
  const run = (...words: readonly string[]): string => {
    const program = `
      const { main } = await import(${JSON.stringify(pathOf('dist/node/main.mjs'))});
      process.exitCode = await main(process.argv.slice(1));`;
    const args = ['--input-type=module', '-e', program, '--', ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    return stdout;
  };

  beforeAll(async () => {
    for (const name of readdirSync(root).filter((one) => !one.startsWith('.') && isCode(one)))
      cpSync(path.join(root, name), pathOf(name), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), pathOf('node_modules'));
    for (const { file, text, list, before, entry } of additions) {
      writeFileSync(pathOf(file), text);
      const lines = readFileSync(pathOf(list), 'utf8').split(before);
      if (lines.length !== 2) throw new Error(`${list} has no list that begins with ${before}`);
      const name = entry.split(' ').at(-1) ?? '';
      const added = `import { ${name} } from './${path.basename(file, '.ts')}';\n`;
      writeFileSync(pathOf(list), added + lines.join(`${before} ${entry}, `));
    }
    await build({
      absWorkingDir: folder,
      entryPoints: { main: 'cli/main.ts', 'experiment-worker': 'cli/experiment/worker.ts' },
      outdir: 'dist/node',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { __dirname: 'import.meta.dirname' },
      logLevel: 'error',
    });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('an attack', () => {
    const { success, bound } = JSON.parse(run('attack', 'coin', '--epsilon', '1')) as Record<string, number>;
    expect(success).toBeCloseTo(Math.E / (1 + Math.E), 12);
    expect(bound).toBe(success);
  });

  test('a task, and an API to compare', () => {
    writeFileSync(pathOf('experiment.json'), JSON.stringify(experiment));
    const words = ['experiment.json', '--output', 'compared', '--threads', '1'];
    run('compare', ...words);
    const rows = readFileSync(pathOf('compared/results.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const found = rows.filter(({ measure, quantity }) => measure === 'task' && quantity === 'overestimates');
    expect(found.map(({ cell, what }) => [cell, what])).toEqual([
      [0, 'overestimated, %'],
      [1, 'overestimated, %'],
    ]);
    // In one bag, all campaigns have the same rate.
    const wrong = rows.filter(({ what }) => what === 'pairs in the wrong order, %');
    expect(wrong[0]?.['value']).toBeLessThan(50);
    expect(wrong[1]?.['value']).toBe(50);
    expect(readFileSync(pathOf('compared/report.html'), 'utf8')).toContain('<h2>Count overestimates</h2>');
  });
});
