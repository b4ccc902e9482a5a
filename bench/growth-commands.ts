import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { linesOf } from '../node/lines';
import { root } from '../node/root';
import { copyRows } from './copied-rows';
import { READ_AND_SPLIT, writeLog } from './made-up-log';
import { COMMAND, measure, mebibytes, type Measured } from './measured-command';

/*
 * How time and memory of commands grow with a log of 100,000 to ten million rows, and of `aggregate` with sealed reports, as far as ten minutes go. Of
 * `simulate`, longer logs are worked out from the last one; `estimate` then gets copies of its output.
 */

const FEWEST = 100_000;
const MOST = 10_000_000;
const TIMES = 10;
const MOST_SECONDS = 600;
/** In the made-up log of `generate --demo`. */
const SEALED_OF_A_USER = 0.65;

type Files = Readonly<Record<'log' | 'reports' | 'sources' | 'output', string>>;

function filesIn(folder: string, rows: number): Files {
  const file = (name: string): string => path.join(folder, `${rows}-${name}`);
  return {
    log: file('log.tsv'),
    reports: file('reports.ndjson'),
    sources: file('sources.ndjson'),
    output: file('output.csv'),
  };
}

const map = (name: string): string => path.join(root, 'scenarios', name);

const commands: Readonly<Record<string, (files: Files) => readonly string[]>> = {
  simulate: ({ log, reports, sources }) => [
    ...['simulate', '--map', map('criteo-attribution.map.json'), '--unsorted', '--seed', '1'],
    ...['--input', log, '--output', reports, '--sources-output', sources],
  ],
  estimate: ({ reports, sources, output }) => [
    ...['estimate', '--reports', reports, '--sources', sources, '--group-by', 'cat1', '--output', output],
  ],
  'learn data': ({ log, output }) => [
    ...['learn', 'data', '--map', map('learn/criteo-attribution.map.json')],
    ...['--input', log, '--output', `${output}.examples`],
  ],
};

/** @param most rows */
export async function benchGrowthCommands(most = MOST): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-growth-'));
  try {
    console.log('  rows | command | seconds | of processors | µs a row | MiB');
    await growLogs(folder, most);
    await growAggregate(folder, most);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function growLogs(folder: string, most: number): Promise<void> {
  let before: Files | null = null;
  let ofRow = 0;
  for (let rows = FEWEST; rows <= most; rows *= TIMES) {
    const files = filesIn(folder, rows);
    writeLog(files.log, rows);
    show(rows, 'to read and split', measure(READ_AND_SPLIT, files.log));
    for (const [name, argumentsFor] of Object.entries(commands)) {
      const expected = rows * ofRow;
      if (name === 'simulate' && before !== null && expected > MOST_SECONDS * availableParallelism()) {
        console.log(`  ${rows} | ${name} | – | ${expected.toFixed(0)}, worked out | –`);
        for (const kind of ['reports', 'sources'] as const) await copyRows(before[kind], files[kind], TIMES);
        continue;
      }
      const found = measure(COMMAND, ...argumentsFor(files));
      show(rows, name, found);
      if (name === 'simulate') ofRow = found.cpu / rows;
    }
    if (before !== null) for (const file of Object.values(before)) rmSync(file, { force: true });
    before = files;
  }
}

/** Of as many reports as a hundredth of the rows. */
async function growAggregate(folder: string, most: number): Promise<void> {
  const file = (name: string): string => path.join(folder, name);
  const keys = openSync(file('public.json'), 'wx');
  const made = spawnSync(
    process.execPath,
    [path.join(root, 'cli/cointoss.mjs'), 'aggregate', '--new-key', file('private.json')],
    { stdio: ['ignore', keys, 'ignore'] },
  );
  closeSync(keys);
  if (made.status !== 0) throw new Error('no key was made');
  writeFileSync(file('buckets.csv'), 'bucket\n0x1\n');
  for (let rows = FEWEST; rows <= most; rows *= TIMES) {
    const [log, reports] = [file('log.ndjson'), file('reports.ndjson')];
    const users = Math.ceil(rows / 100 / SEALED_OF_A_USER);
    measure(COMMAND, 'generate', '--demo', '--users', String(users), '--output', log);
    const simulate = ['simulate', '--input', log, '--output', reports, '--seed', '1'];
    measure(COMMAND, ...simulate, '--aggregation-key', file('public.json'));
    // Reports are aggregated once, and each size has those of the one before.
    const ledger = ['--ledger', file(`${rows}.ledger`)];
    const summary = [...ledger, '--buckets', file('buckets.csv'), '--output', file('summary.ndjson')];
    const found = measure(
      COMMAND,
      'aggregate',
      '--reports',
      reports,
      '--keys',
      file('private.json'),
      ...summary,
    );
    show(await sealedIn(reports), 'aggregate', found);
  }
}

async function sealedIn(file: string): Promise<number> {
  let sealed = 0;
  for await (const lines of linesOf(createReadStream(file)))
    sealed += lines.filter(({ value }) => value.includes('"aggregation_service_payloads"')).length;
  return sealed;
}

function show(rows: number, name: string, found: Measured): void {
  const numbers = [found.seconds.toFixed(1), found.cpu.toFixed(1), ((1e6 * found.cpu) / rows).toFixed(0)];
  console.log(`  ${[rows, name, ...numbers, mebibytes(found)].join(' | ')}`);
}
