import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../node/root';
import { READ_AND_SPLIT, writeLog } from './made-up-log';
import { COMMAND, measure, measureAloud, mebibytes, type Measured } from './measured-command';

/*
 * A researcher's day, from an empty folder: a log with the columns of Criteo's attribution data, which the commands simulate, estimate from, and train
 * models on. Each step prints its time and peak memory.
 */

const ROWS = 1_000_000;
const MEBIBYTE = 2 ** 20;

/** The least that `simulate` does without the engine: it also sorts by user and time, and writes as many bytes as it is told. */
const READ_SORT_AND_WRITE = `const { closeSync, createReadStream, openSync, writeSync } = await import('node:fs');
const { createInterface } = await import('node:readline');
const [input, output, bytes] = process.argv.slice(1);
const rows = [];
for await (const line of createInterface({ input: createReadStream(input) })) {
  const [time, user] = line.split('\\t');
  rows.push({ user, time: Number(time), line });
}
rows.sort((a, b) => (a.user < b.user ? -1 : a.user > b.user ? 1 : a.time - b.time));
const file = openSync(output, 'w');
for (let written = 0, start = 0; written < Number(bytes); start = (start + 1000) % rows.length)
  written += writeSync(file, rows.slice(start, start + 1000).map(({ line }) => line).join('\\n'));
closeSync(file);`;

const experiment = {
  seed: 'day',
  seeds: 2,
  data: 'log.examples',
  reports: { simulated: 'log.labels' },
  figures: [
    {
      title: 'A day',
      methods: ['rr', 'reports'],
      configurations: ['simulated'],
      epsilons: [1, 3],
      debiased: [false],
    },
  ],
};

/** @param rows of the log */
export function benchDay(rows = ROWS): void {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-day-'));
  const file = (name: string): string => join(folder, name);
  const map = (name: string): string => join(root, 'scenarios', name);
  try {
    const begun = performance.now();
    writeLog(file('log.tsv'), rows);
    writeFileSync(file('experiment.json'), JSON.stringify(experiment));
    const floor = measure(READ_AND_SPLIT, file('log.tsv'));
    console.log(
      `a log of ${rows} rows (${(statSync(file('log.tsv')).size / MEBIBYTE).toFixed(0)} MiB); to read and split it takes ${floor.cpu.toFixed(2)} s`,
    );
    const [input, reports, sources] = [file('log.tsv'), file('reports.ndjson'), file('sources.ndjson')];
    const [examples, labels, learned] = [file('log.examples'), file('log.labels'), file('learned')];
    const steps: readonly (readonly string[])[] = [
      [
        ...['simulate', '--map', map('criteo-attribution.map.json'), '--unsorted', '--seed', '1'],
        ...['--input', input, '--output', reports, '--sources-output', sources],
      ],
      [
        ...['estimate', '--reports', reports, '--sources', sources, '--group-by', 'cat1'],
        ...['--output', file('estimates.csv')],
      ],
      [
        ...['learn', 'data', '--input', input, '--map', map('learn/criteo-attribution.map.json')],
        ...['--output', examples],
      ],
      [
        ...['learn', 'labels', '--data', examples, '--sources', sources, '--reports', reports],
        ...['--output', labels],
      ],
      ['learn', '--experiment', file('experiment.json'), '--output', learned],
    ];
    const measured = steps.map((step) => {
      const found = measureAloud(COMMAND, step);
      show(nameOf(step), found, floor, rows);
      if (step[0] === 'simulate') {
        const bytes = [reports, sources].reduce((sum, one) => sum + statSync(one).size, 0);
        const least = measure(READ_SORT_AND_WRITE, input, file('sorted'), String(bytes));
        show('… its floor', least, floor, rows);
      }
      return found;
    });
    const kibibytes = Math.max(...measured.map((one) => one.kibibytes));
    const reported = statSync(join(learned, 'report.html')).size;
    console.log(
      `from the empty folder to the report (${(reported / 1024).toFixed(0)} KiB): ${((performance.now() - begun) / 1000).toFixed(0)} s, at most ${(kibibytes / 1024).toFixed(0)} MiB\n`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nameOf = ([command = '', subcommand = '']: readonly string[]): string =>
  subcommand.startsWith('--') ? command : `${command} ${subcommand}`;

function show(name: string, measured: Measured, floor: Measured, rows: number): void {
  const { seconds, cpu } = measured;
  console.log(
    `  ${name.padEnd(13)} ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of a processor (${((1e6 * cpu) / rows).toFixed(0)} µs a row; ${(cpu / floor.cpu).toPrecision(3)} times reading and splitting), ${mebibytes(measured)} MiB`,
  );
}
