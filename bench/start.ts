import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../node/root';
import { median } from './measure';

/*
 * Processor time (user and system) to start a command, as a multiple of bare Node's. The two take turns, so that other load affects both
 * alike.
 */

const TURNS = 21;
/** As multiples of bare Node's start: a command above the goal is named, and above the limit the bench fails. */
const GOAL = 2.5;
const LIMIT = 3.5;
const command = path.join(root, 'cli/cointoss.mjs');

const bare = ['-e', '0'];
const starts: Readonly<Record<string, readonly string[]>> = {
  'cointoss --version': [command, '--version'],
  'cointoss --help': [command, '--help'],
  'cointoss states': [command, 'states', '--source-type', 'event', '-'],
  'cointoss validate': [command, 'validate', '--source', '-'],
};

/** Commands that load more, and the least that each needs: a parser of options. */
const largerStarts = (folder: string): Readonly<Record<string, readonly string[]>> => {
  const file = (name: string): string => path.join(folder, name);
  spawnSync(process.execPath, [command, 'generate', '--users', '1', '--output', file('log.ndjson')]);
  return {
    'collect --help': [command, 'collect', '--help'],
    'simulate, one user': [
      ...[command, 'simulate', '--input', file('log.ndjson'), '--output', file('reports.ndjson')],
      ...['--seed', '1'],
    ],
    // What the run needs is loaded, and nothing runs.
    '… its code alone': [command, 'simulate', '--help'],
    // In the project's folder, where Node finds its packages.
    '… commander alone': ['--input-type=module', '--eval', "import 'commander';"],
  };
};

/** Uses the shell's clock, because Node does not report the processor time of its children. */
function processorSeconds(args: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1';
  const input = '{"destination":"https://shop.example"}';
  const { stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    cwd: root,
    input,
  });
  const [user = NaN, system = NaN] = stderr.toString().trim().split(' ').map(Number);
  return user + system;
}

/** Prints the ratios. The bench ends with exit code 1 if one is above the limit, or was not measured. */
export function benchStart(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-start-'));
  try {
    compareStarts(largerStarts(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compareStarts(larger: Readonly<Record<string, readonly string[]>>): void {
  const all = [bare, ...Object.values(starts), ...Object.values(larger)];
  const taken = new Map(all.map((args) => [args, [] as number[]]));
  for (let turn = 0; turn < TURNS; turn++)
    for (const [args, seconds] of taken) seconds.push(processorSeconds(args));
  const secondsOf = (args: readonly string[]): number => median(taken.get(args) ?? []);
  console.log(`node -e 0           ${(secondsOf(bare) * 1000).toFixed(0)} ms of processor time`);
  const ratios = new Map(
    Object.entries({ ...starts, ...larger }).map(([name, args]) => [name, secondsOf(args) / secondsOf(bare)]),
  );
  for (const [name, ratio] of ratios) console.log(`${name.padEnd(19)} ${ratio.toFixed(2)} times that`);
  console.log();
  const times = "times bare Node's time";
  for (const [name, ratio] of ratios)
    if (!(ratio <= LIMIT)) {
      process.stderr.write(
        `bench: ${name}: must start in at most ${LIMIT} ${times}, took ${ratio.toFixed(2)}\n`,
      );
      process.exitCode = 1;
    } else if (ratio > GOAL)
      process.stderr.write(`bench: ${name}: misses the goal of ${GOAL} ${times}, took ${ratio.toFixed(2)}\n`);
}
