import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { linesOf } from '../node/lines';
import { root } from '../node/root';
import { copyRows } from './copied-rows';
import { READ_AND_PARSE, READ_AND_SPLIT, writeLog } from './made-up-log';
import { COMMAND, measure, measureAloud, mebibytes, type Measured } from './measured-command';

/*
 * How time and memory of commands grow with a log of 100,000 to ten million rows, as far as ten minutes go: a longer run is worked out from the last one.
 * `npm run bench -- growth-commands 1000000 estimate aggregate` measures two of the commands, up to a million rows. At ten million rows, the files of
 * `estimate` take several gigabytes.
 */

const FEWEST = 100_000;
const MOST = 10_000_000;
const TIMES = 10;
const MOST_SECONDS = 600;
/** `aggregate` gets a sealed report for so many rows. */
const ROWS_OF_SEALED = 100;
/** In the made-up log of `generate --demo`. */
const SEALED_OF_A_USER = 0.65;

const map = (name: string): string => path.join(root, 'scenarios', name);

/** A command whose input was written, and how much that is. */
interface Prepared {
  readonly command: readonly string[];
  readonly rows: number;
  readonly exitCode?: number;
}

/** Writes the input of a command, of about so many rows of a log. */
type Prepare = (folder: string, rows: number) => Promise<Prepared> | Prepared;

const commands: Readonly<Record<string, Prepare>> = {
  simulate: (folder, rows) => {
    const log = logIn(folder, rows);
    return { rows, command: simulation(folder, log) };
  },
  estimate: prepareEstimate,
  learn: (folder, rows) => {
    const log = logIn(folder, rows);
    show(rows, 'to read and split', measure(READ_AND_SPLIT, log));
    const output = ['--output', path.join(folder, 'log.examples')];
    const of = ['--map', map('learn/criteo-attribution.map.json'), '--input', log];
    return { rows, command: ['learn', 'data', ...of, ...output] };
  },
  aggregate: prepareAggregate,
};

/** @param most rows @param words the commands; all unless given */
export async function benchGrowthCommands(most = MOST, words: readonly string[] = []): Promise<void> {
  console.log('  rows | command | seconds | of processors | µs a row | MiB');
  for (const [name, prepare] of Object.entries(commands)) {
    if (words.length > 0 && !words.includes(name)) continue;
    let before: { readonly rows: number; readonly seconds: number } | null = null;
    for (let rows = Math.min(FEWEST, most); rows <= most; rows *= TIMES) {
      const expected: number = before === null ? 0 : (before.seconds * rows) / before.rows;
      if (expected > MOST_SECONDS) {
        console.log(`  ${rows} | ${name} | ${expected.toFixed(0)}, worked out | – | – | –`);
        continue;
      }
      const found = await measuredIn(prepare, rows);
      show(found.rows, name, found);
      before = { rows, seconds: found.seconds };
    }
  }
}

async function measuredIn(prepare: Prepare, rows: number): Promise<Measured & { readonly rows: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-growth-'));
  try {
    console.error(`  its input, of ${rows} rows, is written`);
    const prepared = await prepare(folder, rows);
    return { ...measureAloud(COMMAND, prepared.command, prepared.exitCode), rows: prepared.rows };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function logIn(folder: string, rows: number): string {
  const log = path.join(folder, 'log.tsv');
  writeLog(log, rows);
  return log;
}

const simulation = (folder: string, log: string): readonly string[] => [
  ...['simulate', '--map', map('criteo-attribution.map.json'), '--unsorted', '--seed', '1', '--input', log],
  ...[
    '--output',
    path.join(folder, 'reports.ndjson'),
    '--sources-output',
    path.join(folder, 'sources.ndjson'),
  ],
];

/**
 * Of a longer log, it gets copies of what was simulated of the shortest one. Their noise is the same, which looks as if reports were lost or made up: it
 * joins and counts everything, and gives no interval (exit code 2).
 */
async function prepareEstimate(folder: string, rows: number): Promise<Prepared> {
  const simulated = Math.min(FEWEST, rows);
  measure(COMMAND, ...simulation(folder, logIn(folder, simulated)));
  const copied = (kind: string): string => path.join(folder, `copied-${kind}.ndjson`);
  const kinds = ['reports', 'sources'];
  for (const kind of kinds)
    await copyRows(path.join(folder, `${kind}.ndjson`), copied(kind), rows / simulated);
  show(rows, 'to read and parse', measure(READ_AND_PARSE, ...kinds.map(copied)));
  const logs = kinds.flatMap((kind) => [`--${kind}`, copied(kind)]);
  const output = ['--group-by', 'cat1', '--output', path.join(folder, 'estimates.csv')];
  return { rows, command: ['estimate', ...logs, ...output], exitCode: rows === simulated ? 0 : 2 };
}

async function prepareAggregate(folder: string, rows: number): Promise<Prepared> {
  const file = (name: string): string => path.join(folder, name);
  const keys = openSync(file('public.json'), 'wx');
  const cointoss = path.join(root, 'cli/cointoss.mjs');
  const made = spawnSync(process.execPath, [cointoss, 'aggregate', '--new-key', file('private.json')], {
    stdio: ['ignore', keys, 'ignore'],
  });
  closeSync(keys);
  if (made.status !== 0) throw new Error('no key was made');
  writeFileSync(file('buckets.csv'), 'bucket\n0x1\n');
  const [log, reports] = [file('log.ndjson'), file('reports.ndjson')];
  const users = Math.ceil(rows / ROWS_OF_SEALED / SEALED_OF_A_USER);
  measure(COMMAND, 'generate', '--demo', '--users', String(users), '--output', log);
  const simulate = ['simulate', '--input', log, '--output', reports, '--seed', '1'];
  measureAloud(COMMAND, [...simulate, '--aggregation-key', file('public.json')]);
  const summary = ['--buckets', file('buckets.csv'), '--output', file('summary.ndjson')];
  return {
    rows: await sealedIn(reports),
    command: ['aggregate', '--reports', reports, '--keys', file('private.json'), ...summary],
  };
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
