import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../node/root';
import { COMMAND, measure, measureAloud, mebibytes, type Measured } from './measured-command';

/*
 * A researcher's day, from an empty folder: a log with the columns of Criteo's attribution data, which the commands simulate, estimate from, and train
 * models on. Each step prints its time and peak memory.
 */

const ROWS = 1_000_000;
const ROWS_PER_USER = 16.5 / 6;
const ROWS_AT_ONCE = 10_000;
const [CAMPAIGNS, CATEGORIES, DAYS, DAY] = [700, 30, 30, 86_400] as const;
const MEBIBYTE = 2 ** 20;
const COLUMNS = [
  ...['timestamp', 'uid', 'campaign', 'conversion', 'conversion_timestamp', 'conversion_id', 'attribution'],
  ...['click', 'click_pos', 'click_nb', 'cost', 'cpo', 'time_since_last_click'],
  ...Array.from({ length: 9 }, (_, index) => `cat${index + 1}`),
];

/** The least that any program does with the log. */
const READ_AND_SPLIT = `const { createReadStream } = await import('node:fs');
const { createInterface } = await import('node:readline');
for (const file of process.argv.slice(1))
  for await (const line of createInterface({ input: createReadStream(file) })) line.split('\\t');`;

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
      const found = measureAloud(COMMAND, ...step);
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

/** In order of time, with rates like those of the data: 36 % clicks, and 4.5 % impressions before a conversion. */
function writeLog(file: string, rows: number): void {
  const handle = openSync(file, 'wx');
  try {
    writeSync(handle, `${COLUMNS.join('\t')}\n`);
    const draw = draws();
    for (let start = 0; start < rows; start += ROWS_AT_ONCE) {
      const size = Math.min(ROWS_AT_ONCE, rows - start);
      const lines = Array.from({ length: size }, (_, index) => rowOf(start + index, rows, draw));
      writeSync(handle, `${lines.join('\n')}\n`);
    }
  } finally {
    closeSync(handle);
  }
}

function rowOf(row: number, rows: number, draw: (below: number) => number): string {
  const time = Math.floor((row / rows) * DAYS * DAY);
  const [user, campaign] = [draw(Math.ceil(rows / ROWS_PER_USER)), draw(CAMPAIGNS)];
  const categories = Array.from({ length: 9 }, (_, index) => 1000 * index + draw(CATEGORIES));
  // Conversions depend on what a model sees, so that there is something to learn.
  const isConverted =
    draw(10_000) < 300 + 300 * (campaign % 2) * ((categories[0] ?? 0) % 2) + (campaign % 300);
  const isClick = draw(100) < 36;
  const conversion = isConverted ? [1, time + draw(5 * DAY), row] : [0, -1, -1];
  const cost = (draw(10_000) / 1e7).toFixed(7);
  return [
    ...[time, user, campaign, ...conversion, Number(isConverted && isClick), Number(isClick), -1, -1],
    ...[cost, (draw(10_000) / 1e5).toFixed(5), draw(2) === 0 ? -1 : draw(DAY), ...categories],
  ].join('\t');
}

/** Whole numbers below a number, the same for each run (mulberry32). */
function draws(): (below: number) => number {
  let state = 53;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
