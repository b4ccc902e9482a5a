import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node/root';
import { copyRows } from './copied-rows';
import { COMMAND, measure } from './measured-command';
import { processorTimes, usedBetween } from './processor-time';

/*
 * How well a command's progress foretells its end. A command shows it at a terminal, which util-linux's `script` is.
 */

/** Between two looks at the processor time. */
const MILLISECONDS = 250;
const POINTS = [0.25, 0.5, 0.75] as const;
const cointoss = path.join(root, 'cli/cointoss.mjs');

/** In seconds since the start. */
interface Told {
  readonly at: number;
  readonly left: number;
}

/** @param users of the log that is simulated; a tenth for each run of the experiment */
export async function benchTimeLeft(folder: string, users: number): Promise<void> {
  const file = (name: string): string => path.join(folder, name);
  const [log, reports, sources] = [file('log.ndjson'), file('reports.ndjson'), file('sources.ndjson')];
  measure(COMMAND, 'generate', '--users', String(users), '--output', log);
  const simulate = ['simulate', '--input', log, '--output', reports, '--sources-output', sources];
  await foretell('simulate', ...simulate, '--seed', '1');
  await foretellEstimate(folder, reports, sources);
  const grid = { 'source.event_level_epsilon': [1, 3, 8] };
  const data = { users: Math.ceil(users / 10) };
  writeFileSync(
    file('experiment.json'),
    JSON.stringify({ title: 'time left', seed: 'left', repetitions: 6, data, grid }),
  );
  await foretell('experiment', 'experiment', file('experiment.json'), '--output', file('results'));
}

/** A log for `estimate` is longer than one for `simulate` that takes as long. */
const COPIES = 16;

async function foretellEstimate(folder: string, reports: string, sources: string): Promise<void> {
  const [copiedReports, copiedSources] = ['reports', 'sources'].map((kind) =>
    path.join(folder, `copied-${kind}.ndjson`),
  ) as [string, string];
  await copyRows(reports, copiedReports, COPIES);
  await copyRows(sources, copiedSources, COPIES);
  const files = ['--reports', copiedReports, '--sources', copiedSources];
  const output = ['--output', path.join(folder, 'estimates.csv')];
  await foretell('estimate', 'estimate', ...files, ...output, '--group-by', 'destination');
}

/**
 * Prints how long a command takes, when it first prints a line of its result, and what its progress told last when a quarter, half and three quarters
 * of the time had passed, as a share of the truth.
 */
export async function foretell(name: string, ...args: readonly string[]): Promise<void> {
  const command = [process.execPath, cointoss, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  const told: Told[] = [];
  const lines: number[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const left = /, (\d+) s left/.exec(text)?.[1];
    if (left !== undefined) told.push({ at: seconds(), left: Number(left) });
    if (text.includes('\n')) lines.push(seconds());
  });
  let cpu = 0;
  const counting = setInterval(() => {
    cpu = Math.max(cpu, usedBetween(new Map(), processorTimes(child.pid ?? NaN)) / 1000);
  }, MILLISECONDS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(counting);
  if (code !== 0) throw new Error(`${name}: failed`);
  const all = seconds();
  const shares = POINTS.map((point) => {
    const last = told.findLast(({ at }) => at <= point * all);
    return `at ${100 * point} %: ${last === undefined ? 'nothing' : shareText(last, all)}`;
  });
  console.log(
    `  ${name}: ${all.toFixed(0)} s, ${cpu.toFixed(0)} s of processors, first line after ${(lines[0] ?? NaN).toFixed(1)} s; time left, told against true: ${shares.join(', ')}`,
  );
}

const shareText = ({ at, left }: Told, all: number): string => (left / (all - at)).toFixed(2);
